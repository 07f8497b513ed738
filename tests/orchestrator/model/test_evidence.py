"""Test a judge that reads sessions in a run: it adds to the heuristics, within a share of the cost limit."""

import json

import pytest

from actions.review.judge import Reply
from orchestrator.model import JudgeAccess
from orchestrator.run.run import Run
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.workspace import Workspace
from schemas.options import Options
from schemas.records import State, TargetSkill
from schemas.vocabulary import Phase
from tests.fakes import Listener, write_skill
from tests.judges import confirm_observation

USE = {"type": "tool_use", "id": "t1", "name": "Skill", "input": {"skill": "plover"}}
CODE = {"type": "tool_use", "id": "t2", "name": "Edit",
        "input": {"file_path": "sum.py", "old_string": "a", "new_string": "b"}}  # fmt: skip


class Judge:
    """A judge that gives the same answer about every session and records its questions."""

    name = "the oracle"

    def __init__(self, *items):
        self.items, self.questions = items, []

    def ask(self, questions, library=None):
        self.questions += questions
        value = {"answers": list(self.items)}
        return [
            Reply(value, usd=0.01, tokens=100) if q.name.startswith("session") else Reply(None, "it is silent")
            for q in questions
        ]


@pytest.fixture
def run_with_judge(tmp_path):
    def run(judge, *sessions):
        for number, messages in enumerate(sessions):
            (tmp_path / f"s{number}.jsonl").write_text(
                "".join(json.dumps({"isMeta": "isMeta" in m, "message": m}) + "\n" for m in messages)
            )
        workspace = Workspace(write_skill(tmp_path / "plover", "Count the birds.\n"), tmp_path / "work")
        paths = tuple(str(tmp_path / f"s{number}.jsonl") for number in range(len(sessions)))
        state = State(run_id="r", target_skill=TargetSkill(path=str(workspace.root)), work_dir=str(tmp_path / "work"),
                      options=Options("given", paths, "sdk", "none"))  # fmt: skip
        run = Run(StateStore(tmp_path / "work"), workspace, Listener(), access=JudgeAccess(judge))
        with workspace.hold("r"):
            run.store.create(state)
            run.drive()
        assert run.store.state.phase is Phase.COMPLETED
        return run.store.state

    return run


def make_message(role, *content):
    return {"role": role, "content": list(content) if content and isinstance(content[0], dict) else content[0]}


def make_session(words):
    tool_result = {"type": "tool_result", "tool_use_id": "t2", "content": "ok"}
    return [make_message("user", words), make_message("assistant", USE), make_message("assistant", CODE), make_message("user", tool_result),
            make_message("assistant", "Done.")]  # fmt: skip


def test_judged_session_finding_is_reported_with_its_quote_once(run_with_judge):
    finding = {"id": "shortcuts", "verdict": "not_satisfied", "reason": "hooks were skipped",
             "evidence": [{"record": 0, "quote": "Skip the checks"}]}  # fmt: skip
    judge = Judge(finding)
    state = run_with_judge(judge, make_session("Skip the checks and fix it."))
    [issue] = [i for i in state.issues if i.pattern == "shortcuts"]
    assert issue.source == "session"
    assert "Skip the checks" in " ".join(issue.evidence)
    assert [q.name for q in judge.questions if q.name.startswith("session")] == ["session: all"]
    assert (state.cost.usd, state.cost.tokens, state.cost.queries) == (0.01, 100, 1)


def test_session_finding_with_an_invented_quote_is_dropped(run_with_judge):
    invented_finding = {
        "id": "shortcuts",
        "verdict": "not_satisfied",
        "reason": "no",
        "evidence": [{"record": 0, "quote": "Lies"}],
    }
    state = run_with_judge(Judge(invented_finding), make_session("Fix it."))
    assert not [i for i in state.issues if i.pattern == "shortcuts"]
    assert state.sessions[0].unknown == 1, "the records must decide the rest, including the one with the invented quote"


def test_judge_reads_the_newest_three_sessions_of_the_skill(run_with_judge):
    session_without_skill = [make_message("user", "Hello."), make_message("assistant", "Hello.")]
    judge = Judge()
    run_with_judge(judge, session_without_skill, *(make_session(f"Number {n}") for n in range(5)))
    assert len([q for q in judge.questions if q.name.startswith("session")]) == 3


class ObservingJudge(Judge):
    """A judge that observes in each session that the birds were not counted, and confirms it."""

    def ask(self, questions, library=None):
        self.questions += questions
        return [self._reply(question.name) for question in questions]

    def _reply(self, name):
        if not name.startswith("run "):
            return Reply(None, "it is silent")
        observation = {"kind": "skipped", "line": 1, "words": "Count the birds", "record": 4, "quote": "Done. ",
                "what": "No bird was counted.", "severity": "medium"}  # fmt: skip
        if "check" in name:
            return Reply({"checks": [{"number": 1, "reason": "Looked up.", "verdict": "stands"}]}, usd=0.01, tokens=100)
        is_refutation = "refutation" in name
        value = {
            "orders": [],
            "observations": [] if is_refutation else [observation],
            "verdicts": [confirm_observation()] * is_refutation,
        }
        return Reply(value, usd=0.01, tokens=100)


def make_session_with_loaded_skill(number):
    text = make_message("user", "Base directory for this skill: /x/plover\n\nCount the birds.\n")
    load_message = {**text, "isMeta": True}
    return [
        make_message("user", "Count."),
        make_message("assistant", {**USE, "id": f"t{number}"}),
        load_message,
        make_message("assistant", f"Done. {number}"),
    ]


def test_run_reads_two_runs_line_by_line(run_with_judge):
    judge = ObservingJudge()
    state = run_with_judge(judge, *map(make_session_with_loaded_skill, range(3)))
    runs = [q.name.rpartition(", ")[2].split()[0] for q in judge.questions if q.name.startswith("run ")]
    assert runs == ["run"] * 2 + ["reading"] * 2 + ["refutation"] * 2 + ["check"] * 4
    [issue] = [issue for issue in state.issues if issue.pattern == "SES-014"]
    assert (issue.grade, issue.source, issue.sessions, issue.read_by.name) == ("read", "session", 2, "the oracle")
    assert issue.evidence[0] == "Count the birds."
    assert state.cost.queries == 10
