"""The strategies against context explosion refuse what they cannot do well, and keep the rest of a file as it is."""

import pytest

from actions.example import example_case
from actions.facts.context.budget import lost_rules
from actions.findings import scan
from actions.issues import issues_of
from actions.proof.prove import Promise, prove
from actions.strategies import all_strategies


def long(mark):
    """Give about 1,000 tokens of text that no other mark gives, in other words too."""
    act, thing, book = _WORDING[sum(map(ord, str(mark))) % len(_WORDING)]
    return "".join(f"{act} {thing} {mark}-{n} {book}.\n\n" for n in range(45))


_WORDING = (
    ("Look up", "crate", "in the harbour's book and note its weight and its next port"),
    ("Weigh", "barrel", "on the quay, then paint the result on the lid with white chalk"),
    ("Ask the mate for", "sack", "before noon; whoever brings it signs with name and hour"),
    ("Carry", "chest", "below deck where neither rain nor the stove's heat can reach any side"),
    ("Seal", "cask", "twice over, once with wax from our stock, once by the customs officer's lead"),
)


LONG = long("A")


def drafts(name, example, pattern):
    """Give (issue, draft) for each issue of the pattern."""
    case, module = example_case(example), all_strategies()[name]
    found = [issue for issue in issues_of(scan(case)) if issue.pattern == pattern]
    assert found
    return case, [(issue, module.propose(issue, case)) for issue in found]


def applied(name, example, pattern):
    case, ((issue, draft),) = drafts(name, example, pattern)
    after = case.with_skill(case.skill.replaced(draft.writes))
    proof = prove(case, after, scan(case), Promise.of(draft, {issue.fingerprint}))
    assert proof.passed, proof.reasons
    return {file.path: file.text for file in after.skill.files}, after.skill


def phases(tail=""):
    return "# Ship\n\n" + "".join(f"## Phase {n}: go\n\n{long(n)}\n" for n in range(1, 5)) + tail


class TestSlidingWindow:
    CODE = "# Loop\n\nSee `state.json`.\n\n```js\nwhile (on) {{\n  state.history.push(x)\n}}\n{}\n```\n"

    @pytest.mark.parametrize(
        "use",
        [
            "show(state.history.filter(h => h.failed))",
            "const n = state.history.length",
            "state.history.forEach(print)",
        ],
    )
    def test_it_refuses_when_older_entries_are_used(self, use):
        _, ((_, draft),) = drafts("sliding_window", self.CODE.format(use), "CTX-001")
        assert draft is None

    def test_it_refuses_a_statement_whose_end_is_unclear(self):
        text = "# Loop\n\nSee `state.json`.\n\n```js\nwhile (on) {\n  state.history.push({\n    name: x }) || fail({ y })\n}\n```\n"
        _, ((_, draft),) = drafts("sliding_window", text, "CTX-001")
        assert draft is None

    def test_line_ends_of_windows_stay(self):
        files, _ = applied("sliding_window", self.CODE.format("done()").replace("\n", "\r\n"), "CTX-001")
        assert "  state.history = state.history.slice(-10)\r\n" in files["SKILL.md"]
        assert "\n" not in files["SKILL.md"].partition("# Loop")[2].replace("\r\n", "")


class TestPathReference:
    def test_a_variable_that_is_used_elsewhere_stays(self):
        text = "# Check\n\nIf the sub-agent fails, ask the user.\n\n```js\nconst plan = Read('plan.md')\nTask({\n  prompt: `Check:\n${plan}`\n})\nshow(plan)\n```\n"
        files, _ = applied("path_reference", text, "TKN-003")
        assert "const plan = Read('plan.md')\n" in files["SKILL.md"]
        assert "`Check:\nRead plan.md`" in files["SKILL.md"]

    def test_a_state_without_a_known_file_is_left_to_the_judge(self):
        text = "# Loop\n\nAsk the user when a sub-agent fails.\n\n```js\nTask({ prompt: `Go on. ${JSON.stringify(state)}` })\n```\n"
        _, ((_, draft),) = drafts("path_reference", text, "CTX-002")
        assert draft is None


class TestSplitToReferences:
    def test_the_phase_keeps_its_heading_and_one_line(self):
        files, skill = applied("split_to_references", phases(), "TKN-007")
        assert (
            files["SKILL.md"]
            .rstrip("\n")
            .endswith(
                "## Phase 4: go\n\nRead [references/phase-4-go.md](references/phase-4-go.md) when you reach this phase, and follow it."
            )
        )
        assert files["references/phase-4-go.md"] == f"# Phase 4: go\n\n{long(4).rstrip()}\n"
        assert skill.body_tokens < 4000

    @pytest.mark.parametrize(
        "tail",
        [
            "Use $ARGUMENTS here.\n",
            "Do as in the table above.\n",
            "Log every call throughout.\n",
            "```js\nnever closed\n",
        ],
    )
    def test_text_that_leans_on_its_place_or_binds_everywhere_does_not_move(self, tail):
        _, ((_, draft),) = drafts("split_to_references", phases(tail), "TKN-007")
        assert draft is None

    def test_a_phase_that_leans_on_its_own_code_moves(self):
        files, _ = applied("split_to_references", phases("Run the command below.\n\n```sh\nmake\n```\n"), "TKN-007")
        assert "Run the command below.\n\n```sh\nmake\n```\n" in files["references/phase-4-go.md"]

    def test_below_becomes_the_name_of_the_file_whose_heading_is_meant(self):
        text = phases("Fill the letter form included below.\n\n## Letter form\n\nDear guest.\n")
        files, _ = applied("split_to_references", text, "TKN-007")
        assert "Fill the letter form included in SKILL.md." in files["references/phase-4-go.md"]

    def test_later_text_names_the_file_of_the_only_code_that_it_can_mean(self):
        text = phases("```sh\nmake\n```\n\n## Closing\n\nRun the command above.\n")
        files, _ = applied("split_to_references", text, "TKN-007")
        assert "Run the command in references/phase-4-go.md." in files["SKILL.md"]

    def test_a_phase_whose_code_later_text_may_mean_stays(self):
        text = phases("```sh\nmake\n```\n\n## Closing\n\nRun the command above.\n")
        _, ((_, draft),) = drafts(
            "split_to_references", text.replace("# Ship\n", "# Ship\n\n```sh\nls\n```\n"), "TKN-007"
        )
        assert draft is None

    def test_rules_come_before_the_cut_by_what_moves_away(self):
        table = "".join(
            f"The column `field_{n}` holds the amount of week {n}, in cents, as it was booked.\n\n" for n in range(180)
        )
        text = f"# Export\n\n## If the table is broken\n\n{LONG}\n{long(2)}\n## Columns\n\n{table}## Closing\n\nNever send it outside.\n"
        files, skill = applied("split_to_references", text, "CTX-006")
        assert lost_rules(skill) == []
        assert "Never send it outside." in files["SKILL.md"]
        assert "references/if-the-table-is-broken.md" in files

    def test_a_rule_that_no_move_can_save_gets_no_draft(self):
        table = "".join(
            f"The column `field_{n}` holds the amount of week {n}, in cents, as it was booked.\n\n" for n in range(300)
        )
        _, ((_, draft),) = drafts("split_to_references", f"# Export\n\n{table}Never send it outside.\n", "CTX-006")
        assert draft is None

    def test_an_existing_file_of_that_name_takes_the_section(self):
        old = "# Advanced seals\n\nOld text stays.\n"
        text = f"# Port\n\n## Crates\n\n{long(3)}{long(4)}\n## Advanced seals\n\n{LONG}"
        files, _ = applied("split_to_references", {"SKILL.md": text, "references/advanced-seals.md": old}, "TKN-007")
        assert files["references/advanced-seals.md"].startswith(f"{old}\n## Advanced seals\n\nLook up crate A-0")

    def test_a_skill_that_writes_paths_in_code_spans_gets_one(self):
        files, _ = applied(
            "split_to_references", {"SKILL.md": phases("\nSee `specs/a.md`.\n"), "specs/a.md": "# A\n"}, "TKN-007"
        )
        assert "Read `references/phase-4-go.md` when you reach this phase" in files["SKILL.md"]


class TestStateFieldReduction:
    def test_fields_in_use_stay_and_then_there_is_no_draft(self):
        names = [f"field_{chr(97 + n)}" for n in range(17)]
        fields = ",\n".join(f'  "{name}": null' for name in names)
        used = "".join(f"Set `{name}` first.\n\n" for name in names)
        text = f"# Loop\n\nThe state lives in `state.json`:\n\n```json\n{{\n{fields}\n}}\n```\n\n{used}"
        _, ((_, draft),) = drafts("state_field_reduction", text, "TKN-002")
        assert draft is None


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("Rules", "Add them up. Never send these to an outside address of any kind."),
        ("Columns", "Never send the totals to an outside address of any kind."),
        ("Rules", "Never send it:\n\n- by post\n- by hand"),
        ("Rules", "You must count twice.\n\n" * 2 + "Never ask twice.\n\nNever wait.\n\nAlways sign.\n\nNever run."),
    ],
    ids=["it leans on the sentence before", "no heading of rules", "half a sentence", "too many"],
)
def test_a_rule_that_cannot_be_read_alone_is_not_repeated(head, tail):
    text = "".join(long(mark) for mark in "ABCDEF")
    _, found = drafts(
        "repeat_rule", f"# Load\n\n## {head}\n\nLook.\n\n## Crates\n\n{text}\n## End\n\n{tail}\n", "CTX-006"
    )
    assert [draft for _, draft in found] == [None]


def test_rules_without_a_list_before_them_become_one():
    text = "".join(long(mark) for mark in "ABCDEF")
    tail = "Never send the totals to an outside address.\n\nThe cook must taste the broth twice.\n"
    _, ((_, draft),) = drafts(
        "repeat_rule", f"# Load\n\n## Rules\n\nLook.\n\n## Crates\n\n{text}\n## End\n\n{tail}", "CTX-006"
    )
    told = draft.writes["SKILL.md"].decode().partition("## Rules\n\n")[2].partition("\n\nLook.")[0]
    assert told == (
        "- Never send the totals to an outside address (see [End](#end)).\n"
        "- The cook must taste the broth twice (see [End](#end))."
    )


def test_a_mandatory_ending_that_is_a_mere_pointer_is_not_hidden_deeper():
    phases = "".join(f"## Phase {n}: {name}\n\n{long(name)}" for n, name in enumerate("ABCDEF", 1))
    ending = "## Phase 7: Hand over\n\n{}\n### Closing\n\nWhen reaching this phase, read `references/close.md`. Do not load this file earlier. The inspection is mandatory.\n"
    example = {
        "SKILL.md": f"# Load\n\n{phases}{ending.format(long('G'))}",
        "references/close.md": "# Close\n\nInspect the hold, then offer three moves.\n",
    }
    _, found = drafts("split_to_references", example, "CTX-005")
    moved = [path for _, draft in found if draft for path in draft.writes]
    assert any("phase-6" in path for path in moved)
    assert not any("phase-7" in path for path in moved)
