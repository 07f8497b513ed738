"""Test a run that an MCP client answers: it pauses for questions, and continues when they are answered or given up."""

import json

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
from tests.actions.project.test_lookup import a_project
from tests.fakes import Listener, add_large_references, install_word_catalogue, resume_run, write_skill
from tests.scripted_api import least

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
ONE, TWO = (Question(name, f"How many {name}?", SCHEMA) for name in ("gulls", "terns"))


@pytest.fixture
def skill(tmp_path, monkeypatch):
    install_word_catalogue(monkeypatch)
    return add_large_references(write_skill(tmp_path / "plover", "A tall FIXABLE.\n"))


@pytest.fixture
def queue(tmp_path):
    return QuestionQueue(tmp_path / "run")


def asked(queue, *questions):
    queue.set_open({f"Q-{n:012x}": question for n, question in enumerate(questions)})
    return [one.id for one in queue.list_open()]


def begun(skill, work, **options):
    workspace = Workspace(skill, work)
    given = {"sessions": "none", "judge": "mcp", "apply": "all", **options}
    state = State(
        run_id=work.name, target_skill=TargetSkill(path=str(workspace.root)), options=Options(**given),
        work_dir=str(workspace.work_dir),
    )  # fmt: skip
    run = Run(StateStore(work), workspace, Listener())
    with workspace.hold(state.run_id):
        run.store.create(state)
        run.drive()
    return run.store.state


def answered(work, skill, reader=""):
    queue = QuestionQueue(work)
    for one in queue.list_open():
        assert queue.answer(one.id, least(one.question.schema), Case(read_skill(skill)), reader) == ""


def test_run_pauses_for_its_questions_and_resumes_when_answered(tmp_path, skill):
    state = begun(skill, tmp_path / "run")
    assert (state.phase, state.pause, state.issues) == (Phase.DIAGNOSIS, Pause.QUESTIONS, ())
    names = [one.question.name for one in QuestionQueue(tmp_path / "run").list_open()]
    assert len(names) > 1
    assert all(name.startswith("reading of") for name in names)
    answered(tmp_path / "run", skill, "a-client")
    state = resume_run(tmp_path / "run").store.state
    while state.pause is Pause.QUESTIONS:
        answered(tmp_path / "run", skill)
        state = resume_run(tmp_path / "run").store.state
    assert state.phase is Phase.COMPLETED
    assert state.judge == "a-client"
    assert state.cost.queries >= len(names)
    assert "calm" in (skill / "SKILL.md").read_text() or "fixable" in (skill / "SKILL.md").read_text()


def test_run_resumed_early_waits_for_the_open_questions(tmp_path, skill):
    begun(skill, tmp_path / "run")
    queue = QuestionQueue(tmp_path / "run")
    first, *rest = queue.list_open()
    assert queue.answer(first.id, least(first.question.schema), Case(read_skill(skill))) == ""
    state = resume_run(tmp_path / "run").store.state
    assert state.pause is Pause.QUESTIONS
    assert [one.id for one in queue.list_open()] == [one.id for one in rest]


def test_given_up_questions_are_reported_and_not_asked_again(tmp_path, skill):
    begun(skill, tmp_path / "run")
    ids = QuestionQueue(tmp_path / "run").give_up("it said nothing")
    assert ids
    state = resume_run(tmp_path / "run").store.state
    assert state.phase is Phase.COMPLETED
    assert [note for note in state.notes if "did not answer" in note and "it said nothing" in note]


def test_reader_that_could_look_is_not_told_that_it_had_no_look(tmp_path):
    queue = QuestionQueue(tmp_path / "run")
    for look in (False, True):
        one = replace(ONE, prompt=f"Are there gulls? {look}", may_look=True, kinds=("custom",))
        judge = WaitingJudge(queue)
        judge.ask([one])
        assert judge.waits()
        (asked,) = queue.list_open()
        if look:
            queue.save_log(asked.id, LookupLog())
        assert queue.answer(asked.id, {"n": 1}, Case(read_skill(write_skill(tmp_path / f"s{look}", "A tern.\n")))) == ""
        judge.ask([one])
        assert bool(judge.notes) is not look


def test_claims_differ_and_expired_ones_are_handed_out_again(tmp_path):
    clock = [1000.0]
    queue = QuestionQueue(tmp_path / "run", lambda: clock[0])
    one, two = asked(queue, ONE, TWO)
    assert (queue.claim(seconds=10).id, queue.claim(seconds=99).id, queue.claim()) == (one, two, None)
    clock[0] += 11
    assert (queue.claim().id, queue.claim()) == (one, None)


def test_claimed_question_can_be_requested_by_id(queue):
    one, _ = asked(queue, ONE, TWO)
    assert queue.claim(one).id == queue.claim(one).id == one


def test_invalid_answer_is_one_line_and_leaves_the_question_open(queue, skill):
    one, _ = asked(queue, ONE, TWO)
    message = queue.answer(one, {"n": "many\nmany"}, Case(read_skill(skill)))
    assert "violates its schema" in message
    assert "\n" not in message
    assert one in [each.id for each in queue.list_open()]


def test_answer_can_be_repeated_but_not_changed(queue, skill):
    one, _ = asked(queue, ONE, TWO)
    assert (
        queue.answer(one, {"n": 1}, Case(read_skill(skill)))
        == queue.answer(one, {"n": 1}, Case(read_skill(skill)))
        == ""
    )
    with pytest.raises(Refused, match="another answer"):
        queue.answer(one, {"n": 2}, Case(read_skill(skill)))
    assert queue.get(ONE).value == {"n": 1}


def test_answer_to_a_given_up_question_is_refused(queue, skill):
    one, _ = asked(queue, ONE, TWO)
    queue.give_up("no one came")
    with pytest.raises(Refused, match="no one came"):
        queue.answer(one, {"n": 1}, Case(read_skill(skill)))


@pytest.mark.parametrize("id", ["Q-ffffffffffff", "../../run", "Q-*", "", "Q-" + "0" * 12 + "/../x"])
def test_unknown_id_is_refused_without_listing_other_ids(queue, skill, id):
    _, other = asked(queue, ONE, TWO)
    with pytest.raises(BadInput, match="not an open question") as error:
        queue.answer(id, {"n": 1}, Case(read_skill(skill)))
    assert other not in str(error.value)
    with pytest.raises(BadInput, match="not an open question"):
        queue.claim(id)


@pytest.mark.parametrize("text", ["{torn", '{"x": 1}', "[]", '{"name": 5}'])
def test_damaged_file_costs_only_its_question(queue, tmp_path, text):
    one, two = asked(queue, ONE, TWO)
    assert not queue.is_damaged
    (tmp_path / "run" / "judge" / "open" / f"{one}.json").write_text(text)
    assert queue.is_damaged
    (tmp_path / "run" / "judge" / "claims.json").write_text("[]")
    assert [each.id for each in queue.list_open()] == [two]
    assert queue.claim().id == two


def test_command_prints_the_waiting_questions_and_the_next_step(tmp_path, skill, monkeypatch, capsys):
    from orchestrator.cli.output.registry import print_result
    from orchestrator.cli.output.results import RunResult
    from orchestrator.exits import get_exit_code

    begun(skill, tmp_path / "run")
    store = StateStore(tmp_path / "run")
    store.load()
    print_result(RunResult(store), "text")
    assert get_exit_code(store.state) == 3
    out = capsys.readouterr().out
    number = len(QuestionQueue(tmp_path / "run").list_open())
    assert f"{number} questions wait for a model" in out
    assert "tune-skill resume" in out
    assert "--give-up" in out
    first = next((tmp_path / "run" / "judge" / "open").iterdir())
    first.write_text('{"x": 1}')
    print_result(RunResult(store), "text")
    assert "is damaged. To ask it again: tune-skill resume" in capsys.readouterr().out
    print_result(RunResult(store), "json")
    assert json.loads(capsys.readouterr().out)["pause"] == "questions"


def test_agent_that_looks_everything_up_is_bounded_like_any_reader(tmp_path):
    clock = [1_000.0]
    queue = QuestionQueue(tmp_path / "run", now=lambda: clock[0])
    files = {f"docs/{n:02d}.md": "A calm day.\n" * 2_000 for n in range(40)}
    library = Library(a_project(files), "skills/plover", 10_000)
    prompt = "Are there gulls? " * 2_000
    (id,) = asked(queue, replace(ONE, prompt=prompt, may_look=True))
    sent, total = len(prompt), len(prompt)
    shown = []
    for _ in range(4):  # four requests with two parallel look-ups each, as an agent sends them
        for request in (Lookup(tuple(files)), Lookup((), "calm")):
            clock[0] += 0.5
            shown.append(queue.look(id, request, library))
            sent += measure(shown[-1])
        clock[0] += 20
        total += sent
        if "Nothing is left for look-ups" in shown[-1]:
            break
    assert 45_000 < estimate_tokens(total) <= 60_000
    assert "found in 40 of 40 searched files" in shown[1], "files leave room for searches"


def test_agent_that_claims_a_question_anew_may_look_again(tmp_path):
    clock = [1_000.0]
    queue = QuestionQueue(tmp_path / "run", now=lambda: clock[0])
    library = Library(a_project({"a.md": "A calm day.\n" * 40_000}), "skills/plover", 10_000)
    (id,) = asked(queue, replace(ONE, prompt="Are there gulls? " * 2_000, may_look=True))
    queue.claim(id)
    for _ in range(3):
        clock[0] += 20
        said = queue.look(id, Lookup(("a.md",)), library)
    assert said.startswith("Nothing is left for look-ups")
    queue.claim(id)
    assert queue.look(id, Lookup(("a.md",)), library).startswith("Nothing is left"), "it may be the same agent"
    clock[0] += 1_000
    queue.claim(id)
    assert "=== a.md, lines 1 to" in queue.look(id, Lookup(("a.md",)), library)
