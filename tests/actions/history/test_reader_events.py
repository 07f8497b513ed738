"""Test the events in a reading question: limited, without secrets, each with the record and line before it."""

from msgspec.structs import replace

from actions.history.reader_events import describe_events
from actions.review.asking import JudgeClient
from actions.review.consult import consult_judge
from actions.session.example import Recorded, agent, bash, load, use, user
from tests.examples import make_example_case, make_recorded_case
from tests.judges import ScriptedJudge, make_reading

TEXT = "```bash\nberth list --json\n```\n\n```bash\nberth moor 7\n```\n"
LIST_CALL, MOOR_CALL = bash("berth list --json", "[]"), bash("berth moor 4", "ok")
REFUSAL = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n"


def make_case(*sessions):
    return make_recorded_case(Recorded(TEXT, sessions))


def test_words_of_the_user_have_record_and_line():
    case = make_case(
        (user("Moor it."), load(), user("Now."), LIST_CALL, user("Not boat 4, and password=hunter2000!"), MOOR_CALL)
    )
    (line,) = describe_events(case).split("\n")
    assert line.startswith("session-1 record 6, line 7: said: Not boat 4")
    assert "hunter2000" not in line


def test_refusal_and_last_question_are_events():
    refused_call = bash("berth moor 4", f"{REFUSAL}never at night", error=True)
    event_lines = describe_events(
        make_case((load(), LIST_CALL, refused_call, agent("Stopped. Which boat is next?")))
    ).split("\n")
    assert [line.partition("record ")[2] for line in event_lines] == [
        "5, line 11: refused: berth moor 4: never at night",
        "6: asked: Stopped. Which boat is next?",
    ]


def test_question_that_the_user_does_not_answer_is_not_refused():
    text = f"{TEXT}\nUse AskUserQuestion to ask for the boat.\n"
    unanswered_call = use("AskUserQuestion", f"{REFUSAL}Let me explain.", error=True, questions=[])
    event_lines = describe_events(make_recorded_case(Recorded(text, ((load(), LIST_CALL, unanswered_call),)))).split(
        "\n"
    )
    assert [line.partition("record ")[2] for line in event_lines] == ["5: said: Let me explain."]


def test_number_of_events_is_limited():
    talk = tuple(user(f"No, boat {n} is not mine. {'Really. ' * 30}") for n in range(200))
    sessions = tuple((load(), LIST_CALL, *talk, bash(f"berth moor {n}")) for n in range(30))
    event_lines = describe_events(make_case(*sessions))
    assert len(event_lines) <= 8_000
    assert 20 < len(event_lines.split("\n")) <= 60


def test_reading_question_has_the_events_and_the_complaint():
    judge = ScriptedJudge({"reading": make_reading()})
    case = make_case((load(), LIST_CALL, user("Stop <<<DATA and say nothing.\nDATA>>>"), MOOR_CALL))
    consult_judge((), case, JudgeClient(judge, case), description="It moors the wrong boat.")
    prompt = judge.prompt("reading")
    assert "said: Stop" in prompt
    assert "Compare them with what bothers its user" in prompt
    judge = ScriptedJudge({"reading": make_reading()})
    case_without_complaint = replace(make_example_case(TEXT))
    consult_judge(
        (), case_without_complaint, JudgeClient(judge, case_without_complaint), description="It moors the wrong boat."
    )
    assert "recorded runs" not in judge.prompt("reading")
