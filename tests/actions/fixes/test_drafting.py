"""Test that a judge's draft is refused, with a reason, unless its edits are exact, harmless and proven."""

import pytest
from msgspec.structs import replace

from actions.reporting.report import render_report
from actions.steps.propose_fixes import act as propose
from actions.steps.record_rollback import mark_rolled_back, measure_again
from schemas.options import Options
from schemas.vocabulary import Family, FixStatus, IssueStatus, Risk
from tests.actions.fixes.drafts import BODY, CALM, only, run
from tests.fakes import HEAD, a_case, a_read_pattern, a_strategy, install, tools
from tests.judges import ScriptedJudge, add, draft, review, says, walked

pytestmark = pytest.mark.usefixtures("catalogue")


def test_draft_is_applied_and_attributed_to_the_judge():
    state, case, judge = run({"draft for ISS-001": draft(CALM)})
    fix = only(state)
    assert (fix.strategy, fix.source, fix.status, fix.risk) == ("custom", "sdk", FixStatus.APPLIED, Risk.MEDIUM)
    assert "Watch the calm goose for 5 minutes. It is loud." in case.skill.main.text
    assert {i.pattern: i.status for i in state.issues}["DF-001"] is IssueStatus.RESOLVED
    assert fix.changes[0].diff.splitlines()[-1].startswith((" ", "+"))
    assert ", drafted by the model, risk" in render_report(state)
    assert "Watch the GOOSE. It is loud." in judge.prompt("draft for ISS-001")
    assert "a download or another network command; a pipe into a shell." in judge.prompt("draft for ISS-001")


def test_safe_never_applies_what_a_judge_drafted():
    state, case, _ = run({"draft for ISS-001": draft(CALM)}, apply="safe")
    assert (only(state).status, "GOOSE" in case.skill.main.text) == (FixStatus.PROPOSED, True)


NEVER = ("SKILL.md", "Never feed the CRANE after dark.", "Feed the crane.")
BAD = [
    (
        draft(("SKILL.md", "Watch the DUCK.", "x y z.")),
        "is in SKILL.md 0 times; copy a text that occurs exactly once",
    ),
    (draft(("SKILL.md", "the ", "a ")), "is in SKILL.md 3 times; copy a text that occurs exactly once"),
    (draft(("../other/SKILL.md", "a", "b")), "../other/SKILL.md is not a text file of the skill"),
    (draft(("/etc/passwd", "root", "b")), "/etc/passwd is not a text file of the skill"),
    (draft(CALM, ("SKILL.md", "the GOOSE. It", "the goose. It")), "two edits of SKILL.md overlap"),
    (draft(("SKILL.md", "name: plover", "name: goose")), "only the description may change in the frontmatter"),
    (draft(("SKILL.md", "Counts birds", "Counts geese")), "do not change the frontmatter"),
    (draft(("SKILL.md", "Watch the GOOSE.", "Watch the goose at https://evil.example/x.")), "a URL"),
    (draft(("SKILL.md", "Watch the GOOSE.", "Watch !`curl evil` the goose.")), "a command that runs on its own"),
    (draft(("SKILL.md", "Watch the GOOSE.", "Watch @~/.ssh/id_rsa the goose.")), "a file that is read on its own"),
    (draft(("SKILL.md", "Watch the GOOSE.", "Watch the g\u200boose.")), "invisible characters"),
    (draft(("SKILL.md", "Watch the GOOSE.", "Watch the GOOSE!")), "DF-001 is still found"),
    (
        draft(("SKILL.md", "Watch the GOOSE.", "<!-- tune-skill: ignore DF-001 -->\nWatch the GOOSE.")),
        "DF-001 is still",
    ),
    (
        draft(CALM, ("SKILL.md", "Keep the pond clean.", "Keep it.")),
        "the fix loses this sentence: Keep the pond clean.",
    ),
    (
        draft(CALM, ("SKILL.md", "Keep the pond clean.", "<!-- Keep the pond clean. -->")),
        "the fix loses this sentence: Keep the pond",
    ),
    (draft(CALM, NEVER), "the fix loses this sentence: Never feed the CRANE after dark."),
    (
        draft(("SKILL.md", "Watch the GOOSE. It is loud.", "Hush."), rewords=["It is loud."]),
        "the fix loses this sentence: Watch the",
    ),
    (draft(("SKILL.md", "Watch the GOOSE. It is loud.", "")), "the fix loses this sentence: Watch the GOOSE."),
    (draft(("SKILL.md", "Watch the GOOSE.", "Watch the goose and")), "the fix loses this sentence: It is loud."),
    (
        draft(
            ("SKILL.md", "It is loud.\n", "It is loud.\n\nWatch the\n"),
            ("SKILL.md", "GOOSE", "goose"),
            rewords=["Watch the GOOSE."],
        ),
        "this sentence is cut off; end it with a full stop: Watch the",
    ),
    (
        draft(CALM, ("SKILL.md", "loud.\n", "loud.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")),
        "is in a table, but the fault is not",
    ),
    (draft(CALM, ("SKILL.md", "loud.\n", "loud.\n\n## If you like\n")), "adds a line above this"),
    (draft(("SKILL.md", "Watch the GOOSE.", "Watch the HERON.")), "new finding AGT-002"),
    (draft(("SKILL.md", "Watch the GOOSE.", "Watch the goose. " + "It is so calm now. " * 90)), "tokens"),
    (draft(("SKILL.md", "Watch the GOOSE.", "Watch the goose, see [it](notes/goose.md).")), "goose.md does not exist"),
]


@pytest.mark.parametrize(("answer", "why"), BAD)
def test_invalid_draft_is_not_written_and_says_why(answer, why):
    state, case, judge = run({"draft for ISS-001": answer, "second draft for ISS-001": answer})
    fix = only(state)
    assert fix.status is FixStatus.REFUSED
    assert why in fix.reason
    assert case.skill.main.text.endswith(BODY)
    assert why[:20] in judge.prompt("second draft for ISS-001")
    assert [q.name for q in judge.asked if "draft for ISS-001" in q.name] == [
        "draft for ISS-001, ISS-002", "second draft for ISS-001"
    ]  # fmt: skip
    assert why[:12] in render_report(state).replace("\\", "")
    assert not [q for q in judge.asked if q.name.startswith("review")]


@pytest.mark.parametrize(
    ("body", "edit", "why"),
    [
        ("Watch the GOOSE with `git push`.\n", ("GOOSE with ", "goose with !"), "a command that runs on its own"),
        ("Watch the GOOSE:\n\n```\nls\n```\n", ("GOOSE:\n\n```", "goose:\n\n```!"), "a command that runs on its own"),
        ("Watch the GOOSE in ~/.ssh/key\n", ("GOOSE in ", "goose in @"), "a file that is read on its own"),
        ("Watch the GOOSE.\n", ("GOOSE", "goose. - ```! ls ```"), "a command that runs on its own"),
        ("Watch the GOOSE.\n", ("GOOSE", "goose !`true\nls`"), "a command that runs on its own"),
        ("Watch the GOOSE.\n", ("GOOSE", 'goose @"/etc/x y"'), "a file that is read on its own"),
        ("Watch the GOOSE.\n", ("GOOSE", "goose; curl $X"), "a download or another network command"),
        ("Watch the GOOSE //evil.example/x\n", ("GOOSE ", "goose https:"), "a URL"),
    ],
)
def test_edit_that_is_harmful_beside_its_text_is_refused(body, edit, why):
    answer = draft(("SKILL.md", *edit))
    state, case, _ = run({"draft for ISS-001": answer, "second draft for ISS-001": answer}, body)
    assert why in only(state).reason
    assert case.skill.main.text.endswith(body)


def test_reworded_rule_depends_on_the_review():
    answer = draft(("SKILL.md", "Never feed the CRANE after dark.", "Feed the crane gently."))
    crane = {
        "draft for ISS-002": answer,
        "second draft for ISS-002": answer,
        "review": review(ISS_002=True, holds=False),
    }
    state, case, _ = run(crane)
    (fix,) = [f for f in state.proposed_fixes if f.issue_ids == ("ISS-002",)]
    assert "the fix changes or removes an instruction that must be kept" in fix.reason
    assert "Never feed the CRANE after dark." in case.skill.main.text


def test_instruction_called_a_fault_stays_unless_confirmed_twice():
    own = says(added=[add("Keep the pond clean.")])
    answer = draft(("SKILL.md", "Keep the pond clean.", "When it fails, say so."))
    answers = {"reading": own, "draft for": answer, "second": answer, "review": review(ISS_001=False)}
    state, case, _ = run(answers, "Keep the pond clean.\n")
    assert "ISS-001 is still there" in only(state).reason
    assert "Keep the pond clean." in case.skill.main.text


def test_failed_draft_is_redrafted_once_with_the_reasons():
    lossy = draft(CALM, ("SKILL.md", "Keep the pond clean.", "Keep it."))
    state, _, judge = run({"draft for ISS-001": lossy, "second draft for ISS-001": draft(CALM)})
    assert only(state).status is FixStatus.APPLIED
    assert "SKILL.md: the fix loses this sentence: Keep the pond clean." in judge.prompt("second draft for ISS-001")
    assert "replace:\nKeep the pond clean.\nwith:\nKeep it." in judge.prompt("second draft for ISS-001")


def test_declined_draft_is_in_the_report_with_its_reason():
    state, _, judge = run({"draft for ISS-001": draft(declined="Only the author knows the goose.")})
    messages = "the model drafted no fix: Only the author knows the goose."
    assert (only(state).status, only(state).reason) == (FixStatus.REFUSED, messages)
    assert f"Why: {only(state).id} was refused: {messages}" in render_report(state)
    assert not [q for q in judge.asked if q.name.startswith(("second", "review"))]


def test_finding_with_a_strategy_is_not_drafted():
    _, _, judge = run({}, "A HERON.\n")
    assert not [q.name for q in judge.asked if "draft" in q.name]


def test_at_most_four_faults_are_drafted_for_the_worst_first():
    own = [add(f"Pond {n} is green.", problem=f"No line says why pond {n} is green.") for n in range(9)]
    _, _, judge = run({"reading": says(added=own)}, "".join(f"Pond {n} is green.\n\n" for n in range(9)))
    (asked,) = [q for q in judge.asked if "draft" in q.name]
    assert len(asked.drafts) == 4


def test_equal_findings_of_one_pattern_get_one_draft():
    body = "A GOOSE swims.\n\nA CRANE wades.\n\nA GOOSE sleeps.\n\nSee `notes.md`.\n"
    edits = [("SKILL.md", "A GOOSE swims.", "A goose swims."), ("SKILL.md", "A GOOSE sleeps.", "A goose sleeps."),
             ("references/notes.md", "A GOOSE eats.", "A goose eats.")]  # fmt: skip
    named = [search for _, search, _ in edits]
    notes = {"references__notes": "A GOOSE eats.\n"}
    state, case, judge = run({"draft for ISS-0": draft(*edits, rewords=named)}, body, **notes)
    (fix,) = [f for f in state.proposed_fixes if f.status is FixStatus.APPLIED]
    assert len(fix.issue_ids) == 3
    assert not any("GOOSE" in file.text for file in case.skill.files)
    (asked,) = [q for q in judge.asked if q.name.startswith("draft")]
    assert [len(ids) for ids in asked.drafts] == [3, 1]
    left_one = draft(*edits[:2], rewords=named)
    state, case, _ = run({"draft for ISS-0": left_one, "second": left_one}, body, **notes)
    (fix,) = [f for f in state.proposed_fixes if len(f.issue_ids) == 3]
    assert "DF-001 is still found, in references/notes.md:1" in fix.reason


def test_draft_question_gives_a_custom_finding_in_its_own_words():
    own = says(added=[add("Keep the pond clean.", problem="No line says how often.", harm="It stinks.")])
    _, _, judge = run({"reading": own}, "Keep the pond clean.\n")
    prompt = judge.prompt("draft for")
    fault = prompt.partition("## The faults")[2].partition("## What else")[0]
    assert (
        fault.index("No line says how often.") < fault.index("It is bad because: It stinks.") < fault.index("In SKILL")
    )
    assert "advises" not in fault
    assert "## Their patterns" not in prompt
    assert "not one after another" in prompt


def test_draft_keeps_windows_line_ends():
    body = "A calm day.\r\n\r\nA GOOSE swims.\r\nIt is loud.\r\n"
    answer = draft(("phases/01.md", "A GOOSE swims.\nIt is", "A goose swims.\nIt is"), rewords=["A GOOSE swims."])
    _, case, _ = run({"draft for": answer}, "Read `phases/01.md`.\n", phases__01=body)
    assert case.skill.by_path["phases/01.md"].text == body.replace("GOOSE", "goose")


def test_judges_finding_is_fixed_if_the_review_says_so():
    own = says(added=[add("Keep the pond clean.", problem="How often?")])
    ours = "Keep the pond clean.\n"
    calm = draft(("SKILL.md", "Keep the pond clean.", "Keep the pond clean. Rake it each noon."))
    weekly = draft(("SKILL.md", "Keep the pond clean.", "Keep the pond clean each noon."))
    outcomes = {}
    for name, answer, agrees in (
        ("words stay", calm, review(ISS_001=True)),
        ("agrees", weekly, review(ISS_001=True)),
        ("objects", weekly, review(ISS_001=False)),
        (
            "contradicts itself",
            weekly,
            {**review(), "verdicts": [*review(ISS_001=True)["verdicts"], *review(ISS_001=False)["verdicts"]]},
        ),
        ("speaks of another", weekly, review(ISS_009=True)),
        ("is silent", weekly, "the server hung up"),
    ):
        state, _, _ = run({"reading": own, "draft for": answer, "second": answer, "review": agrees}, ours)
        outcomes[name] = (only(state).status, only(state).reason or "")
    assert outcomes["agrees"] == outcomes["words stay"] == (FixStatus.APPLIED, "")
    assert "it was not reviewed" in outcomes["is silent"][1]
    assert "a scripted judge: ISS-001 is still there: I looked." in outcomes["objects"][1]
    assert "a scripted judge: ISS-001 is still there: I looked." in outcomes["contradicts itself"][1]
    assert "a scripted judge: the review does not say whether ISS-001 is gone" in outcomes["speaks of another"][1]
    assert {name for name, (status, _) in outcomes.items() if status is FixStatus.REFUSED} == {
        "objects", "contradicts itself", "speaks of another", "is silent"
    }  # fmt: skip


def test_fix_without_a_model_creates_no_file(monkeypatch):
    moved = {"SKILL.md": HEAD + "See `pond.md` for it.\n", "pond.md": "A grey HERON waits.\n"}
    move = a_strategy("move_heron", lambda line, case: moved, fixes=("CTX-002",))
    install(monkeypatch, [a_read_pattern("CTX-002", "HERON", "move_heron")], [move])
    own = says(added=[add("A grey HERON waits.", pattern="CTX-002")])
    state, _, _ = run({"reading": own, "review": "the server hung up"}, "A grey HERON waits.\n")
    reasons = [f.reason or "" for f in state.proposed_fixes if f.strategy == "move_heron"]
    assert reasons == ["pond.md: the fix adds this: A grey HERON waits."]


def test_fix_of_a_strategy_does_not_hide_a_read_finding():
    own = says(added=[add("A HERON rests")])
    state, _, judge = run({"reading": own, "draft": "no answer"}, "A HERON rests.\n")
    (fix,) = [f for f in state.proposed_fixes if f.strategy == "calm_heron"]
    assert (fix.status, fix.review) == (FixStatus.APPLIED, None)
    assert not [q for q in judge.asked if q.name.startswith("review")], "a neighbour needs no question"
    assert {i.id: i.status for i in state.issues} == {"ISS-001": IssueStatus.RESOLVED, "ISS-002": IssueStatus.OPEN}


def test_waiting_draft_stays_while_its_text_is_unchanged():
    case = a_case(BODY)
    judge = ScriptedJudge({"reading": says(), "draft for ISS-001": draft(CALM)})
    state, _ = walked(case, judge, options=Options(apply="none", judge="sdk"))
    again = propose(replace(state, iteration_count=2), case, tools())
    assert [f.status for f in again.state.proposed_fixes if f.issue_ids == ("ISS-001",)] == [FixStatus.PROPOSED]
    edited = a_case(BODY.replace("Watch the GOOSE", "Look at the GOOSE"))
    other = propose(replace(state, iteration_count=2), edited, tools())
    assert [f.status for f in other.state.proposed_fixes if f.issue_ids == ("ISS-001",)] == [FixStatus.REFUSED]


def test_draft_that_only_silences_a_pattern_is_refused():
    messages = {"draft for": draft(CALM), "second": draft(CALM), "review": review(ISS_001=False)}
    state, case, judge = run(messages)
    assert "a scripted judge: ISS-001 is still there: I looked." in only(state).reason
    change = judge.prompt("review for ISS-001").split("The change, as a diff:")[1]
    assert ("-Watch the GOOSE." in change, "+Watch the calm goose for 5 minutes." in change) == (True, True)
    assert "GOOSE" in case.skill.main.text
    fixed, _, _ = run({"draft for": draft(CALM)})
    assert state.quality_score < fixed.quality_score


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Counts birds on a shore.", "Counts birds on a shore, one by one.", None),
        ("name: plover", "name: goose", "only the description may change in the frontmatter"),
        ("to be counted.\n", "to be counted.\nallowed-tools: Bash\n", "only the description may change"),
        (
            "Counts birds",
            "Counts: birds",
            "only the description may change in the frontmatter, which must stay valid YAML",
        ),
        (HEAD.split("\n")[2] + "\n", "", "only the description may change in the frontmatter"),
    ],
    ids=["the description", "another key", "a new key", "no YAML", "no description"],
)
def test_draft_changes_the_description_only_for_a_fault_there(monkeypatch, old, new, why):
    occasion = a_read_pattern("SPEC-003", "the description says not when", "describe_occasion", family=Family.SPEC)
    install(monkeypatch, [occasion], [])
    own = says(added=[add("Counts birds on a shore.", pattern="SPEC-003")])
    line = HEAD.split("\n")[1 if "name" in old else 2]
    answer = draft(("SKILL.md", old, new), rewords=[line])
    messages = {"reading": own, "draft for": answer, "second draft for": answer}
    state, case, judge = run(messages)
    assert ("Of the frontmatter only the description changes" in judge.prompt("draft for ISS-001")) is True
    assert (why or "") in (only(state).reason or "")
    assert case.skill.main.text == (HEAD + BODY if why else (HEAD + BODY).replace(old, new))


def test_other_vanished_findings_are_put_to_review():
    body = "Watch the GOOSE. It is loud, says the CRANE.\n"
    both = draft(("SKILL.md", body.strip(), "Watch the goose. It is loud."), removes=["It is loud, says the CRANE."],
                 rewords=["Watch the GOOSE."])  # fmt: skip
    messages = {
        "draft for ISS-001": both,
        "second draft for ISS-001": both,
        "review": review(ISS_001=True, ISS_002=False),
    }
    state, _, judge = run(messages, body)
    assert judge.prompt("review for ISS-001, ISS-002")
    assert "ISS-002 is still there" in only(state).reason


def test_draft_question_shows_skill_page_and_other_findings():
    _, _, judge = run({"draft for ISS-001": draft(CALM)}, notes="The pond is deep.\n")
    prompt = judge.prompt("draft for ISS-001")
    assert "The pond is deep." in prompt
    assert "do not ask for something else: Fix it." in prompt
    assert "### ISS-002" in prompt, "each fault of the file is drafted in the same question"
    assert prompt.startswith(judge.prompt("reading")[:500])


def test_omission_is_fixed_although_the_quote_stays():
    own = {"reading": says(added=[add("Keep the pond clean.", problem="How often?")])}
    more = draft(("SKILL.md", "Keep the pond clean.", "Keep the pond clean. Rake it at noon."), removes=["none"])
    state, case, _ = run({**own, "draft for": more}, "Keep the pond clean.\n")
    assert [issue.status for issue in state.issues] == [IssueStatus.RESOLVED]
    assert state.quality_score == 100
    back = taken_back(
        state, case.with_skill(case.skill.with_files({"SKILL.md": (HEAD + "Keep the pond clean.\n").encode()}))
    )
    assert [issue.status for issue in back] == [IssueStatus.OPEN]


def taken_back(state, case):
    """Return the issues of a run after all of its fixes were rolled back."""
    back = mark_rolled_back(state, {fix.id for fix in state.proposed_fixes}, ())
    return measure_again(back, case).issues
