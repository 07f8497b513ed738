"""Test stopping a session with a judge: it is asked first, must quote its evidence, and may fail."""

import asyncio

from actions.session.answer import Answer, Verdict
from actions.session.transcript import Quote
from orchestrator.guard.compat.steering import PowerSteeringChecker, analyze_consideration
from orchestrator.guard.steering import evaluate
from tests.orchestrator.guard.steering.test_checker import FINISHED_SESSION, SESSION_WITH_OPEN_TODO


class ScriptedSessionJudge:
    """A judge with fixed answers."""

    def __init__(self, **answers):
        self.answers, self.asked_ids = answers, []

    def answer(self, transcript, considerations):
        self.asked_ids += [consideration.id for consideration in considerations]
        return self.answers


def test_judge_answers_before_the_records(tmp_path):
    judge = ScriptedSessionJudge(todos_complete=Answer(Verdict.SATISFIED, "the item was done on the way"))
    result = PowerSteeringChecker(tmp_path, judge).check(SESSION_WITH_OPEN_TODO, "s1")
    assert result.decision == "approve"
    unknown_results = [r for r in result.considerations if r.satisfied is None]
    assert result.analysis.sources == {"sdk": 1, "heuristic": 24 - len(unknown_results), "none": len(unknown_results)}
    assert {"next_steps", "objective_completion"} <= {r.id for r in unknown_results}
    assert "unknown" in result.summary
    assert "compaction_handling" in judge.asked_ids
    assert "investigation_docs" not in judge.asked_ids


def test_judges_verdict_without_a_true_quote_is_dropped(tmp_path):
    true_quote, invented_quote = Quote(0, "Fix the sum."), Quote(0, "Fix the roof.")
    for quote, decision in ((true_quote, "block"), (invented_quote, "approve")):
        judge = ScriptedSessionJudge(objective_completion=Answer(Verdict.VIOLATED, "not fixed", (quote,)))
        assert PowerSteeringChecker(tmp_path, judge).check(FINISHED_SESSION, "s1").decision == decision


def test_failing_judge_is_replaced_by_the_records(tmp_path, monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")

    class FailingJudge:
        def answer(self, transcript, considerations):
            raise TimeoutError

    result = PowerSteeringChecker(tmp_path, FailingJudge()).check(SESSION_WITH_OPEN_TODO, "s1")
    assert result.reasons == ["todos_complete"]
    assert result.analysis.sources["sdk"] == 0


def test_analyze_consideration_checks_one_alone(tmp_path):
    consideration = {"id": "todos_complete", "question": "Are all done?"}
    assert asyncio.run(analyze_consideration(SESSION_WITH_OPEN_TODO, consideration, tmp_path)) is False
    assert asyncio.run(analyze_consideration(FINISHED_SESSION, consideration, tmp_path)) is True
    judge = ScriptedSessionJudge(todos_complete=Answer(Verdict.SATISFIED, "yes"))
    assert asyncio.run(analyze_consideration(SESSION_WITH_OPEN_TODO, consideration, tmp_path, judge)) is True
    assert asyncio.run(analyze_consideration(SESSION_WITH_OPEN_TODO, {"id": "weather"}, tmp_path)) is True


def test_endless_checker_leaves_the_answers_unknown(tmp_path, monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    monkeypatch.setattr(evaluate, "RECORDS_SECONDS", 0.5)
    checked_ids = []

    def loop_forever(session):
        checked_ids.append(1)
        while True:
            pass

    monkeypatch.setattr("actions.patterns.session.todos_complete.check", loop_forever)
    result = PowerSteeringChecker(tmp_path).check(SESSION_WITH_OPEN_TODO, "s1")
    assert (result.decision, checked_ids) == ("approve", [1])
    reasons = {consideration.id: consideration.reason for consideration in result.considerations}
    assert reasons["todos_complete"] == "the checker failed: TimeoutError"
