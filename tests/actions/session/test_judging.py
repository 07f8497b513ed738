"""What a judge says is believed only as far as its quotes stand in the record."""

from actions.patterns.session import Answer, Quote, Verdict
from actions.session.example import bash, edit, transcript, user
from actions.session.judging import Consideration, grouped, holds, question_of, verified

SESSION = transcript(user("Count the\n  plovers."), edit("a.py", "x = 1"), bash("ls", "a.py  b.py"))


def found(*quotes):
    return Answer(Verdict.FOUND, "so", quotes)


def item(id, category="1 completion"):
    return Consideration(id, category, "?", "blocker", f"_check_{id}", ("*",))


def test_a_quote_is_found_whatever_its_spaces():
    assert holds(SESSION, Quote(0, "Count the plovers."))
    assert holds(SESSION, Quote(1, "x = 1"))
    assert not holds(SESSION, Quote(1, "Count the plovers."))
    assert not holds(SESSION, Quote(0, ""))


def test_a_finding_without_a_true_quote_is_unknown():
    assert verified(found(Quote(0, "Count the plovers.")), SESSION).verdict is Verdict.FOUND
    assert verified(found(Quote(0, "Count the gulls.")), SESSION).verdict is Verdict.UNKNOWN
    assert verified(found(), SESSION).verdict is Verdict.UNKNOWN
    assert verified(Answer(Verdict.CLEAN, "fine"), SESSION).verdict is Verdict.CLEAN


def test_the_considerations_make_at_most_four_queries():
    names = [item(str(n), f"{n} x") for n in range(1, 7)] + [item("compaction_handling", "compaction")]
    groups = grouped(names)
    assert set(groups) == {"testing", "completion", "workflow", "quality"}
    assert sum(map(len, groups.values())) == len(names)


def test_each_consideration_has_a_question():
    wanted = {"todos_complete": "todos", "philosophy_compliance": "philosophy", "local_testing": "testing",
              "ci_status": "workflow", "dev_workflow_complete": "workflow", "next_steps": "generic"}  # fmt: skip
    assert {id: question_of(item(id)) for id in wanted} == {id: f"questions/{name}" for id, name in wanted.items()}
