"""Test the checks of a run (of its answer, calls and files), and the conditions for a model's judgment to count."""

import asyncio
import time

import pytest

from actions.session.redaction import HIDDEN
from orchestrator.model.agent import Call, Session
from orchestrator.tuning.trial import rubric
from orchestrator.tuning.trial.checks import is_skill_used, run_checks
from orchestrator.tuning.trial.sandbox import choose_folder, create_sandbox
from orchestrator.tuning.trial.tasks import Check, Task
from orchestrator.tuning.trial.versions import Version

VERSION = Version("today", (("SKILL.md", b"---\nname: greeter\ndescription: d\n---\nText.\n", False),))
SESSION = Session(answer='{"n": 3}', calls=[Call("Skill", '{"skill": "greeter"}'), Call("Write", '{"file_path": "a"}')],
                  texts=["I write."])  # fmt: skip


@pytest.fixture
def sandbox(tmp_path):
    task = Task("one", "Greet.", (), "tasks.yaml:1", (("in.csv", b"a,b\n"),))
    new_sandbox = create_sandbox(choose_folder(), task, VERSION, "greeter")
    (new_sandbox.project / "leads-out").symlink_to("/etc/hostname")
    yield new_sandbox
    new_sandbox.remove()


def run_check(sandbox, kind, target, **options):
    task = Task("one", "Greet.", (Check(kind, target, options),), "tasks.yaml:1")
    (result,) = asyncio.run(run_checks(task, SESSION, sandbox, "greeter"))
    return result.passed


@pytest.mark.parametrize(
    ("kind", "target", "options", "passed"),
    [
        ("text", "n", {}, True), ("text", "m", {}, False), ("text", "m", {"absent": True}, True),
        ("text", "a,b", {"in": "in.csv"}, True), ("text", "x", {"in": "gone.md"}, False),
        ("text", "x", {"in": "gone.md", "absent": True}, True), ("text", "", {"in": "leads-out"}, False),
        ("text", "I write", {"in": "trace"}, True), ("regex", r"\d", {}, True),
        ("regex", "^A", {"in": "in.csv", "flags": "i"}, True), ("regex", ",", {"in": "in.csv", "count": 2}, False),
        ("schema", {"type": "object", "required": ["n"]}, {}, True), ("schema", {"required": ["m"]}, {}, False),
        ("schema", {"type": "object"}, {"in": "in.csv"}, False),
        ("schema", {"$ref": "http://127.0.0.1:9/x"}, {}, False),
        ("command", "true " * 100_000, {}, None),
        ("schema", {"$ref": "#/x", "x": {"type": "nosuch"}}, {}, None),
        ("file", "in.csv", {}, True), ("file", "gone", {}, False), ("file", "gone", {"exists": False}, True),
        ("tool", "Write", {}, True), ("tool", "Bash", {}, False), ("tool", "Bash", {"called": False}, True),
        ("tool", "Write", {"input": "file_path"}, True), ("tool", "Write", {"min": 2}, False),
        ("tool_order", ["Skill", "Write"], {}, True), ("tool_order", ["Write", "Skill"], {}, False),
        ("skill", True, {}, True), ("skill", False, {}, False),
    ],
)  # fmt: skip
def test_check_reports_what_it_found(sandbox, kind, target, options, passed):
    assert run_check(sandbox, kind, target, **options) is passed


def test_check_stops_a_regex_that_does_not_end(sandbox):
    (sandbox.project / "long").write_text("a" * 40)
    start = time.process_time()
    assert run_check(sandbox, "regex", "(a+)+$b", **{"in": "long"}) is None
    assert time.process_time() - start < 30


def test_skill_check_counts_only_calls_by_its_own_name():
    task = Task("one", "/greeter-2 Greet /greeter.", (), "tasks.yaml:1")
    assert is_skill_used(task, SESSION, "greeter")
    assert not is_skill_used(task, SESSION, "greet")
    assert is_skill_used(task, Session(), "greeter-2")  # The slash command of the skill calls no tool.
    assert not is_skill_used(task, Session(), "greeter")


def test_rubric_accepts_only_answers_with_a_quote_from_the_record():
    checks = [Check("rubric", "It is polite.", {})]
    record = "Task:\nx\nRecord:\nHello,\n  please.\nCriteria:\n1. It is polite."

    def check_answer(**changes):
        answer = {"number": 1, "met": True, "quote": "Hello, please.", "reason": "so", **changes}
        return rubric.check_answers(checks, [answer], record)[0].passed

    assert check_answer() is True
    assert check_answer(met=False) is False
    assert check_answer(quote="It is polite.") is None
    assert check_answer(number=2) is None
    assert rubric.check_answers(checks, [], record)[0].passed is None


def test_record_for_a_rubric_has_no_secret(sandbox):
    task = Task("one", "Greet.", (Check("rubric", "It is polite.", {"in": "trace"}),), "tasks.yaml:1")
    session = Session(answer="Done.", calls=[Call("Bash", '{"command": "cat .env"}')], texts=["DB_PASSWORD=hunter22"])
    prompt = rubric.build_query(task, session, sandbox, "small").prompt
    assert f"DB_PASSWORD={HIDDEN}" in prompt
    assert "hunter22" not in prompt
