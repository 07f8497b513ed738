"""Test stopping a session with a judge: it is asked first, must quote its evidence, and may fail."""

import asyncio

from actions.session.answer import Answer, Verdict
from actions.session.transcript import Quote
from orchestrator.guard.compat.steering import PowerSteeringChecker, analyze_consideration
from orchestrator.guard.steering import evaluate
from tests.orchestrator.guard.steering.test_checker import DONE, OPEN


class Scripted:
    """A judge with fixed answers."""

    def __init__(self, **answers):
        self.given, self.asked = answers, []

    def answer(self, transcript, asked):
        self.asked += [one.id for one in asked]
        return self.given


def test_the_judge_is_asked_before_the_records(tmp_path):
    judge = Scripted(todos_complete=Answer(Verdict.SATISFIED, "the item was done on the way"))
    result = PowerSteeringChecker(tmp_path, judge).check(OPEN, "s1")
    assert result.decision == "approve"
    unknown = [r for r in result.considerations if r.satisfied is None]
    assert result.analysis.sources == {"sdk": 1, "heuristic": 24 - len(unknown), "none": len(unknown)}
    assert {"next_steps", "objective_completion"} <= {r.id for r in unknown}
    assert "unknown" in result.summary
    assert "compaction_handling" in judge.asked
    assert "investigation_docs" not in judge.asked


def test_a_judges_verdict_without_a_true_quote_is_dropped(tmp_path):
    true, false = Quote(0, "Fix the sum."), Quote(0, "Fix the roof.")
    for quote, decision in ((true, "block"), (false, "approve")):
        judge = Scripted(objective_completion=Answer(Verdict.VIOLATED, "not fixed", (quote,)))
        assert PowerSteeringChecker(tmp_path, judge).check(DONE, "s1").decision == decision


def test_a_failing_judge_is_replaced_by_the_records(tmp_path, monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")

    class Broken:
        def answer(self, transcript, asked):
            raise TimeoutError

    result = PowerSteeringChecker(tmp_path, Broken()).check(OPEN, "s1")
    assert result.reasons == ["todos_complete"]
    assert result.analysis.sources["sdk"] == 0


def test_analyze_consideration_checks_one_alone(tmp_path):
    one = {"id": "todos_complete", "question": "Are all done?"}
    assert asyncio.run(analyze_consideration(OPEN, one, tmp_path)) is False
    assert asyncio.run(analyze_consideration(DONE, one, tmp_path)) is True
    judge = Scripted(todos_complete=Answer(Verdict.SATISFIED, "yes"))
    assert asyncio.run(analyze_consideration(OPEN, one, tmp_path, judge)) is True
    assert asyncio.run(analyze_consideration(OPEN, {"id": "weather"}, tmp_path)) is True


def test_endless_checker_leaves_the_answers_unknown(tmp_path, monkeypatch):
    monkeypatch.delenv("TUNE_SKILL_STRICT")
    monkeypatch.setattr(evaluate, "RECORDS_SECONDS", 0.5)
    checked = []

    def endless(session):
        checked.append(1)
        while True:
            pass

    monkeypatch.setattr("actions.patterns.session.todos_complete.check", endless)
    result = PowerSteeringChecker(tmp_path).check(OPEN, "s1")
    assert (result.decision, checked) == ("approve", [1])
    reasons = {one.id: one.reason for one in result.considerations}
    assert reasons["todos_complete"] == "the checker failed: TimeoutError"
