"""Test which added lines are stubs, in many languages, and which only look like stubs."""

import json

import pytest

from actions.patterns import get_session_patterns
from actions.session.answer import Verdict, answer_satisfied
from actions.session.example import edit, user, write
from actions.session.session import Session
from actions.session.transcript_parse import parse_transcript
from tests.examples import get_verdict, make_messages, make_transcript

STUBS = [
    "# TODO implement", "// TODO x", "/* TODO */", "# todo: x", "def f(): pass", "def f(x: int) -> None: ...",
    "// Implement this later", "# placeholder", "x = 1  # FIXME rounding", "<!-- TODO table -->",
]  # fmt: skip


LINES_WITHOUT_STUB = [
    "todos = load(todos)", "# We implement the cache later in this file than the lock", "try: pass",
    "async def run(self): return 1", "class A(Protocol):\n    def f(self): ...",
]  # fmt: skip


POSSIBLE_STUBS = [
    "placeholder = 'Your name'",
    "print('TODO: buy milk')",
    "# Replace the placeholder with the name",
    "x = 1  # for now",
]


@pytest.mark.parametrize("line", STUBS)
def test_philosophy_compliance_finds_each_form_of_a_stub(line):
    assert get_verdict("philosophy_compliance", user("Add it."), edit("a.py", f"x = 1\n{line}\n")) is Verdict.VIOLATED


@pytest.mark.parametrize("line", LINES_WITHOUT_STUB)
def test_philosophy_compliance_ignores_lookalikes_of_stubs(line):
    assert get_verdict("philosophy_compliance", user("Add it."), edit("a.py", f"x = 1\n{line}\n")) is Verdict.SATISFIED


@pytest.mark.parametrize("line", POSSIBLE_STUBS)
def test_philosophy_compliance_leaves_possible_stubs_to_a_judge(line):
    assert get_verdict("philosophy_compliance", user("Add it."), edit("a.py", f"x = 1\n{line}\n")) is Verdict.UNKNOWN


def test_philosophy_compliance_says_that_tests_are_not_searched():
    session = Session(make_transcript(user("Add a test."), edit("tests/test_a.py", "def test_a(): pass")))
    answer = get_session_patterns()["philosophy_compliance"].check(session)
    assert answer == answer_satisfied("only tests were changed; they are not searched for stubs")


def test_project_in_a_temporary_folder_is_checked():
    record = {"cwd": "/tmp/project", "message": user("Add it.")}
    transcript = parse_transcript([record, *make_messages(edit("/tmp/project/a.py", "# TODO: all of it"))])
    assert get_session_patterns()["philosophy_compliance"].check(Session(transcript)).verdict is Verdict.VIOLATED
    other_transcript = parse_transcript([record, *make_messages(edit("/tmp/other/a.py", "# TODO: all of it"))])
    assert get_session_patterns()["philosophy_compliance"].check(Session(other_transcript)).verdict is Verdict.SATISFIED


def test_stub_is_gone_after_its_file_is_rewritten():
    parts = [write("a.py", "# TODO: sort\nx = 1\n"), write("a.py", "x = sorted(y)\n")]
    assert get_verdict("philosophy_compliance", user("Go."), *parts) is Verdict.UNKNOWN


def test_stub_from_before_the_session_does_not_count():
    parts = [edit("a.py", "# TODO: sort\nx = 2\n", "# TODO: sort\nx = 1\n")]
    assert get_verdict("philosophy_compliance", user("Go."), *parts) is Verdict.SATISFIED


def test_stub_in_an_overwritten_file_does_not_count():
    update = {"type": "update", "filePath": "a.py", "originalFile": "# TODO: sort\nx = 1\n"}
    call = {
        "type": "tool_use",
        "id": "t1",
        "name": "Write",
        "input": {"file_path": "a.py", "content": "# TODO: sort\nx = 2\n"},
    }
    tool_result = {"type": "tool_result", "tool_use_id": "t1", "content": "updated"}
    lines = [
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "message": {"role": "user", "content": [tool_result]}, "toolUseResult": update},
    ]
    json_lines = [json.dumps(line, separators=(",", ":")) for line in lines]
    check = get_session_patterns()["philosophy_compliance"].check
    assert check(Session(parse_transcript(json_lines))).verdict is Verdict.SATISFIED
    lines[1]["toolUseResult"] = {"type": "create", "originalFile": None}
    json_lines = [json.dumps(line, separators=(",", ":")) for line in lines]
    assert check(Session(parse_transcript(json_lines))).verdict is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.go", '\tpanic("not implemented")'),
        ("A.java", 'throw new UnsupportedOperationException("Not yet implemented");'),
        ("a.py", "def rate():\n    raise NotImplementedError"),
        ("a.rb", "# FIXME handle the empty list"),
        ("src/client.ts", "export function send() {\n  throw new Error('Not implemented');\n}"),
        ("p.rs", "fn parse() -> Tree {\n    todo!()\n}\n"),
    ],
)
def test_stubs_of_many_languages_are_found(path, text):
    assert get_verdict("philosophy_compliance", user("Go."), edit(path, text)) is Verdict.VIOLATED


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.tsx", '<input placeholder="Your name" />'),
        ("todo.ts", "const todos = loadTodos(); // todo list of the user"),
        ("a.go", "// Close is a no-op: the server owns the socket."),
        ("a.py", "class Missing(Exception):\n    pass\n"),
        ("a.py", "class Store(Protocol):\n    def get(self, key: str) -> str:\n        ...\n"),
        ("a.py", "stub = grpc.Stub(channel)"),
        ("lock_win.go", "// lock does nothing here: not implemented for this platform\nfunc lock() {}"),
        ("b.py", "class B(ABC):\n    @abstractmethod\n    def go(self):\n        raise NotImplementedError\n"),
        ("docs/plan.md", "TODO: describe the cache"),
        ("tests/test_a.py", "def fake(): pass\nTEXT = 'TODO: x'"),
        ("a.rs", 'println!("{}", HACKATHON);'),
    ],
)
def test_lookalikes_of_stubs_pass(path, text):
    assert get_verdict("philosophy_compliance", user("Go."), edit(path, text)) is not Verdict.VIOLATED


def test_stub_that_the_user_mentions_is_unknown():
    prompt = user("Leave a TODO where the cache will go.")
    assert get_verdict("philosophy_compliance", prompt, edit("a.py", "# TODO: cache")) is Verdict.UNKNOWN
