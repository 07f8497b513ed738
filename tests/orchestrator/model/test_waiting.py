"""Test a run that an MCP client answers: it pauses for questions, and continues when they are answered or given up."""

import json
import subprocess
import sys

import pytest
from msgspec.structs import replace

from actions.case import Case
from actions.project.allowance import measure
from actions.project.lookup import Library
from actions.project.lookup_log import Lookup, LookupLog
from actions.review.judge import Question
from actions.skill.text import estimate_tokens
from orchestrator.errors import BadInput, Refused
from orchestrator.model.question_queue import QuestionQueue
from orchestrator.model.waiting import WaitingJudge
from orchestrator.project.skill_reader import read_skill
from orchestrator.run.run import Run
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.workspace import Workspace
from schemas.options import Options
from schemas.records import State, TargetSkill
from schemas.vocabulary import Pause, Phase
from tests.actions.project.test_lookup import make_project
from tests.fakes import Listener, add_large_references, install_word_catalogue, resume_run, write_skill
from tests.scripted_api import build_smallest_value

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
FIRST_QUESTION, SECOND_QUESTION = (Question(name, f"How many {name}?", SCHEMA) for name in ("gulls", "terns"))


@pytest.fixture
def skill(tmp_path, monkeypatch):
    install_word_catalogue(monkeypatch)
    return add_large_references(write_skill(tmp_path / "plover", "A tall FIXABLE.\n"))


@pytest.fixture
def queue(tmp_path):
    return QuestionQueue(tmp_path / "run")


def ask_questions(queue, *questions):
    queue.set_open({f"Q-{n:012x}": question for n, question in enumerate(questions)})
    return [question.id for question in queue.list_open()]


def start_run(skill, work, **options):
    workspace = Workspace(skill, work)
    options_of_run = {"sessions": "none", "judge": "mcp", "apply": "all", **options}
    state = State(
        run_id=work.name, target_skill=TargetSkill(path=str(workspace.root)), options=Options(**options_of_run),
        work_dir=str(workspace.work_dir),
    )  # fmt: skip
    run = Run(StateStore(work), workspace, Listener())
    with workspace.hold(state.run_id):
        run.store.create(state)
        run.drive()
    return run.store.state


def answer_open_questions(work, skill, reader=""):
    queue = QuestionQueue(work)
    for open_question in queue.list_open():
        assert (
            queue.answer(
                open_question.id, build_smallest_value(open_question.question.schema), Case(read_skill(skill)), reader
            )
            == ""
        )


def test_run_pauses_for_its_questions_and_resumes_when_answered(tmp_path, skill):
    state = start_run(skill, tmp_path / "run")
    assert (state.phase, state.pause, state.issues) == (Phase.DIAGNOSIS, Pause.QUESTIONS, ())
    names = [open_question.question.name for open_question in QuestionQueue(tmp_path / "run").list_open()]
    assert len(names) > 1
    assert all(name.startswith("reading of") for name in names)
    answer_open_questions(tmp_path / "run", skill, "a-client")
    state = resume_run(tmp_path / "run").store.state
    while state.pause is Pause.QUESTIONS:
        answer_open_questions(tmp_path / "run", skill)
        state = resume_run(tmp_path / "run").store.state
    assert state.phase is Phase.COMPLETED
    assert state.judge == "a-client"
    assert state.cost.queries >= len(names)
    assert "calm" in (skill / "SKILL.md").read_text() or "fixable" in (skill / "SKILL.md").read_text()


def test_run_resumed_early_waits_for_the_open_questions(tmp_path, skill):
    start_run(skill, tmp_path / "run")
    queue = QuestionQueue(tmp_path / "run")
    first_question, *other_questions = queue.list_open()
    assert (
        queue.answer(first_question.id, build_smallest_value(first_question.question.schema), Case(read_skill(skill)))
        == ""
    )
    state = resume_run(tmp_path / "run").store.state
    assert state.pause is Pause.QUESTIONS
    assert [open_question.id for open_question in queue.list_open()] == [
        open_question.id for open_question in other_questions
    ]


def test_given_up_questions_are_reported_and_not_asked_again(tmp_path, skill):
    start_run(skill, tmp_path / "run")
    ids = QuestionQueue(tmp_path / "run").give_up("it said nothing")
    assert ids
    state = resume_run(tmp_path / "run").store.state
    assert state.phase is Phase.COMPLETED
    assert [note for note in state.notes if "did not answer" in note and "it said nothing" in note]


def test_question_with_look_ups_has_no_note_on_missing_ones(tmp_path):
    queue = QuestionQueue(tmp_path / "run")
    for look in (False, True):
        question = replace(FIRST_QUESTION, prompt=f"Are there gulls? {look}", may_look=True, pattern_ids=("custom",))
        judge = WaitingJudge(queue)
        judge.ask([question])
        assert judge.queue_open_questions()
        (open_question,) = queue.list_open()
        if look:
            queue.save_log(open_question.id, LookupLog())
        assert (
            queue.answer(open_question.id, {"n": 1}, Case(read_skill(write_skill(tmp_path / f"s{look}", "A tern.\n"))))
            == ""
        )
        judge.ask([question])
        assert bool(judge.notes) is not look


def test_claims_differ_and_expired_ones_are_handed_out_again(tmp_path):
    clock = [1000.0]
    queue = QuestionQueue(tmp_path / "run", lambda: clock[0])
    first_id, second_id = ask_questions(queue, FIRST_QUESTION, SECOND_QUESTION)
    assert (queue.claim(seconds=10).id, queue.claim(seconds=99).id, queue.claim()) == (first_id, second_id, None)
    clock[0] += 11
    assert (queue.claim().id, queue.claim()) == (first_id, None)


CLAIM = "import sys, pathlib; from orchestrator.model.question_queue import QuestionQueue as Q; "\
    "Q(pathlib.Path(sys.argv[1])).claim(sys.argv[2], is_agent=False); print('claimed', flush=True); sys.stdin.read()"  # fmt: skip


def test_claims_of_a_server_last_until_it_ends(queue, tmp_path):
    first_id, second_id = ask_questions(queue, FIRST_QUESTION, SECOND_QUESTION)
    queue.claim(second_id)
    command = [sys.executable, "-c", CLAIM, str(tmp_path / "run"), first_id]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout.readline() == b"claimed\n"
        assert all(queued.claimed for queued in queue.list_open()), "each server keeps its own"
        server.kill()
    assert [queued.claimed for queued in queue.list_open()] == [False, True]
    assert queue.claim(first_id).token


def test_claimed_question_can_be_requested_by_id(queue):
    first_id, _ = ask_questions(queue, FIRST_QUESTION, SECOND_QUESTION)
    assert queue.claim(first_id).id == queue.claim(first_id).id == first_id


def test_invalid_answer_is_one_line_and_leaves_the_question_open(queue, skill):
    first_id, _ = ask_questions(queue, FIRST_QUESTION, SECOND_QUESTION)
    message = queue.answer(first_id, {"n": "many\nmany"}, Case(read_skill(skill)))
    assert "violates its schema" in message
    assert "\n" not in message
    assert first_id in [open_question.id for open_question in queue.list_open()]


def test_answer_can_be_repeated_but_not_changed(queue, skill):
    first_id, _ = ask_questions(queue, FIRST_QUESTION, SECOND_QUESTION)
    assert (
        queue.answer(first_id, {"n": 1}, Case(read_skill(skill)))
        == queue.answer(first_id, {"n": 1}, Case(read_skill(skill)))
        == ""
    )
    with pytest.raises(Refused, match="another answer"):
        queue.answer(first_id, {"n": 2}, Case(read_skill(skill)))
    assert queue.get(FIRST_QUESTION).value == {"n": 1}


def test_answer_to_a_given_up_question_is_refused(queue, skill):
    first_id, _ = ask_questions(queue, FIRST_QUESTION, SECOND_QUESTION)
    queue.give_up("no one came")
    with pytest.raises(Refused, match="no one came"):
        queue.answer(first_id, {"n": 1}, Case(read_skill(skill)))


@pytest.mark.parametrize("id", ["Q-ffffffffffff", "../../run", "Q-*", "", "Q-" + "0" * 12 + "/../x"])
def test_unknown_id_is_refused_without_listing_other_ids(queue, skill, id):
    _, other_id = ask_questions(queue, FIRST_QUESTION, SECOND_QUESTION)
    with pytest.raises(BadInput, match="not an open question") as error:
        queue.answer(id, {"n": 1}, Case(read_skill(skill)))
    assert other_id not in str(error.value)
    with pytest.raises(BadInput, match="not an open question"):
        queue.claim(id)


@pytest.mark.parametrize("text", ["{torn", '{"x": 1}', "[]", '{"name": 5}'])
def test_damaged_file_costs_only_its_question(queue, tmp_path, text):
    first_id, second_id = ask_questions(queue, FIRST_QUESTION, SECOND_QUESTION)
    assert not queue.is_damaged
    (tmp_path / "run" / "judge" / "open" / f"{first_id}.json").write_text(text)
    assert queue.is_damaged
    (tmp_path / "run" / "judge" / "claims.json").write_text("[]")
    assert [open_question.id for open_question in queue.list_open()] == [second_id]
    assert queue.claim().id == second_id


def test_command_prints_the_waiting_questions_and_the_next_step(tmp_path, skill, monkeypatch, capsys):
    from orchestrator.cli.output.registry import print_result
    from orchestrator.cli.output.results import RunResult
    from orchestrator.exits import get_exit_code

    start_run(skill, tmp_path / "run")
    store = StateStore(tmp_path / "run")
    store.load()
    print_result(RunResult(store), "text")
    assert get_exit_code(store.state) == 3
    out = capsys.readouterr().out
    number = len(QuestionQueue(tmp_path / "run").list_open())
    assert f"{number} questions wait for a model" in out
    assert "tune-skill resume" in out
    assert "--give-up" in out
    first_question = next((tmp_path / "run" / "judge" / "open").iterdir())
    first_question.write_text('{"x": 1}')
    print_result(RunResult(store), "text")
    assert "is damaged. To ask it again: tune-skill resume" in capsys.readouterr().out
    print_result(RunResult(store), "json")
    assert json.loads(capsys.readouterr().out)["pause"] == "questions"


def test_look_ups_of_an_agent_have_the_limits_of_any_reader(tmp_path):
    clock = [1_000.0]
    queue = QuestionQueue(tmp_path / "run", now=lambda: clock[0])
    files = {f"docs/{n:02d}.md": "A calm day.\n" * 2_000 for n in range(40)}
    library = Library(make_project(files), "skills/plover", 10_000)
    prompt = "Are there gulls? " * 2_000
    (id,) = ask_questions(queue, replace(FIRST_QUESTION, prompt=prompt, may_look=True))
    sent, total = len(prompt), len(prompt)
    results = []
    for _ in range(4):  # Four requests with two parallel look-ups each, as an agent sends them.
        for request in (Lookup(tuple(files)), Lookup((), "calm")):
            clock[0] += 0.5
            results.append(queue.look(id, request, library))
            sent += measure(results[-1])
        clock[0] += 20
        total += sent
        if "Nothing is left for look-ups" in results[-1]:
            break
    assert 45_000 < estimate_tokens(total) <= 60_000
    assert "found in 40 of 40 searched files" in results[1], "files left nothing for searches"


def test_agent_that_claims_a_question_again_may_look_again(tmp_path):
    clock = [1_000.0]
    queue = QuestionQueue(tmp_path / "run", now=lambda: clock[0])
    library = Library(make_project({"a.md": "A calm day.\n" * 40_000}), "skills/plover", 10_000)
    (id,) = ask_questions(queue, replace(FIRST_QUESTION, prompt="Are there gulls? " * 2_000, may_look=True))
    queue.claim(id)
    for _ in range(3):
        clock[0] += 20
        answer = queue.look(id, Lookup(("a.md",)), library)
    assert answer.startswith("Nothing is left for look-ups")
    queue.claim(id)
    assert queue.look(id, Lookup(("a.md",)), library).startswith("Nothing is left"), "it can be the same agent"
    clock[0] += 1_000
    queue.claim(id)
    assert "=== a.md, lines 1 to" in queue.look(id, Lookup(("a.md",)), library)
