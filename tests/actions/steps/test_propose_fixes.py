"""Test proposals: their order, one fix for each draft, and no repetition of failed fixes in later rounds."""

import pytest
from msgspec.structs import replace

from actions.fixes.proposals import find_fixable
from actions.fixes.records import build_fix, format_diff, get_new_contents
from actions.fixes.strategies import Draft, repair_reference
from actions.patterns.spec import spec_005_broken_link
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from actions.steps import propose_fixes
from actions.steps.outcome import Keep
from actions.steps.propose_fixes import act
from actions.steps.select_fixes import select
from schemas.vocabulary import Family, FixStatus, Grade, Risk
from tests.fakes import (
    install_catalogue,
    install_word_catalogue,
    make_case,
    make_diagnosed_state,
    make_pattern,
    make_strategy,
    make_tools,
    replace_word,
)

FOUR_FIXABLE_LINES = "A UNREAD.\n\nA LOSSY.\n\nA RISKY.\n\nA FIXABLE.\n\nA NOFIX.\n"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install_word_catalogue(monkeypatch)


def propose_for(body, before="", **fields):
    case = make_case(body)
    known_issues = make_issues(scan(make_case(before))) if before else ()
    state = replace(make_diagnosed_state(case, **fields), issues=make_issues(scan(case), known_issues))
    return act(state, case, make_tools())


def map_strategies(outcome):
    return {f.id: f.strategy for f in outcome.state.proposed_fixes}


def test_fixes_are_numbered_in_order_of_issues():
    assert map_strategies(propose_for(FOUR_FIXABLE_LINES)) == {
        "FIX-001": "hide_unread",
        "FIX-002": "drop_lossy",
        "FIX-003": "correct_risky",
        "FIX-004": "correct_fixable",
    }


def test_fixes_begin_with_data_flow_and_agents(monkeypatch):
    families = [Family.TOKENS, Family.MEMORY, Family.SPEC, Family.CONTEXT, Family.AGENT, Family.DATAFLOW]
    pattern_words = [family.name for family in families]
    patterns = [
        make_pattern(f"AGT-{n:03d}", pattern_word, f"calm_{n}", family=f)
        for n, (pattern_word, f) in enumerate(zip(pattern_words, families, strict=True))
    ]
    install_catalogue(
        monkeypatch,
        patterns,
        [
            make_strategy(f"calm_{n}", replace_word(pattern_word, "calm"))
            for n, pattern_word in enumerate(pattern_words)
        ],
    )
    case = make_case("\n\n".join(f"A line says {pattern_word}." for pattern_word in pattern_words))
    state = make_diagnosed_state(case)
    state = act(state, case, make_tools()).state
    assert [fix.strategy for fix in state.proposed_fixes] == [f"calm_{n}" for n in range(6)]
    selected_fixes = select(state, [fix.id for fix in state.proposed_fixes]).pending_fixes
    assert [pattern_words[int(id.removeprefix("FIX-")) - 1] for id in selected_fixes] == [
        "DATAFLOW", "AGENT", "CONTEXT", "MEMORY", "SPEC", "TOKENS",
    ]  # fmt: skip


def test_fix_has_text_diff_and_contents():
    outcome = propose_for("A FIXABLE.\n")
    (fix,) = outcome.state.proposed_fixes
    (change,) = fix.changes
    assert (fix.issue_ids, fix.iteration, fix.status, fix.source) == (("ISS-001",), 1, FixStatus.PROPOSED, "mechanical")
    assert change.diff.splitlines()[-2:] == ["-A FIXABLE.", "+A fixable."]
    keep = outcome.effect
    assert isinstance(keep, Keep)
    assert get_new_contents(fix, {change.sha256_after: keep.contents[0]})["SKILL.md"].endswith(b"A fixable.\n")
    assert outcome.state.rounds[-1].proposed


def test_new_file_is_a_creation():
    (fix,) = propose_for("A UNREAD.\n").state.proposed_fixes
    assert [(c.file, c.action, c.sha256_before is None) for c in fix.changes] == [
        ("SKILL.md", "modify", False),
        ("node_modules/unread.md", "create", True),
    ]


def test_issues_with_the_same_draft_share_a_fix(monkeypatch):
    def replace_all(line, case):
        return {"SKILL.md": case.skill.main.text.replace("FIXABLE", "fixable")}

    install_catalogue(monkeypatch, [make_pattern("AGT-001", "FIXABLE", "all")], [make_strategy("all", replace_all)])
    (fix,) = propose_for("A FIXABLE.\n\nOne more FIXABLE.\n").state.proposed_fixes
    assert fix.issue_ids == ("ISS-001", "ISS-002")


def test_draft_without_a_change_is_not_a_fix(monkeypatch):
    install_catalogue(
        monkeypatch, [make_pattern("AGT-001", "FIXABLE", "none")], [make_strategy("none", lambda line, case: line)]
    )
    assert map_strategies(propose_for("A FIXABLE.\n")) == {}


def test_next_strategy_drafts_if_the_best_cannot(monkeypatch):
    install_catalogue(
        monkeypatch,
        [make_pattern("AGT-001", "FIXABLE", "unknown_name", "cannot", "can")],
        [make_strategy("cannot", lambda line, case: None), make_strategy("can", replace_word("FIXABLE", "fixable"))],
    )
    assert map_strategies(propose_for("A FIXABLE.\n")) == {"FIX-001": "can"}


@pytest.mark.parametrize(("grade", "risk"), [(Grade.PROVEN, Risk.LOW), (Grade.READ, Risk.MEDIUM)])
def test_read_finding_makes_the_risk_at_least_medium(grade, risk):
    case = make_case("A FIXABLE.\n")
    issues = [replace(issue, grade=grade) for issue in make_issues(scan(case))]
    draft = Draft({"SKILL.md": b"---\n"}, "Calms.", "It was loud.", "Less harm.", 9)
    assert build_fix("FIX-001", "calm", draft, issues, case, 1, Risk.LOW).risk is risk


def test_text_of_a_fix_withholds_a_token():
    token = "ghp_" + "8f14e45fceea167a5a36dedd4bea25438f14"
    draft = Draft({"SKILL.md": b"---\n"}, f"Write `argument-hint: {token}`.", f"It was {token}.", "Less harm.", 9)
    fix = build_fix("FIX-001", "calm", draft, [], make_case("A bird.\n"), 1, Risk.LOW)
    assert token not in fix.description + fix.rationale
    assert "withheld: it looks like a secret" in fix.description


def test_pattern_with_drafted_strategies_gets_no_fix(monkeypatch):
    install_catalogue(monkeypatch, [make_pattern("AGT-001", "FIXABLE", "bound_loop", "custom")], [])
    assert map_strategies(propose_for("A FIXABLE.\n")) == {}


def test_same_error_in_two_files_is_one_fix(monkeypatch):
    install_catalogue(monkeypatch, [spec_005_broken_link], [repair_reference])
    body = "Grade by the [scale](references/severty.md).\n\nRead [more](references/more.md).\n"
    reference_text = "# More\n\nSee [the scale](references/severty.md).\n"
    case = make_case(body, references__more=reference_text, references__severity="# Severity\n\nFive grades.\n")
    (fix,) = act(make_diagnosed_state(case), case, make_tools()).state.proposed_fixes
    assert (len(fix.issue_ids), [change.file for change in fix.changes]) == (1, ["SKILL.md", "references/more.md"])


@pytest.mark.parametrize("status", [FixStatus.ROLLED_BACK, FixStatus.REFUSED])
def test_failed_fix_is_never_proposed_again(status):
    old = tuple(replace(f, status=status) for f in propose_for("A FIXABLE.\n").state.proposed_fixes)
    second_outcome = propose_for("A FIXABLE.\n\nA RISKY.\n", proposed_fixes=old, iteration_count=2)
    assert map_strategies(second_outcome) == {"FIX-001": "correct_fixable", "FIX-002": "correct_risky"}
    assert second_outcome.state.proposed_fixes[0] == old[0]


def test_next_strategy_may_try_after_a_failure(monkeypatch):
    install_catalogue(
        monkeypatch,
        [make_pattern("AGT-001", "FIXABLE", "one", "two")],
        [
            make_strategy("one", replace_word("FIXABLE", "fixable")),
            make_strategy("two", replace_word("FIXABLE", "Fixable")),
        ],
    )
    old = tuple(replace(f, status=FixStatus.ROLLED_BACK) for f in propose_for("A FIXABLE.\n").state.proposed_fixes)
    assert map_strategies(propose_for("A FIXABLE.\n", proposed_fixes=old)) == {"FIX-001": "one", "FIX-002": "two"}


def test_unselected_fix_keeps_its_id_and_is_drafted_again():
    old = propose_for("A FIXABLE.\n\nA RISKY.\n").state.proposed_fixes
    moved_text = "Fresh words.\n\nA RISKY.\n\nA FIXABLE.\n"
    second_outcome = propose_for(moved_text, before="A FIXABLE.\n\nA RISKY.\n", proposed_fixes=old, iteration_count=2)
    new = second_outcome.state.proposed_fixes
    assert map_strategies(second_outcome) == {"FIX-001": "correct_fixable", "FIX-002": "correct_risky"}
    assert [f.iteration for f in new] == [1, 1]
    assert {f.changes[0].sha256_before for f in new} == {make_case(moved_text).skill.main.sha256}


def test_unselected_fix_is_refused_when_not_needed():
    old = propose_for("A FIXABLE.\n\nA RISKY.\n").state.proposed_fixes
    second_outcome = propose_for("A RISKY.\n", before="A FIXABLE.\n\nA RISKY.\n", proposed_fixes=old, iteration_count=2)
    refused_fix, proposed_fix = second_outcome.state.proposed_fixes
    assert (refused_fix.status, proposed_fix.status) == (FixStatus.REFUSED, FixStatus.PROPOSED)
    assert refused_fix.reason


def test_diff_equals_that_of_git():
    assert format_diff("a.md", b"one\n", b"two") == (
        "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-one\n+two\n\\ No newline at end of file\n"
    )
    assert format_diff("a.md", None, b"x\n").startswith("--- /dev/null\n+++ b/a.md\n")
    assert format_diff("a.md", b"x\n", None).startswith("--- a/a.md\n+++ /dev/null\n")


def test_diff_splits_lines_at_newlines_only():
    assert format_diff("a.md", "one\x0ctwo\u2028three\r\n".encode(), b"x\n") == (
        "--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-one\x0ctwo\u2028three\r\n+x\n"
    )


def test_round_out_of_time_leaves_fixes_for_another():
    def time_out(work):
        raise TimeoutError

    case = make_case(FOUR_FIXABLE_LINES)
    state = replace(make_diagnosed_state(case), issues=make_issues(scan(case)))
    outcome = act(state, replace(case, limited=time_out), make_tools())
    assert map_strategies(outcome) == {}
    assert len(outcome.state.rounds[-1].untried) == 4
    assert find_fixable(state.issues, replace(case, limited=time_out)) == ([], 4)


def test_round_limits_its_fixes_and_says_so(monkeypatch):
    assert "first" not in propose_for(FOUR_FIXABLE_LINES).note
    assert propose_for(FOUR_FIXABLE_LINES).state.rounds[-1].untried == ()
    monkeypatch.setattr(propose_fixes, "DRAFT_LIMIT", 400)
    outcome = propose_for(FOUR_FIXABLE_LINES)
    assert map_strategies(outcome) == {"FIX-001": "correct_risky", "FIX-002": "correct_fixable"}
    assert outcome.note.startswith("2 fixes proposed for the first findings")
    assert len(outcome.state.rounds[-1].untried) == 2
