"""Test a whole run with a judge, from the first round to the report."""

from html import escape

import pytest
from msgspec.structs import replace

from actions.reporting.report import render_html, render_report
from actions.review.verdicts import apply_verdict, carry_over_verdicts, list_vanished_issues
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from actions.skill.settings import Exemption, Settings
from actions.steps.diagnose import begin_round
from actions.steps.outcome import Tools
from actions.steps.record_rollback import mark_rolled_back, measure_again
from orchestrator.cli.output.formats.sarif import Subject, build_log
from orchestrator.cli.output.run_result import _format_findings, _format_summary
from schemas.options import Options
from schemas.records import State
from schemas.vocabulary import Family, FixStatus, Gate, IssueStatus, Phase, Status
from templates.filters import prose
from tests.fakes import NOW, install_catalogue, make_case, make_model_pattern, make_pattern, make_strategy, replace_word
from tests.judges import (
    ScriptedJudge,
    add_finding,
    approve_fix,
    confirm_finding,
    make_reading,
    make_review,
    reject_finding,
    run_in_memory,
)

BODY = "A tall FIXABLE wades.\n\nA grey RISKY waits.\n\nThe keeper feeds each bird at noon.\n"
QUOTE = "The keeper feeds each bird"


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install_catalogue(
        monkeypatch,
        [
            make_pattern("CTX-001", "FIXABLE", "correct_fixable", family=Family.CONTEXT),
            make_model_pattern("CTX-002", "RISKY", "correct_risky"),
        ],
        [
            make_strategy("correct_fixable", replace_word("FIXABLE", "fixable")),
            make_strategy("correct_risky", replace_word("RISKY", "risky")),
        ],
    )


def find_known_issues(body=BODY):
    """Return the issues of an earlier question: a check found ISS-001, and a model found ISS-002."""
    judge = ScriptedJudge({"reading": make_reading(added=[add_finding("A grey RISKY waits.", pattern="CTX-002")])})
    return begin_diagnosis(make_case(body), judge).issues


def map_by_pattern(state):
    return {issue.pattern: issue for issue in state.issues}


def test_rejected_finding_is_not_fixed_and_shown_as_rejected():
    judge = ScriptedJudge(
        {"reading": make_reading(confirm_finding("ISS-001"), reject_finding("ISS-002", QUOTE, reason="It is fed."))}
    )
    state, case = run_in_memory(make_case(BODY), judge, issues=find_known_issues())
    issues_by_pattern = map_by_pattern(state)
    assert (issues_by_pattern["CTX-001"].status, issues_by_pattern["CTX-002"].status) == (
        IssueStatus.RESOLVED,
        IssueStatus.REJECTED,
    )
    assert [fix.strategy for fix in state.proposed_fixes] == ["correct_fixable"]
    assert "RISKY" in case.skill.main.text
    assert (state.quality_score, state.judge) == (100, "a scripted judge")
    assert (state.cost.queries, state.cost.tokens, state.cost.usd) == (1, 500, 0.002)
    text = render_report(state).replace("\\", "")
    assert "| rejected, not counted |" in text
    assert "Rejected by a scripted judge: ISS-002 CTX-002, which no longer counts. It is fed. [SKILL.md:" in text
    assert "  - Quoted from `SKILL.md:10`: “A grey RISKY waits.”" in text.partition("Rejected by")[2]
    assert "Added ISS-002" not in text
    assert (
        "a scripted judge rejects ISS-002; if these findings counted, the score would be 92 and the quality gate pass"
        in text.split("## ")[0]
    )
    assert "1 query to a scripted judge: 500 tokens, 0.0020 USD." in text
    assert " a model and w" not in text
    assert build_log("1", {}, [Subject("S", "", state.issues)])["runs"][0]["results"] == []


def test_disputed_finding_stays_open_with_the_objection():
    judge = ScriptedJudge({"reading": make_reading(reject_finding("ISS-001", QUOTE, reason="Cranes are calm."))})
    state, _ = run_in_memory(make_case(BODY), judge, options=Options(apply="none", judge="sdk"))
    assert state.issues_by_severity.high == 1
    text = render_report(state).replace("\\", "")
    assert "| open, disputed |" in text
    assert "Disputed ISS-001 CTX-001, which still counts" in text
    assert "Cranes are calm." in text


def test_added_finding_counts_and_names_its_judge():
    hostile_quote = "<b>The *keeper* | feeds"
    addition = add_finding(hostile_quote, problem="No line says **what** it feeds.", harm="The birds starve.")
    judge = ScriptedJudge({"reading": make_reading(added=[addition])})
    state, _ = run_in_memory(make_case("<b>The *keeper* | feeds each bird at noon.\n"), judge)
    (issue,) = state.issues
    assert (issue.source, issue.status, state.quality_score) == ("sdk", IssueStatus.OPEN, 92)
    text = render_report(state)
    assert "| high | read by a scripted judge | open, confirmed |" in text
    assert r"No line says \*\*what\*\* it feeds." in text
    lines_of_finding = text.partition("- Added ISS-001 (custom, high): ")[2].splitlines()[:3]
    assert lines_of_finding == [
        r"No line says \*\*what\*\* it feeds.", f"  - Quoted from `SKILL.md:8`: “{prose(hostile_quote)}”", "  - Harm: The birds starve."
    ]  # fmt: skip
    page = render_html(state)
    assert f"<q>{escape(hostile_quote)}</q>" in page
    assert "<p>Harm: The birds starve.</p>" in page
    assert "2 queries to a scripted judge: 1,000 tokens, 0.0040 USD." in text
    without_cost = replace(state, cost=replace(state.cost, tokens=0, usd=0.0))
    assert "2 queries to a scripted judge: paid by the client, amount unknown." in render_report(without_cost)


def test_judge_without_an_answer_changes_only_the_gate():
    state_without_answer, _ = run_in_memory(make_case(BODY), ScriptedJudge({"": "the server hung up"}))
    state_without_judge, _ = run_in_memory(make_case(BODY), None)
    assert [replace(i, verdict=None) for i in state_without_answer.issues] == list(state_without_judge.issues)
    assert state_without_answer.quality_score == state_without_judge.quality_score
    assert (state_without_answer.quality_gate, state_without_judge.quality_gate) == (Gate.REVIEW, Gate.PASS)
    assert [n for n in state_without_answer.notes if "the server hung up" in n]
    assert state_without_judge.judge is None
    command = "`tune-skill run SKILL --judge auto`"
    assert f"- 1 pattern needs a model and was not checked. To check it: {command}" in render_report(
        state_without_judge
    )
    assert "not checked: the model did not answer every question" in render_report(state_without_answer)


def test_verdict_ends_when_its_line_is_edited():
    case = make_case(BODY)
    judge = ScriptedJudge({"reading": make_reading(confirm_finding("ISS-001"), reject_finding("ISS-002", QUOTE))})
    old = begin_diagnosis(case, judge, issues=find_known_issues()).issues
    moved_down = make_case("One more line.\n\n" + BODY)
    edited_case = make_case(BODY.replace("wades", "wades deep").replace("waits", "waits for prey"))
    moved_issues, edited_issues = (
        carry_over_verdicts(make_issues(scan(changed_case), old), old, changed_case.skill)
        for changed_case in (moved_down, edited_case)
    )
    assert {i.pattern: i.status for i in moved_issues} == {"CTX-001": IssueStatus.OPEN, "CTX-002": IssueStatus.REJECTED}
    assert moved_issues[0].verdict == old[0].verdict
    assert [(i.pattern, i.verdict) for i in edited_issues] == [("CTX-001", None)]


def begin_diagnosis(case, judge, **fields):
    state = State(phase=Phase.DIAGNOSIS, status=Status.RUNNING, options=Options(judge="sdk"), **fields)
    return begin_round(state, case, Tools(lambda: NOW, lambda: 0.0, judge=judge)).state


def test_rejection_ends_when_a_session_shows_the_finding():
    case = make_case(BODY)
    judge = ScriptedJudge({"reading": make_reading(reject_finding("ISS-002", QUOTE))})
    (rejected_issue,) = [
        i for i in begin_diagnosis(case, judge, issues=find_known_issues()).issues if i.status is IssueStatus.REJECTED
    ]
    assert apply_verdict(replace(rejected_issue, sessions=1)).status is IssueStatus.OPEN


def test_later_round_asks_only_about_new_findings():
    case = make_case(BODY)
    reading = make_reading(confirm_finding("ISS-001"))
    first = begin_diagnosis(case, ScriptedJudge({"reading": reading}))
    second_judge = ScriptedJudge({"reading": reading})
    begin_diagnosis(case, second_judge, issues=first.issues, iteration_count=1)
    assert second_judge.questions == []
    edited_case = make_case(BODY.replace("wades", "wades deep"))
    begin_diagnosis(edited_case, second_judge, issues=first.issues, iteration_count=1)
    assert [q.name for q in second_judge.questions] == ["reading"]


def test_added_finding_moves_with_its_quote():
    case = make_case(BODY)
    old = begin_diagnosis(case, ScriptedJudge({"reading": make_reading(added=[add_finding(QUOTE)])})).issues
    moved_down = make_case("One more line.\n\n" + BODY)
    (addition,) = [
        i for i in carry_over_verdicts(make_issues(scan(moved_down), old), old, moved_down.skill) if i.source == "sdk"
    ]
    assert addition.location.line_start == 14
    without_quote = make_case(BODY.replace(QUOTE, "No one feeds a bird"))
    assert [i.source for i in carry_over_verdicts(make_issues(scan(without_quote), old), old, without_quote.skill)] == [
        "parser"
    ]
    assert [i.pattern for i in list_vanished_issues(old, without_quote.skill)] == ["custom"]


def test_rejected_finding_reopens_when_confirmed():
    case = make_case(BODY)
    first = begin_diagnosis(
        case, ScriptedJudge({"reading": make_reading(reject_finding("ISS-002", QUOTE))}), issues=find_known_issues()
    )
    second = begin_diagnosis(
        case, ScriptedJudge({"reading": make_reading(confirm_finding("ISS-002"))}), issues=first.issues
    )
    assert map_by_pattern(first)["CTX-002"].status is IssueStatus.REJECTED
    assert map_by_pattern(second)["CTX-002"].status is IssueStatus.OPEN
    third = begin_diagnosis(case, ScriptedJudge(), issues=first.issues)
    assert map_by_pattern(third)["CTX-002"].status is IssueStatus.REJECTED


def test_rollback_keeps_the_verdicts():
    judge = ScriptedJudge({"reading": make_reading(reject_finding("ISS-002", QUOTE), added=[add_finding(QUOTE)])})
    before = make_case(BODY)
    state, _ = run_in_memory(before, judge, issues=find_known_issues())
    assert [f.status for f in state.proposed_fixes if f.strategy == "correct_fixable"] == [FixStatus.APPLIED]
    state = mark_rolled_back(state, ["FIX-001"])
    state = measure_again(state, before)
    assert {i.pattern: i.status for i in state.issues} == {
        "CTX-001": IssueStatus.OPEN, "CTX-002": IssueStatus.REJECTED, "custom": IssueStatus.OPEN
    }  # fmt: skip
    assert state.quality_gate is Gate.PASS


def test_focus_limits_the_questions():
    judge = ScriptedJudge()
    begin_diagnosis(make_case(BODY), judge, focus_areas=("memory", "docs"))
    assert [q.name for q in judge.questions] == ["reading"]
    assert "The user asked only about this: " in judge.prompt("reading")
    assert {id.partition("-")[0] for id in judge.questions[0].pattern_ids} <= {"MEM", "DOC", "SPEC", "PRJ", "custom"}


def test_suppression_of_an_added_finding_is_used():
    body = "<!-- tune-skill: ignore CTX-002 it is tame -->\nThe keeper feeds each bird at noon.\n"
    judge = ScriptedJudge({"reading": make_reading(added=[add_finding(QUOTE, pattern="CTX-002")])})
    state, _ = run_in_memory(make_case(body), judge)
    assert [i.status for i in state.issues] == [IssueStatus.SUPPRESSED]
    assert not [n for n in state.notes if "unused suppression" in n]
    state_without_judge, _ = run_in_memory(make_case(body), None)
    assert not [n for n in state_without_judge.notes if "unused suppression" in n], (
        "unasked patterns have no unused suppressions"
    )


def test_per_file_ignore_of_an_added_finding_is_used():
    exemptions = (Exemption("tune-skill.toml", "*.md", ("CTX-002", "MEM")),)
    case = replace(make_case("The keeper feeds each bird at noon.\n"), settings=Settings(exemptions=exemptions))
    judge = ScriptedJudge({"reading": make_reading(added=[add_finding(QUOTE, pattern="CTX-002")])})
    state, _ = run_in_memory(case, judge)
    assert [i.status for i in state.issues] == [IssueStatus.SUPPRESSED]
    assert not [n for n in state.notes if "unused suppression" in n and "CTX-002" in n]
    assert [n for n in state.notes if "unused suppression" in n and "MEM" in n]


def test_added_finding_is_fixed_when_its_words_are_gone():
    edited_case = make_case(BODY.replace("A grey RISKY waits.", "Rain falls."))
    state, _ = run_in_memory(edited_case, None, issues=find_known_issues())
    assert {i.pattern: i.status for i in state.issues}["CTX-002"] is IssueStatus.RESOLVED


@pytest.mark.parametrize("quote", ["export BIRD_TOKEN=q7Zp2Lx9Vb4Kt8", "BIRD_TOKEN=q7Zp2Lx9Vb4Kt8 before"])
def test_model_finding_at_a_secret_withholds_it_and_stays_at_its_line(quote):
    body = "Count the birds.\n\nRun `export BIRD_TOKEN=q7Zp2Lx9Vb4Kt8 before` it.\n"
    problem = "It shows BIRD_TOKEN=q7Zp2Lx9Vb4Kt8 in SKILL.md:8."
    added = add_finding(quote, problem=problem, harm="password: q7Zp2Lx9Vb4Kt8", pattern="CTX-002")
    issues = begin_diagnosis(make_case(body), ScriptedJudge({"reading": make_reading(added=[added])})).issues
    assert "q7Zp2Lx9Vb4Kt8" not in str(issues)
    moved = make_case(f"A heron waits.\n\n{body}")
    (issue,) = carry_over_verdicts(make_issues(scan(moved), issues), issues, moved.skill)
    assert issue.location.line_start == issues[0].location.line_start + 2


@pytest.mark.parametrize(
    ("answer", "status", "issue"),
    [
        (approve_fix, FixStatus.APPLIED, IssueStatus.RESOLVED),
        (
            lambda question: make_review(**{question.ids[0].replace("-", "_"): False}),
            FixStatus.ROLLED_BACK,
            IssueStatus.OPEN,
        ),
        ("the server hung up", FixStatus.ROLLED_BACK, IssueStatus.OPEN),
    ],
    ids=["confirmed", "still there", "no review"],
)
def test_added_finding_is_fixed_if_a_review_confirms_it(monkeypatch, answer, status, issue):
    strategy_of_added = make_strategy(
        "correct_risky", replace_word("risky waits.", "risky waits for the keeper."), fixes=("CTX-002",)
    )
    install_catalogue(monkeypatch, [make_model_pattern("CTX-002", "risky", "correct_risky")], [strategy_of_added])
    addition = make_reading(added=[add_finding("A grey risky", pattern="CTX-002")])
    judge = ScriptedJudge({"reading": addition, "review": answer})
    state, case = run_in_memory(make_case(BODY.replace("RISKY", "risky")), judge)
    assert [(fix.strategy, fix.status) for fix in state.proposed_fixes][:1] == [("correct_risky", status)]
    assert map_by_pattern(state)["CTX-002"].status is issue
    assert ("for the keeper" in case.skill.main.text) is (status is FixStatus.APPLIED)


def test_unasked_patterns_are_counted_without_ignored_ones():
    case = make_case(BODY)
    assert begin_diagnosis(case, None).unasked == 1
    assert begin_diagnosis(case, ScriptedJudge({"reading": make_reading()})).unasked == 0
    assert begin_diagnosis(case, None, focus_areas=("memory",)).unasked == 0
    assert begin_diagnosis(replace(case, settings=Settings(ignore=("CTX-002",))), None).unasked == 0


@pytest.mark.parametrize(
    ("judge", "gate", "result"),
    [
        (None, Gate.PASS, "Nothing found."),
        (ScriptedJudge({"reading": make_reading()}), Gate.PASS, "Nothing found."),
        (ScriptedJudge({"reading": "no USD are left"}), Gate.REVIEW, "Nothing found, but not everything was checked."),
    ],
)
def test_run_passes_only_if_its_judge_answers(judge, gate, result):
    state, _ = run_in_memory(make_case("A heron waits.\n"), judge)
    lines = [*_format_findings(state, ""), *_format_summary(state)]
    assert (state.phase, state.quality_score, state.quality_gate) == (Phase.COMPLETED, 100, gate)
    assert lines[0] == result
    assert ("so the gate is not pass" in " ".join(lines)) is (gate is Gate.REVIEW)
    assert ("the model did not read all of it" in render_report(state)) is (gate is Gate.REVIEW)
    assert measure_again(state, make_case("A heron waits.\n")).quality_gate is gate


def test_run_that_requires_a_model_does_not_pass_without_one():
    required, _ = run_in_memory(make_case("A heron waits.\n"), None, options=Options(judge="sdk"))
    optional, _ = run_in_memory(make_case("A heron waits.\n"), None, options=Options(judge="auto"))
    assert (required.quality_gate, optional.quality_gate) == (Gate.REVIEW, Gate.PASS)
    assert required.unasked == optional.unasked > 0


def test_run_does_not_pass_if_a_part_is_unread():
    pages = {f"references/{name}.md": "Fill the pond.\n" * 1200 for name in "abcd"}
    case = make_case("".join(f"See [it]({path}).\n\n" for path in pages) + "A heron waits.\n", **pages)
    reading = make_reading()
    silent = ScriptedJudge({"reading of part 2": "no USD are left", "": reading})
    state, _ = run_in_memory(case, silent, options=Options(judge="sdk", apply="none"))
    assert (state.quality_gate, state.unasked) == (Gate.REVIEW, 1)
    assert any("did not answer (reading of part 2 of 4): no USD are left" in note for note in state.notes)
    complete, _ = run_in_memory(case, ScriptedJudge({"": reading}), options=Options(judge="sdk", apply="none"))
    assert (complete.quality_gate, complete.unasked) == (Gate.PASS, 0)


def test_judge_that_is_silent_after_its_first_reading_leaves_no_pattern_unasked():
    case, silent = make_case(BODY), ScriptedJudge({"reading": "no USD are left"})
    state = begin_diagnosis(case, ScriptedJudge({"reading": make_reading()}))
    again = begin_round(state, case, Tools(lambda: NOW, lambda: 0.0, judge=silent)).state
    assert silent.questions
    assert (again.iteration_count, again.unasked) == (2, 0)
