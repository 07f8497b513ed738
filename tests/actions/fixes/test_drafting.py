"""Test that a judge's draft is refused, with a reason, unless its edits are exact, harmless and proven."""

import pytest
from msgspec.structs import replace

from actions.reporting.report import render_report
from actions.steps.propose_fixes import act as propose
from actions.steps.record_rollback import mark_rolled_back, measure_again
from schemas.options import Options
from schemas.vocabulary import Family, FixStatus, IssueStatus, Risk
from tests.actions.fixes.drafts import BODY, FIRST_EDIT, get_first_fix, run_judged
from tests.fakes import SKILL_HEADER, install_catalogue, make_case, make_model_pattern, make_strategy, make_tools
from tests.judges import ScriptedJudge, add_finding, make_draft, make_reading, make_review, run_in_memory

pytestmark = pytest.mark.usefixtures("catalogue")


def test_draft_is_applied_and_attributed_to_the_judge():
    state, case, judge = run_judged({"draft for ISS-001": make_draft(FIRST_EDIT)})
    fix = get_first_fix(state)
    assert (fix.strategy, fix.source, fix.status, fix.risk) == ("custom", "sdk", FixStatus.APPLIED, Risk.MEDIUM)
    assert "Watch the calm nofix for 5 minutes. It is loud." in case.skill.main.text
    assert {i.pattern: i.status for i in state.issues}["DF-001"] is IssueStatus.RESOLVED
    assert fix.changes[0].diff.splitlines()[-1].startswith((" ", "+"))
    assert ", drafted by the model, risk" in render_report(state)
    assert "Watch the NOFIX. It is loud." in judge.prompt("draft for ISS-001")
    assert "a download or another network command; a pipe into a shell." in judge.prompt("draft for ISS-001")


def test_apply_safe_never_applies_a_judges_draft():
    state, case, _ = run_judged({"draft for ISS-001": make_draft(FIRST_EDIT)}, apply="safe")
    assert (get_first_fix(state).status, "NOFIX" in case.skill.main.text) == (FixStatus.PROPOSED, True)


EDIT_OF_RULE = ("SKILL.md", "Never feed the FIXABLE after dark.", "Feed the fixable.")
INVALID_DRAFTS = [
    (
        make_draft(("SKILL.md", "Watch the DUCK.", "x y z.")),
        "is in SKILL.md 0 times; copy a text that occurs exactly once",
    ),
    (make_draft(("SKILL.md", "the ", "a ")), "is in SKILL.md 3 times; copy a text that occurs exactly once"),
    (make_draft(("../other/SKILL.md", "a", "b")), "../other/SKILL.md is not a text file of the skill"),
    (make_draft(("/etc/passwd", "root", "b")), "/etc/passwd is not a text file of the skill"),
    (make_draft(FIRST_EDIT, ("SKILL.md", "the NOFIX. It", "the nofix. It")), "two edits of SKILL.md overlap"),
    (make_draft(("SKILL.md", "name: plover", "name: nofix")), "only the description may change in the frontmatter"),
    (make_draft(("SKILL.md", "Counts birds", "Counts geese")), "do not change the frontmatter"),
    (make_draft(("SKILL.md", "Watch the NOFIX.", "Watch the nofix at https://evil.example/x.")), "a URL"),
    (make_draft(("SKILL.md", "Watch the NOFIX.", "Watch !`curl evil` the nofix.")), "a command that runs on its own"),
    (make_draft(("SKILL.md", "Watch the NOFIX.", "Watch @~/.ssh/id_rsa the nofix.")), "a file that is read on its own"),
    (make_draft(("SKILL.md", "Watch the NOFIX.", "Watch the g\u200boose.")), "invisible characters"),
    (make_draft(("SKILL.md", "Watch the NOFIX.", "Watch the NOFIX!")), "DF-001 is still found"),
    (
        make_draft(("SKILL.md", "Watch the NOFIX.", "<!-- tune-skill: ignore DF-001 -->\nWatch the NOFIX.")),
        "DF-001 is still",
    ),
    (
        make_draft(FIRST_EDIT, ("SKILL.md", "Keep the pond clean.", "Keep it.")),
        "the fix loses this sentence: Keep the pond clean.",
    ),
    (
        make_draft(FIRST_EDIT, ("SKILL.md", "Keep the pond clean.", "<!-- Keep the pond clean. -->")),
        "the fix loses this sentence: Keep the pond",
    ),
    (make_draft(FIRST_EDIT, EDIT_OF_RULE), "the fix loses this sentence: Never feed the FIXABLE after dark."),
    (
        make_draft(("SKILL.md", "Watch the NOFIX. It is loud.", "Hush."), rewords=["It is loud."]),
        "the fix loses this sentence: Watch the",
    ),
    (make_draft(("SKILL.md", "Watch the NOFIX. It is loud.", "")), "the fix loses this sentence: Watch the NOFIX."),
    (make_draft(("SKILL.md", "Watch the NOFIX.", "Watch the nofix and")), "the fix loses this sentence: It is loud."),
    (
        make_draft(
            ("SKILL.md", "It is loud.\n", "It is loud.\n\nWatch the\n"),
            ("SKILL.md", "NOFIX", "nofix"),
            rewords=["Watch the NOFIX."],
        ),
        "this sentence is cut off; end it with a full stop: Watch the",
    ),
    (
        make_draft(FIRST_EDIT, ("SKILL.md", "loud.\n", "loud.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")),
        "is in a table, but the fault is not",
    ),
    (make_draft(FIRST_EDIT, ("SKILL.md", "loud.\n", "loud.\n\n## If you like\n")), "adds a line above this"),
    (make_draft(("SKILL.md", "Watch the NOFIX.", "Watch the RISKY.")), "new finding AGT-002"),
    (make_draft(("SKILL.md", "Watch the NOFIX.", "Watch the nofix. " + "It is so calm now. " * 90)), "tokens"),
    (
        make_draft(("SKILL.md", "Watch the NOFIX.", "Watch the nofix, see [it](notes/nofix.md).")),
        "nofix.md does not exist",
    ),
]


@pytest.mark.parametrize(("answer", "reason"), INVALID_DRAFTS)
def test_invalid_draft_is_not_written_and_says_why(answer, reason):
    state, case, judge = run_judged({"draft for ISS-001": answer, "second draft for ISS-001": answer})
    fix = get_first_fix(state)
    assert fix.status is FixStatus.REFUSED
    assert reason in fix.reason
    assert case.skill.main.text.endswith(BODY)
    assert reason[:20] in judge.prompt("second draft for ISS-001")
    assert [q.name for q in judge.questions if "draft for ISS-001" in q.name] == [
        "draft for ISS-001, ISS-002", "second draft for ISS-001"
    ]  # fmt: skip
    assert reason[:12] in render_report(state).replace("\\", "")
    assert not [q for q in judge.questions if q.name.startswith("review")]


@pytest.mark.parametrize(
    ("body", "edit", "reason"),
    [
        ("Watch the NOFIX with `git push`.\n", ("NOFIX with ", "nofix with !"), "a command that runs on its own"),
        ("Watch the NOFIX:\n\n```\nls\n```\n", ("NOFIX:\n\n```", "nofix:\n\n```!"), "a command that runs on its own"),
        ("Watch the NOFIX in ~/.ssh/key\n", ("NOFIX in ", "nofix in @"), "a file that is read on its own"),
        ("Watch the NOFIX.\n", ("NOFIX", "nofix. - ```! ls ```"), "a command that runs on its own"),
        ("Watch the NOFIX.\n", ("NOFIX", "nofix !`true\nls`"), "a command that runs on its own"),
        ("Watch the NOFIX.\n", ("NOFIX", 'nofix @"/etc/x y"'), "a file that is read on its own"),
        ("Watch the NOFIX.\n", ("NOFIX", "nofix; curl $X"), "a download or another network command"),
        ("Watch the NOFIX //evil.example/x\n", ("NOFIX ", "nofix https:"), "a URL"),
    ],
)
def test_edit_that_is_harmful_with_its_context_is_refused(body, edit, reason):
    answer = make_draft(("SKILL.md", *edit))
    state, case, _ = run_judged({"draft for ISS-001": answer, "second draft for ISS-001": answer}, body)
    assert reason in get_first_fix(state).reason
    assert case.skill.main.text.endswith(body)


def test_reworded_rule_depends_on_the_review():
    answer = make_draft(("SKILL.md", "Never feed the FIXABLE after dark.", "Feed the fixable gently."))
    answers = {
        "draft for ISS-002": answer,
        "second draft for ISS-002": answer,
        "review": make_review(ISS_002=True, holds=False),
    }
    state, case, _ = run_judged(answers)
    (fix,) = [f for f in state.proposed_fixes if f.issue_ids == ("ISS-002",)]
    assert "the fix changes or removes an instruction that must be kept" in fix.reason
    assert "Never feed the FIXABLE after dark." in case.skill.main.text


def test_instruction_called_a_fault_stays_unless_confirmed_twice():
    reading = make_reading(added=[add_finding("Keep the pond clean.")])
    answer = make_draft(("SKILL.md", "Keep the pond clean.", "When it fails, say so."))
    answers = {"reading": reading, "draft for": answer, "second": answer, "review": make_review(ISS_001=False)}
    state, case, _ = run_judged(answers, "Keep the pond clean.\n")
    assert "ISS-001 is still there" in get_first_fix(state).reason
    assert "Keep the pond clean." in case.skill.main.text


def test_failed_draft_is_redrafted_once_with_the_reasons():
    lossy = make_draft(FIRST_EDIT, ("SKILL.md", "Keep the pond clean.", "Keep it."))
    state, _, judge = run_judged({"draft for ISS-001": lossy, "second draft for ISS-001": make_draft(FIRST_EDIT)})
    assert get_first_fix(state).status is FixStatus.APPLIED
    assert "SKILL.md: the fix loses this sentence: Keep the pond clean." in judge.prompt("second draft for ISS-001")
    assert "replace:\nKeep the pond clean.\nwith:\nKeep it." in judge.prompt("second draft for ISS-001")


def test_declined_draft_is_in_the_report_with_its_reason():
    state, _, judge = run_judged({"draft for ISS-001": make_draft(declined="Only the author knows the nofix.")})
    reason = "the model drafted no fix: Only the author knows the nofix."
    assert (get_first_fix(state).status, get_first_fix(state).reason) == (FixStatus.REFUSED, reason)
    assert f"Why: {get_first_fix(state).id} was refused: {reason}" in render_report(state)
    assert not [q for q in judge.questions if q.name.startswith(("second", "review"))]


def test_finding_with_a_strategy_is_not_drafted():
    _, _, judge = run_judged({}, "A RISKY.\n")
    assert not [q.name for q in judge.questions if "draft" in q.name]


def test_at_most_four_faults_are_drafted_for_the_worst_first():
    reading = [add_finding(f"Pond {n} is green.", problem=f"No line says why pond {n} is green.") for n in range(9)]
    _, _, judge = run_judged(
        {"reading": make_reading(added=reading)}, "".join(f"Pond {n} is green.\n\n" for n in range(9))
    )
    (draft_question,) = [q for q in judge.questions if "draft" in q.name]
    assert len(draft_question.drafts) == 4


def test_equal_findings_of_one_pattern_get_one_draft():
    body = "A NOFIX swims.\n\nA FIXABLE wades.\n\nA NOFIX sleeps.\n\nSee `notes.md`.\n"
    edits = [("SKILL.md", "A NOFIX swims.", "A nofix swims."), ("SKILL.md", "A NOFIX sleeps.", "A nofix sleeps."),
             ("references/notes.md", "A NOFIX eats.", "A nofix eats.")]  # fmt: skip
    reworded = [search for _, search, _ in edits]
    notes = {"references__notes": "A NOFIX eats.\n"}
    state, case, judge = run_judged({"draft for ISS-0": make_draft(*edits, rewords=reworded)}, body, **notes)
    (fix,) = [f for f in state.proposed_fixes if f.status is FixStatus.APPLIED]
    assert len(fix.issue_ids) == 3
    assert not any("NOFIX" in file.text for file in case.skill.files)
    (draft_question,) = [q for q in judge.questions if q.name.startswith("draft")]
    assert [len(ids) for ids in draft_question.drafts] == [3, 1]
    incomplete_draft = make_draft(*edits[:2], rewords=reworded)
    state, case, _ = run_judged({"draft for ISS-0": incomplete_draft, "second": incomplete_draft}, body, **notes)
    (fix,) = [f for f in state.proposed_fixes if len(f.issue_ids) == 3]
    assert "DF-001 is still found, in references/notes.md:1" in fix.reason


def test_draft_question_quotes_a_custom_finding():
    reading = make_reading(
        added=[add_finding("Keep the pond clean.", problem="No line says how often.", harm="It stinks.")]
    )
    _, _, judge = run_judged({"reading": reading}, "Keep the pond clean.\n")
    prompt = judge.prompt("draft for")
    fault = prompt.partition("## The faults")[2].partition("## What else")[0]
    assert (
        fault.index("No line says how often.") < fault.index("It is bad because: It stinks.") < fault.index("In SKILL")
    )
    assert "advises" not in fault
    assert "## Their patterns" not in prompt
    assert "not one after another" in prompt


def test_draft_keeps_windows_line_ends():
    body = "A calm day.\r\n\r\nA NOFIX swims.\r\nIt is loud.\r\n"
    answer = make_draft(("phases/01.md", "A NOFIX swims.\nIt is", "A nofix swims.\nIt is"), rewords=["A NOFIX swims."])
    _, case, _ = run_judged({"draft for": answer}, "Read `phases/01.md`.\n", phases__01=body)
    assert case.skill.by_path["phases/01.md"].text == body.replace("NOFIX", "nofix")


def test_judges_finding_is_fixed_if_the_review_confirms_it():
    reading = make_reading(added=[add_finding("Keep the pond clean.", problem="How often?")])
    added_text = "Keep the pond clean.\n"
    calm = make_draft(("SKILL.md", "Keep the pond clean.", "Keep the pond clean. Rake it each noon."))
    weekly = make_draft(("SKILL.md", "Keep the pond clean.", "Keep the pond clean each noon."))
    outcomes = {}
    for name, answer, review in (
        ("words stay", calm, make_review(ISS_001=True)),
        ("agrees", weekly, make_review(ISS_001=True)),
        ("objects", weekly, make_review(ISS_001=False)),
        (
            "contradicts itself",
            weekly,
            {
                **make_review(),
                "verdicts": [*make_review(ISS_001=True)["verdicts"], *make_review(ISS_001=False)["verdicts"]],
            },
        ),
        ("names another finding", weekly, make_review(ISS_009=True)),
        ("does not answer", weekly, "the server hung up"),
    ):
        state, _, _ = run_judged(
            {"reading": reading, "draft for": answer, "second": answer, "review": review}, added_text
        )
        outcomes[name] = (get_first_fix(state).status, get_first_fix(state).reason or "")
    assert outcomes["agrees"] == outcomes["words stay"] == (FixStatus.APPLIED, "")
    assert "it was not reviewed" in outcomes["does not answer"][1]
    assert "a scripted judge: ISS-001 is still there: I looked." in outcomes["objects"][1]
    assert "a scripted judge: ISS-001 is still there: I looked." in outcomes["contradicts itself"][1]
    assert "a scripted judge: the review does not say whether ISS-001 is gone" in outcomes["names another finding"][1]
    assert {name for name, (status, _) in outcomes.items() if status is FixStatus.REFUSED} == {
        "objects", "contradicts itself", "names another finding", "does not answer"
    }  # fmt: skip


def test_fix_without_a_model_creates_no_file(monkeypatch):
    files_of_fix = {"SKILL.md": SKILL_HEADER + "See `pond.md` for it.\n", "pond.md": "A grey RISKY waits.\n"}
    move = make_strategy("move_risky", lambda line, case: files_of_fix, fixes=("CTX-002",))
    install_catalogue(monkeypatch, [make_model_pattern("CTX-002", "RISKY", "move_risky")], [move])
    reading = make_reading(added=[add_finding("A grey RISKY waits.", pattern="CTX-002")])
    state, _, _ = run_judged({"reading": reading, "review": "the server hung up"}, "A grey RISKY waits.\n")
    reasons = [f.reason or "" for f in state.proposed_fixes if f.strategy == "move_risky"]
    assert reasons == ["pond.md: the fix adds this: A grey RISKY waits."]


def test_fix_of_a_strategy_does_not_hide_a_read_finding():
    reading = make_reading(added=[add_finding("A RISKY rests")])
    state, _, judge = run_judged({"reading": reading, "draft": "no answer"}, "A RISKY rests.\n")
    (fix,) = [f for f in state.proposed_fixes if f.strategy == "correct_risky"]
    assert (fix.status, fix.review) == (FixStatus.APPLIED, None)
    assert not [q for q in judge.questions if q.name.startswith("review")], (
        "another finding on the line needs no question"
    )
    assert {i.id: i.status for i in state.issues} == {"ISS-001": IssueStatus.RESOLVED, "ISS-002": IssueStatus.OPEN}


def test_waiting_draft_stays_while_its_text_is_unchanged():
    case = make_case(BODY)
    judge = ScriptedJudge({"reading": make_reading(), "draft for ISS-001": make_draft(FIRST_EDIT)})
    state, _ = run_in_memory(case, judge, options=Options(apply="none", judge="sdk"))
    second_proposal = propose(replace(state, iteration_count=2), case, make_tools())
    assert [f.status for f in second_proposal.state.proposed_fixes if f.issue_ids == ("ISS-001",)] == [
        FixStatus.PROPOSED
    ]
    edited_case = make_case(BODY.replace("Watch the NOFIX", "Look at the NOFIX"))
    proposal_for_edited = propose(replace(state, iteration_count=2), edited_case, make_tools())
    assert [f.status for f in proposal_for_edited.state.proposed_fixes if f.issue_ids == ("ISS-001",)] == [
        FixStatus.REFUSED
    ]


def test_draft_that_only_silences_a_pattern_is_refused():
    answers = {
        "draft for": make_draft(FIRST_EDIT),
        "second": make_draft(FIRST_EDIT),
        "review": make_review(ISS_001=False),
    }
    state, case, judge = run_judged(answers)
    assert "a scripted judge: ISS-001 is still there: I looked." in get_first_fix(state).reason
    change = judge.prompt("review for ISS-001").split("The change, as a diff:")[1]
    assert ("-Watch the NOFIX." in change, "+Watch the calm nofix for 5 minutes." in change) == (True, True)
    assert "NOFIX" in case.skill.main.text
    state_after, _, _ = run_judged({"draft for": make_draft(FIRST_EDIT)})
    assert state.quality_score < state_after.quality_score


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Counts birds on a shore.", "Counts birds on a shore, one by one.", None),
        ("name: plover", "name: nofix", "only the description may change in the frontmatter"),
        ("to be counted.\n", "to be counted.\nallowed-tools: Bash\n", "only the description may change"),
        (
            "Counts birds",
            "Counts: birds",
            "only the description may change in the frontmatter, which must stay valid YAML",
        ),
        (SKILL_HEADER.split("\n")[2] + "\n", "", "only the description may change in the frontmatter"),
    ],
    ids=["the description", "another key", "a new key", "invalid YAML", "no description"],
)
def test_draft_changes_the_description_only_for_a_fault_there(monkeypatch, old, new, reason):
    pattern = make_model_pattern("SPEC-003", "the description says not when", "describe_occasion", family=Family.SPEC)
    install_catalogue(monkeypatch, [pattern], [])
    reading = make_reading(added=[add_finding("Counts birds on a shore.", pattern="SPEC-003")])
    line = SKILL_HEADER.split("\n")[1 if "name" in old else 2]
    answer = make_draft(("SKILL.md", old, new), rewords=[line])
    answers = {"reading": reading, "draft for": answer, "second draft for": answer}
    state, case, judge = run_judged(answers)
    assert ("Of the frontmatter only the description changes" in judge.prompt("draft for ISS-001")) is True
    assert (reason or "") in (get_first_fix(state).reason or "")
    assert case.skill.main.text == (SKILL_HEADER + BODY if reason else (SKILL_HEADER + BODY).replace(old, new))


def test_other_resolved_findings_are_reviewed():
    body = "Watch the NOFIX. It is loud, says the FIXABLE.\n"
    draft_of_two = make_draft(("SKILL.md", body.strip(), "Watch the nofix. It is loud."), removes=["It is loud, says the FIXABLE."],
                 rewords=["Watch the NOFIX."])  # fmt: skip
    answers = {
        "draft for ISS-001": draft_of_two,
        "second draft for ISS-001": draft_of_two,
        "review": make_review(ISS_001=True, ISS_002=False),
    }
    state, _, judge = run_judged(answers, body)
    assert judge.prompt("review for ISS-001, ISS-002")
    assert "ISS-002 is still there" in get_first_fix(state).reason


def test_draft_question_shows_skill_page_and_other_findings():
    _, _, judge = run_judged({"draft for ISS-001": make_draft(FIRST_EDIT)}, notes="The pond is deep.\n")
    prompt = judge.prompt("draft for ISS-001")
    assert "The pond is deep." in prompt
    assert "do not ask for something else: Fix it." in prompt
    assert "### ISS-002" in prompt, "each fault of the file is drafted in the same question"
    assert prompt.startswith(judge.prompt("reading")[:500])


def test_omission_is_fixed_although_the_quote_stays():
    reading = {"reading": make_reading(added=[add_finding("Keep the pond clean.", problem="How often?")])}
    draft_that_adds = make_draft(
        ("SKILL.md", "Keep the pond clean.", "Keep the pond clean. Rake it at noon."), removes=["none"]
    )
    state, case, _ = run_judged({**reading, "draft for": draft_that_adds}, "Keep the pond clean.\n")
    assert [issue.status for issue in state.issues] == [IssueStatus.RESOLVED]
    assert state.quality_score == 100
    issues_after_rollback = roll_back_all_fixes(
        state, case.with_skill(case.skill.with_files({"SKILL.md": (SKILL_HEADER + "Keep the pond clean.\n").encode()}))
    )
    assert [issue.status for issue in issues_after_rollback] == [IssueStatus.OPEN]


def roll_back_all_fixes(state, case):
    """Return the issues of a run after all of its fixes were rolled back."""
    issues_after_rollback = mark_rolled_back(state, {fix.id for fix in state.proposed_fixes}, ())
    return measure_again(issues_after_rollback, case).issues
