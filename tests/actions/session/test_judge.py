"""Test that a judge's answer counts only if the records contain its quotes."""

from actions.session.answer import Answer, Verdict
from actions.session.example import bash, edit, user
from actions.session.judge import choose_answer, find_question, group_by_query, has_quote, verify_quotes
from actions.session.redaction import HIDDEN
from actions.session.transcript import Quote
from schemas.considerations import Consideration
from tests.examples import make_transcript

SESSION = make_transcript(user("Count the\n  plovers."), edit("a.py", "x = 1"), bash("ls", "a.py  b.py"))


def make_answer(*quotes):
    return Answer(Verdict.VIOLATED, "so", quotes)


def test_choose_answer_uses_the_records_if_the_judge_is_unsure():
    unsure, clean = Answer(Verdict.UNKNOWN, "?"), Answer(Verdict.SATISFIED, "passed")
    assert choose_answer(unsure, clean) == (clean, False)
    assert choose_answer(unsure, make_answer()) == (make_answer(), False)
    assert choose_answer(unsure, Answer(Verdict.UNKNOWN, "!")) == (unsure, True)
    assert choose_answer(make_answer(), clean) == (make_answer(), True)
    assert choose_answer(None, clean) == (clean, False)


def make_consideration(id, category="1 completion"):
    return Consideration(id, category, "?", "blocker", f"_check_{id}", ("*",))


def test_quote_is_found_regardless_of_spaces():
    assert has_quote(SESSION, Quote(0, "Count the plovers."))
    assert has_quote(SESSION, Quote(1, "x = 1"))
    assert not has_quote(SESSION, Quote(1, "Count the plovers."))
    assert not has_quote(SESSION, Quote(0, ""))


def test_violation_without_a_true_quote_is_unknown():
    assert verify_quotes(make_answer(Quote(0, "Count the plovers.")), SESSION).verdict is Verdict.VIOLATED
    assert verify_quotes(make_answer(Quote(0, "Count the gulls.")), SESSION).verdict is Verdict.UNKNOWN
    assert verify_quotes(make_answer(), SESSION).verdict is Verdict.UNKNOWN
    assert verify_quotes(Answer(Verdict.SATISFIED, "fine"), SESSION).verdict is Verdict.SATISFIED


CATEGORIES = {
    "completion": ("1 completion and progress", "Session Completion & Progress"),
    "workflow": ("2 workflow", "Workflow Process Adherence", "5 pull request", "PR Content & Quality"),
    "quality": ("3 quality and philosophy", "Code Quality & Philosophy Compliance", "compaction", "7 tides"),
    "testing": ("4 testing", "Testing & Local Validation", "6 CI", "CI/CD & Mergeability Status"),
}


def test_considerations_make_at_most_four_queries():
    items = [make_consideration(category, category) for categories in CATEGORIES.values() for category in categories]
    groups = {name: tuple(consideration.id for consideration in group) for name, group in group_by_query(items).items()}
    assert groups == CATEGORIES


def test_consideration_has_a_question_by_its_id():
    expected_questions = {"todos_complete": "todos", "philosophy_compliance": "philosophy", "local_testing": "testing",
              "ci_status": "workflow", "dev_workflow_complete": "workflow", "next_steps": "generic",
              "zero-bs": "philosophy", "ci-green": "workflow", "specific_doc": "generic", "latest": "generic"}  # fmt: skip
    assert {id: find_question(make_consideration(id)) for id in expected_questions} == {
        id: f"questions/{name}" for id, name in expected_questions.items()
    }


def test_quote_of_a_hidden_secret_is_found():
    session = make_transcript(user("Count."), bash("cat .env", "DB_PASSWORD=\x1b[31mhunter22\x1b[0m\nPORT=80"))
    assert has_quote(session, Quote(2, f"DB_PASSWORD={HIDDEN} PORT=80"))
    assert not has_quote(session, Quote(2, f"PORT={HIDDEN}"))
    assert verify_quotes(make_answer(Quote(2, f"DB_PASSWORD={HIDDEN}")), session).verdict is Verdict.VIOLATED
