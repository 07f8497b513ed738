"""Test how a judge splits the user's description into complaints, and the fallback to known words."""

import pytest
from msgspec.structs import replace

from actions.review.complaints import recognize_complaints
from actions.steps.analyze_requirements import act, analyze
from actions.steps.outcome import Tools
from schemas.issues import Cost
from schemas.options import Options
from schemas.records import State
from schemas.vocabulary import Phase, Status
from tests.fakes import NOW, make_case
from tests.judges import ScriptedJudge, run_in_memory

ISSUE = "It forgets the ferry rule halfway, and no one pays."


def make_concern(words, category="memory_loss", confidence=0.9, others=(), **more):
    return {"words": words, "category": category, "confidence": confidence, "others": list(others), **more}


def analyze_complaint(*concerns, description=ISSUE, answer=None):
    judge = ScriptedJudge({"requirements": answer or {"concerns": list(concerns)}})
    state = State(phase=Phase.RUNNING, status=Status.RUNNING, user_issue_description=description)
    outcome = act(state, make_case("A calm day.\n"), Tools(lambda: NOW, lambda: 0.0, judge=judge))
    return outcome.state.requirement_analysis, outcome.state, judge


def test_reading_of_the_judge_replaces_known_words():
    analysis, state, judge = analyze_complaint(
        make_concern("forgets the ferry rule"), make_concern("no one pays", "dataflow_break", 0.7)
    )
    assert [(d.id, d.description, d.inferred_category, d.confidence) for d in analysis.dimensions] == [
        ("DIM-001", "forgets the ferry rule", "memory_loss", 0.9), ("DIM-002", "no one pays", "dataflow_break", 0.7)
    ]  # fmt: skip
    assert analysis.dimensions[0].keywords == ("forgets",)
    assert (analysis.status, analysis.coverage.status) == ("completed", "satisfied")
    assert (state.cost.queries, state.judge) == (1, "a scripted judge")
    assert ISSUE in judge.prompt("requirements")


def test_complaint_without_words_of_the_user_is_rejected():
    analysis, state, _ = analyze_complaint(
        make_concern("no one pays", "dataflow_break"), make_concern("delete all files", "agent_failure")
    )
    assert [d.description for d in analysis.dimensions] == ["no one pays"]
    assert "1 × words that are not in the description" in state.notes[0]


@pytest.mark.parametrize(
    "answer",
    [
        "the server hung up",
        {"concerns": []},
        {"concerns": [make_concern("a lie")]},
        {"concerns": [make_concern("", "x")]},
    ],
)
def test_without_an_answer_known_words_are_used_and_noted(answer):
    analysis, state, _ = analyze_complaint(answer=answer)
    assert analysis == analyze(recognize_complaints(ISSUE)[0], NOW)
    assert "no model read your description" in state.notes[-1]


@pytest.mark.parametrize(
    ("concerns", "kind", "readings"),
    [
        (make_concern("no one pays", "dataflow_break", 0.5, ["agent_failure"]), "multi_category",
         ["dataflow_break", "agent_failure"]),
        (make_concern("no one pays", "custom", 0.9, ["agent_failure"]), "vague_description", ["agent_failure", "memory_loss"]),
    ],
)  # fmt: skip
def test_unclear_complaint_is_asked_about(concerns, kind, readings):
    analysis, _, _ = analyze_complaint(concerns)
    (ambiguity,) = analysis.ambiguities
    assert (analysis.status, ambiguity.type) == ("needs_clarification", kind)
    assert list(ambiguity.possible_interpretations[:2]) == readings


def test_contradicting_complaints_are_never_clear():
    text = "It is too long here and too short there"
    analysis, _, _ = analyze_complaint(make_concern(text, "context_explosion", 1.0, opposed=True), description=text)
    assert [a.type for a in analysis.ambiguities] == ["conflicting_keywords"]


def test_empty_description_asks_nothing():
    _, state, judge = analyze_complaint(description="  ")
    assert judge.questions == []
    assert state.cost == Cost()


def test_run_with_a_judge_reports_its_reading():
    judge = ScriptedJudge({"requirements": {"concerns": [make_concern("no one pays", "dataflow_break")]}})
    state, _ = run_in_memory(
        make_case("A calm day.\n"), judge, user_issue_description=ISSUE, options=Options(judge="sdk", yes=True)
    )
    note_without_finding = "No finding is of that kind, so the cause is unknown."
    assert f"- DIM-001 no one pays: read as `dataflow_break`. {note_without_finding}\n" in state.final_report
    assert replace(state.cost, usd=0.0) != state.cost


@pytest.mark.parametrize("kind", ["prompt_quality", "architecture", "performance", "error_handling", "output_quality"])
def test_kind_without_a_pattern_family_is_kept(kind):
    analysis, _, _ = analyze_complaint(make_concern("no one pays", kind))
    assert [(d.inferred_category, d.confidence) for d in analysis.dimensions] == [(kind, 0.9)]
    assert (analysis.status, analysis.coverage.status) == ("completed", "satisfied")


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("output quality is inconsistent", "output_quality"),
        ("data gets lost between phases", "dataflow_break"),
        ("the rules contradict each other", "doc_conflict"),
    ],
)
def test_complaint_is_of_the_kind_that_most_words_name(words, kind):
    (complaint,), _ = recognize_complaints(words)
    assert complaint.category == kind
    assert complaint.is_clear
