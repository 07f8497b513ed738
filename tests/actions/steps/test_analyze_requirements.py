"""Test the analysis of a complaint by keywords: English and Chinese, ambiguity, coverage, answers."""

import pytest

from actions.fixes.strategies import DRAFTED, find_strategy
from actions.patterns import get_patterns
from actions.review.complaints import Complaint, recognize_complaints
from actions.steps.analyze_requirements import act, analyze, apply_answers, clarify, list_open_questions
from actions.steps.continue_with import continue_with
from actions.steps.outcome import AskClarification, Clarified
from schemas.concerns import CONCERNS
from schemas.options import Options
from schemas.records import State
from schemas.vocabulary import Family
from tests.fakes import NOW, install_catalogue, install_word_catalogue, make_case, make_pattern, make_tools


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install_word_catalogue(monkeypatch)


def analyze_text(text, now):
    return analyze(recognize_complaints(text)[0], now)


def get_note(text):
    return recognize_complaints(text)[1]


def list_categories(text):
    return [d.inferred_category for d in analyze_text(text, NOW).dimensions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it forgets the rules halfway", [Family.MEMORY]),
        ("The context explodes after an hour.", [Family.CONTEXT]),
        ("Sub-agents time out and hang", [Family.AGENT]),
        ("文档之间相互矛盾", [Family.CONFLICT]),
        ("经常忘记约束，子代理超时", [Family.MEMORY, Family.AGENT]),
        ("It forgets the goal. 另外 token 消耗太多", [Family.MEMORY, Family.TOKENS]),
        ("The prompts are vague", ["prompt_quality"]),
        ("its architecture is a mess", ["architecture"]),
        ("It is slow", ["performance"]),
        ("错误没有处理", ["error_handling"]),
        ("the output is poor", ["output_quality"]),
        ("the user experience is bad", ["user_experience"]),
    ],
)
def test_complaint_follows_its_words(text, expected):
    assert list_categories(text) == expected


@pytest.mark.parametrize("text", ["a restatement of the whole agenda in a chatty tone", "two users exchange errorlogs"])
def test_complaint_words_match_whole(text):
    assert list_categories(text) == [Family.CUSTOM]


def test_analysis_says_what_was_recognized_and_what_was_not():
    text = get_note("It forgets the goal, and my colleague laughs at it.")
    assert text == (
        "no model read your description; recognized words: “forgets” (memory_loss);"
        " not understood: “my colleague laughs at it”"
    )
    assert get_note("please make it nicer").endswith(
        "recognized words: nothing; not understood: “please make it nicer”"
    )
    assert get_note("it forgets").endswith("recognized words: “forgets” (memory_loss)"), "every word was understood"
    assert recognize_complaints(" ... \n")[1] == ""


def test_analyze_requirements_tells_the_user_what_was_recognized():
    outcome = act(State(user_issue_description="make it nicer", notes=("before",)), make_case(""), make_tools())
    assert outcome.state.notes[0] == "before"
    assert "not understood: “make it nicer”" in outcome.state.notes[1]


def test_analysis_without_complaint_is_satisfied():
    analysis = analyze_text("   \n ", NOW)
    assert (analysis.dimensions, analysis.ambiguities, analysis.status) == ((), (), "completed")
    assert (analysis.coverage.coverage_rate, analysis.coverage.status) == (100.0, "satisfied")


def test_vague_complaint_is_asked_about():
    analysis = analyze_text("please make it nicer", NOW)
    (question,) = analysis.ambiguities
    assert (question.type, question.needs_clarification) == ("vague_description", True)
    assert len(question.possible_interpretations) == len(set(question.possible_interpretations)) >= 9
    assert analysis.status == "needs_clarification"


def test_complaint_of_two_kinds_asks_which():
    (question,) = analyze_text("the agent forgets", NOW).ambiguities
    assert question.type == "multi_category"
    assert set(question.possible_interpretations) == {Family.MEMORY, Family.AGENT}


def test_contradictory_complaint_is_asked_about():
    complaint = Complaint("it is too long or too short", "context_explosion", 1.0, is_contradictory=True)
    (question,) = analyze([complaint], NOW).ambiguities
    assert (question.type, question.possible_interpretations) == ("conflicting_keywords", ("context_explosion",))


def test_coverage_counts_complaints_with_a_strategy():
    full_coverage = analyze_text("agents hang. the context explodes", NOW).coverage
    assert (full_coverage.total_dimensions, full_coverage.with_fix_strategy, full_coverage.status) == (
        2,
        2,
        "satisfied",
    )
    partial_coverage = analyze_text("agents hang. the handoff is missing", NOW).coverage
    assert (
        partial_coverage.with_detection,
        partial_coverage.with_fix_strategy,
        partial_coverage.coverage_rate,
        partial_coverage.status,
    ) == (2, 1, 50.0, "partial")
    missing_coverage = analyze_text("the frontmatter metadata is wrong", NOW).coverage
    assert (missing_coverage.with_detection, missing_coverage.coverage_rate, missing_coverage.status) == (
        0,
        0.0,
        "unsatisfied",
    )


def test_match_names_patterns_strategies_and_worst_severity():
    (match,) = analyze_text("agents hang", NOW).spec_matches
    assert match.taxonomy_match.pattern_ids == ("AGT-001",)
    assert match.taxonomy_match.severity_hint == "high"
    assert match.strategy_match.strategies == ("correct_fixable",)
    assert match.strategy_match.risk_levels == ("low",)


@pytest.fixture
def state_with_vague_complaint():
    return State(requirement_analysis=analyze_text("make it nicer", NOW))


def test_present_user_is_asked(state_with_vague_complaint):
    outcome = clarify(state_with_vague_complaint, make_case(""), make_tools(can_ask=True))
    question = outcome.effect
    assert isinstance(question, AskClarification)
    outcome_after = continue_with(Clarified({"DIM-001": "token_consumption"}), outcome, make_case(""), make_tools())
    answer = outcome_after.state.requirement_analysis
    assert answer.status == "completed"
    assert answer.dimensions[0].inferred_category == "token_consumption"
    assert (answer.ambiguities[0].answer, answer.ambiguities[0].answered_by) == ("token_consumption", "user")


@pytest.mark.parametrize(("is_present", "yes"), [(False, False), (True, True)])
def test_absent_user_gets_the_most_likely_reading(state_with_vague_complaint, is_present, yes):
    state = State(requirement_analysis=state_with_vague_complaint.requirement_analysis, options=Options(yes=yes))
    outcome = clarify(state, make_case(""), make_tools(can_ask=is_present))
    assert outcome.effect is None
    analysis = outcome.state.requirement_analysis
    assert [d.confidence for d in analysis.dimensions] == [0.0], "an unanswered question adds no confidence"
    ambiguity = analysis.ambiguities[0]
    assert (ambiguity.answer, ambiguity.answered_by) == ("custom", "default")
    assert outcome.state.notes == (
        "the user was not asked; the most likely category was used: DIM-001 as none of the known kinds",
    )


def test_answer_to_one_question_leaves_the_other_open():
    state = State(requirement_analysis=analyze_text("the agent forgets. the token has drift", NOW))
    assert [q.dimension_id for q in list_open_questions(state)] == ["DIM-001", "DIM-002"]
    analysis = apply_answers(state, {"DIM-002": "memory_loss"}, "user", NOW).requirement_analysis
    assert analysis.status == "needs_clarification"
    assert [q.dimension_id for q in list_open_questions(State(requirement_analysis=analysis))] == ["DIM-001"]


def test_analyze_requirements_notes_the_complaints():
    state = State(user_issue_description="agents hang")
    outcome = act(state, make_case(""), make_tools())
    assert outcome.note == "1 complaint, coverage satisfied"
    assert outcome.state.requirement_analysis.dimensions[0].keywords == ("agents",)


@pytest.mark.parametrize(
    "text", ["a " * 50_000, "," * 100_000, "forget, " * 20_000, "超时" * 50_000, "\x00\x1b[31m\n" * 9_999]
)
def test_hostile_description_is_read_in_bounded_time(text):
    analyze_text(text, NOW)


def test_drafted_strategy_counts_as_a_fix_of_medium_risk(monkeypatch):
    install_catalogue(monkeypatch, [make_pattern("AGT-001", "FIXABLE", "bound_loop", "no_such_name")], [])
    (match,) = analyze_text("Sub-agents hang and time out", NOW).spec_matches
    assert (match.strategy_match.strategies, match.strategy_match.risk_levels) == (("bound_loop",), ("medium",))


@pytest.mark.parametrize("kind", CONCERNS)
def test_complaint_kind_has_patterns_and_a_strategy(kind, monkeypatch):
    monkeypatch.undo()
    (match,) = analyze([Complaint("it", kind, 1.0)], NOW).spec_matches
    assert set(CONCERNS[kind].patterns) <= set(get_patterns())
    assert match.taxonomy_match.category == kind
    assert match.has_fix
    assert all(find_strategy(name) or name in DRAFTED for name in match.strategy_match.strategies)


def test_complaint_word_names_one_kind():
    words = [word for kind in CONCERNS.values() for word in kind.words]
    assert len(words) == len(set(words))
