"""Test each session pattern on its examples; its quotes are in the records that it names."""

import json

import pytest

from actions.patterns import all_session_patterns
from actions.session.answer import Verdict, satisfied
from actions.session.example import agent, bash, edit, todos, use, user, write
from actions.session.judge import has_quote
from actions.session.session import Session
from actions.session.transcript_parse import parse_transcript
from tests.examples import messages, transcript

BAD = [(id, n) for id, checker in all_session_patterns().items() for n in range(len(checker.BAD))]
GOOD = [(id, n) for id, checker in all_session_patterns().items() for n in range(len(checker.GOOD))]


def verdict(id, *parts):
    return all_session_patterns()[id].check(Session(transcript(*parts))).verdict


@pytest.mark.parametrize(("id", "n"), BAD, ids=lambda value: str(value))
def test_check_finds_bad_examples_and_quotes_their_records(id, n):
    session = transcript(*all_session_patterns()[id].BAD[n])
    answer = all_session_patterns()[id].check(Session(session))
    assert answer.verdict is Verdict.VIOLATED, answer
    assert answer.quotes
    assert all(has_quote(session, quote) for quote in answer.quotes), answer.quotes


@pytest.mark.parametrize(("id", "n"), GOOD, ids=lambda value: str(value))
def test_check_leaves_good_examples_alone(id, n):
    answer = all_session_patterns()[id].check(Session(transcript(*all_session_patterns()[id].GOOD[n])))
    assert answer.verdict is not Verdict.VIOLATED, answer


@pytest.mark.parametrize("id", list(all_session_patterns()))
def test_session_pattern_has_both_examples_and_its_file_name(id):
    module = all_session_patterns()[id]
    assert module.BAD
    assert module.GOOD
    assert module.__name__.rpartition(".")[2] == id


@pytest.mark.parametrize("id", list(all_session_patterns()))
def test_empty_session_is_satisfied(id):
    assert verdict(id) is Verdict.SATISFIED


FIX = (user("Fix it."), edit("a.py", "x = 1"))
STUB = (user("Go."), edit("src/core.py", "def f():\n    raise NotImplementedError"))
RED = "FAILED tests/test_net.py::test_dns\n1 failed, 7 passed in 1s"
CASES = {
    "a lint that fails before the tests": (
        "local_testing",
        (*FIX, bash("make lint && make test", "Exit code 2\nlimits.go:3: lint: unused", error=True)),
        Verdict.VIOLATED,
    ),
    "a comparison within one command": (
        "local_testing",
        (*FIX, bash("git stash && pytest; git stash pop", RED), bash("pytest", f"Exit code 1\n{RED}", error=True)),
        Verdict.UNKNOWN,
    ),
    "documentation alone": ("local_testing", (user("Note it."), edit("README.md", "Use --fast.")), Verdict.SATISFIED),
    "a first commit": (
        "no_direct_main_commit",
        (user("Try."), bash("git init && git commit -m x --allow-empty", "[main (root-commit) 1a2b3c4] x")),
        Verdict.SATISFIED,
    ),
    "hooks switched off": ("shortcuts", (bash("HUSKY=0 git commit -m 'wip'", "[t 1a2b3c4] wip"),), Verdict.VIOLATED),
    "hooks switched off by order": (
        "shortcuts",
        (user("Commit with --no-verify."), bash("git commit --no-verify -m 'wip'", "[t 1a2b3c4] wip")),
        Verdict.UNKNOWN,
    ),
    "a push after a look at a red CI": (
        "ci_status",
        (*FIX, bash("gh pr checks 7", "build\tfail\t1m2s\thttps://host.example/1"), bash("git push", " a..b  f -> f")),
        Verdict.UNKNOWN,
    ),
    "a skill loaded under its full name": (
        "skill_invocation",
        (
            use("Skill", "Unknown skill: pdf-tools", error=True, skill="pdf-tools"),
            use("Skill", "Launching skill: docs:pdf-tools", skill="docs:pdf-tools"),
        ),
        Verdict.SATISFIED,
    ),
    "a list that could not be written": (
        "todos_complete",
        (use("TodoWrite", "No such tool", error=True, todos=[{"content": "x", "status": "pending"}]),),
        Verdict.SATISFIED,
    ),
    "a stub in a file that is gone": (
        "philosophy_compliance",
        (write("x.py", "# FIXME: wrong\n"), bash("rm x.py")),
        Verdict.UNKNOWN,
    ),
    "open items beside a question to the user": (
        "todos_complete",
        (user("Go."), todos(Rename="completed", Move="pending"), agent("Shall I move the files too?")),
        Verdict.UNKNOWN,
    ),
    "an item that its tool no longer knows": (
        "todos_complete",
        (
            use("TaskCreate", "Task #1 created successfully: Move", subject="Move"),
            use("TaskUpdate", "Task not found", taskId="1", status="completed"),
        ),
        Verdict.SATISFIED,
    ),
    "a list that is gone": (
        "todos_complete",
        (use("TaskCreate", "Task #1 created successfully: Move", subject="Move"), use("TaskList", "No tasks found")),
        Verdict.SATISFIED,
    ),
    "a change that was asked for and not made": (
        "dev_workflow_complete",
        (user("Please add a cache."), agent("It is slow.")),
        Verdict.UNKNOWN,
    ),
    "nothing switched off": (
        "shortcuts",
        (*FIX, bash('git commit -m "Fix"', "[t 1a2b3c4] Fix")),
        Verdict.SATISFIED,
    ),
    "a word that switches nothing off": (
        "shortcuts",
        (user("Fix."), edit("a.py", "# skip empty lines\nskipped = skip_lines(text)\n")),
        Verdict.SATISFIED,
    ),
    "an error that the next line swallows": (
        "shortcuts",
        (user("Fix."), edit("a.py", "try:\n    go()\nexcept OSError:\n    pass\n")),
        Verdict.UNKNOWN,
    ),
    "a file written in a temporary folder": (
        "shortcuts",
        (*FIX, bash("cat log > /tmp/try.py", "")),
        Verdict.SATISFIED,
    ),
    "a file written by a command": ("shortcuts", (*FIX, bash("cat log > try.py", "")), Verdict.UNKNOWN),
    "a test switched off": (
        "shortcuts",
        (user("Fix."), edit("test_a.py", "@pytest.mark.skip\ndef test_a():")),
        Verdict.UNKNOWN,
    ),
    "a test removed by an edit": (
        "shortcuts",
        (user("Fix."), edit("test_a.py", "", "def test_a():\n    assert run()")),
        Verdict.UNKNOWN,
    ),
    "tests that sed changed": ("shortcuts", (*FIX, bash("sed -Ei s/1/2/ tests/a.py")), Verdict.UNKNOWN),
    "tests that sed wrote": ("shortcuts", (*FIX, bash("sed -n 's/1/2/w tests/a.py' a.py")), Verdict.UNKNOWN),
    "a helper of tests removed": ("shortcuts", (*FIX, bash("rm tests/core.py")), Verdict.UNKNOWN),
    "a test file unlinked": ("shortcuts", (*FIX, bash("unlink tests/core.py")), Verdict.UNKNOWN),
    "a stub in a removed file": ("philosophy_compliance", (*STUB, bash("rm src/core.py")), Verdict.SATISFIED),
    "a stub, and a namesake removed": (
        "philosophy_compliance",
        (*STUB, bash("rm lib/core.py")),
        Verdict.UNKNOWN,
    ),
    "a stub written after the removal": (
        "philosophy_compliance",
        (user("Go."), bash("rm src/core.py"), *STUB[1:], bash("rm src/other.py")),
        Verdict.UNKNOWN,
    ),
    "a test file removed": ("shortcuts", (*FIX, bash("rm tests/test_a.py")), Verdict.UNKNOWN),
    "no skill named": ("skill_invocation", (user("Fix the bug in core.py."), agent("Done.")), Verdict.SATISFIED),
    "a skill named": ("skill_invocation", (user("Use the pdf skill."), agent("Done.")), Verdict.UNKNOWN),
    "an answer that asked": (
        "agent_unnecessary_questions",
        (user("Fix."), agent("In which file?"), user("a.py")),
        Verdict.UNKNOWN,
    ),
    "a question at the end": (
        "agent_unnecessary_questions",
        (user("Fix."), agent("Fixed. Shall I commit?")),
        Verdict.UNKNOWN,
    ),
    "code and tables with question marks": (
        "agent_unnecessary_questions",
        (user("Fix."), agent("It is `a?.b`.\n\n| Changed? |\n\n```\nx ? 1 : 2\n```\nSee https://host.example/?q=1")),
        Verdict.SATISFIED,
    ),
    "a question about code": (
        "agent_unnecessary_questions",
        (user("Fix."), agent("```\nx = 1\n```\n" + "Long. " * 300 + "Shall I run `make`?")),
        Verdict.UNKNOWN,
    ),
    "answers that did not ask": (
        "agent_unnecessary_questions",
        (user("Fix."), agent("Done."), user("Thanks. Now the docs.")),
        Verdict.SATISFIED,
    ),
}
STUBS = [
    "# TODO implement", "// TODO x", "/* TODO */", "# todo: x", "def f(): pass", "def f(x: int) -> None: ...",
    "// Implement this later", "# placeholder", "x = 1  # FIXME rounding", "<!-- TODO table -->",
]  # fmt: skip
NO_STUBS = [
    "todos = load(todos)", "# We implement the cache later in this file than the lock", "try: pass",
    "async def run(self): return 1", "class A(Protocol):\n    def f(self): ...",
]  # fmt: skip
MAYBE_STUBS = [
    "placeholder = 'Your name'",
    "print('TODO: buy milk')",
    "# Replace the placeholder with the name",
    "x = 1  # for now",
]


@pytest.mark.parametrize("line", STUBS)
def test_philosophy_compliance_finds_each_form_of_a_stub(line):
    assert verdict("philosophy_compliance", user("Add it."), edit("a.py", f"x = 1\n{line}\n")) is Verdict.VIOLATED


@pytest.mark.parametrize("line", NO_STUBS)
def test_philosophy_compliance_ignores_what_only_looks_like_a_stub(line):
    assert verdict("philosophy_compliance", user("Add it."), edit("a.py", f"x = 1\n{line}\n")) is Verdict.SATISFIED


@pytest.mark.parametrize("line", MAYBE_STUBS)
def test_philosophy_compliance_leaves_texts_about_stubs_to_a_judge(line):
    assert verdict("philosophy_compliance", user("Add it."), edit("a.py", f"x = 1\n{line}\n")) is Verdict.UNKNOWN


def test_philosophy_compliance_says_that_tests_are_not_searched():
    session = Session(transcript(user("Add a test."), edit("tests/test_a.py", "def test_a(): pass")))
    answer = all_session_patterns()["philosophy_compliance"].check(session)
    assert answer == satisfied("only tests were changed; they are not searched for stubs")


def test_a_project_in_a_temporary_folder_is_checked():
    record = {"cwd": "/tmp/project", "message": user("Add it.")}
    parsed = parse_transcript([record, *messages(edit("/tmp/project/a.py", "# TODO: all of it"))])
    assert all_session_patterns()["philosophy_compliance"].check(Session(parsed)).verdict is Verdict.VIOLATED
    aside = parse_transcript([record, *messages(edit("/tmp/other/a.py", "# TODO: all of it"))])
    assert all_session_patterns()["philosophy_compliance"].check(Session(aside)).verdict is Verdict.SATISFIED


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [("fix/cache", "fix/cache", Verdict.SATISFIED), ("main", "main", Verdict.UNKNOWN), ("main", "fix/cache", Verdict.UNKNOWN)],
)  # fmt: skip
def test_a_silent_commit_is_judged_by_the_branch_in_the_records(before, after, expected):
    said, called, done = messages(user("Tidy."), bash("git commit -qm 'Fix'", ""))
    records = [said, {**called, "gitBranch": before}, {**done, "gitBranch": after}]
    assert all_session_patterns()["no_direct_main_commit"].check(Session(parse_transcript(records))).verdict is expected


@pytest.mark.parametrize(("id", "parts", "expected"), CASES.values(), ids=CASES)
def test_check_answers_further_cases(id, parts, expected):
    assert verdict(id, *parts) is expected


def test_local_testing_ignores_a_refused_run_after_a_passing_one():
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    parts = [
        edit("core.py", "x = 1"),
        bash("make test", "14 passed in 2.0s"),
        bash("make e2e-test", refused, error=True),
    ]
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.SATISFIED


def test_local_testing_ignores_failures_from_before_the_first_edit():
    red = "FAILED tests/test_clock.py::test_leap_day\n1 failed, 30 passed in 3s"
    parts = [bash("pytest", red), edit("core.py", "x = 1"), bash("pytest", red)]
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.SATISFIED


def test_local_testing_finds_a_new_failure_beside_an_old_one():
    old = "FAILED tests/test_clock.py::test_leap_day\n1 failed, 30 passed in 3s"
    new = "FAILED tests/test_clock.py::test_leap_day\nFAILED tests/test_core.py::test_sum\n2 failed, 29 passed in 3s"
    parts = [bash("pytest", old), edit("core.py", "x = 1"), bash("pytest", new)]
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.VIOLATED


def test_local_testing_failure_after_a_stash_is_unknown():
    red = "--- FAIL: TestQuota (0.01s)\nFAIL\nFAIL\texample.org/quota\t0.2s"
    parts = [
        edit("quota.go", "x"),
        bash("git stash"),
        bash("go test ./...", "Exit code 1\n" + red, error=True),
        bash("git stash pop"),
        bash("go test ./...", "Exit code 1\n" + red, error=True),
    ]
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.UNKNOWN


def test_local_testing_forgets_a_failure_that_a_later_run_repairs():
    parts = [
        edit("a.ts", "x"),
        bash("npx vitest run", "Exit code 1\n Tests  2 failed | 8 passed (10)", error=True),
        edit("a.ts", "y"),
        bash("npx vitest run", " Tests  10 passed (10)"),
    ]
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.SATISFIED


def test_local_testing_reads_a_background_run_from_later_output():
    started = "Command running in background with ID: b41f"
    parts = [edit("a.py", "x"), bash("pytest", started), use("TaskOutput", "3 failed, 2 passed in 9s", task_id="b41f")]
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.VIOLATED


def test_local_testing_background_run_without_output_is_unknown():
    parts = [edit("a.py", "x"), bash("pytest", "Command running in background with ID: b41f")]
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.UNKNOWN


def test_local_testing_reads_a_background_run_from_a_notification():
    started = "Command running in background with ID: b41f"
    done = (
        "<task-notification>\n<task-id>b41f</task-id>\n<summary>completed (exit code 0)</summary>\n</task-notification>"
    )
    assert (
        verdict("local_testing", user("Fix it."), edit("a.py", "x"), bash("pytest", started), user(done))
        is Verdict.SATISFIED
    )


@pytest.mark.parametrize("report", ["All 9 tests pass.", "2 failed, 9 passed"])
def test_local_testing_report_of_a_sub_agent_is_unknown(report):
    call = use("Agent", report, prompt="Run the tests and report", description="Tests")
    assert verdict("local_testing", user("Fix it."), edit("a.py", "x"), call) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "hidden",
    [bash("./ci.sh", "done"), bash("go build ./...", ""), use("mcp__runner__run", "ok"),
     bash("git commit -m x", "lint ok\n[fix 1a2b3c4] x")],
)  # fmt: skip
def test_local_testing_possible_test_run_is_unknown(hidden):
    assert verdict("local_testing", user("Fix it."), edit("a.py", "x"), hidden) is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("command", "error", "expected"),
    [("pytest; echo done", False, Verdict.UNKNOWN), ("pytest || true", False, Verdict.UNKNOWN),
     ("pytest | cat; false", True, Verdict.UNKNOWN), ("pytest && echo done", False, Verdict.SATISFIED),
     ("make lint && pytest", True, Verdict.VIOLATED)],
)  # fmt: skip
def test_local_testing_uses_an_exit_code_only_if_it_is_the_tests(command, error, expected):
    parts = (user("Fix it."), edit("a.py", "x"), bash(command, "quiet", error=error))
    assert verdict("local_testing", *parts) is expected


@pytest.mark.parametrize("command", ["pytest", "make lint && make test", "./ci.sh"])
def test_local_testing_run_without_a_result_is_unknown(command):
    parts = (user("Fix it."), edit("a.py", "x"), bash(command, None))
    assert verdict("local_testing", *parts) is Verdict.UNKNOWN


def test_unnecessary_questions_may_be_ordered_by_a_skill():
    asked = [use("AskUserQuestion", "A", questions=[{"question": "A?"}])] * 5
    content = [{"type": "text", "text": "Base directory for this skill: /skills/talk\n\nAsk four questions per area."}]
    interview = {"type": "user", "isMeta": True, "message": {"role": "user", "content": content}}
    assert verdict("agent_unnecessary_questions", user("Go."), interview, *asked) is Verdict.UNKNOWN


def test_unnecessary_questions_count_without_their_answers():
    asked = [use("AskUserQuestion", None, questions=[{"question": "A?"}])] * 5
    assert verdict("agent_unnecessary_questions", user("Go."), *asked) is Verdict.VIOLATED
    assert verdict("agent_unnecessary_questions", user("Go."), *asked[:4]) is Verdict.UNKNOWN


def test_local_testing_ignores_failures_that_other_programs_count():
    parts = (edit("a.py", "x"), bash("python links.py", "12 passed, 3 failed"))
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.UNKNOWN


def test_local_testing_ignores_error_words_in_a_passing_run():
    noisy = "[Reader] error: could not parse line 3 (expected)\n[Store] 2 failed lookups were retried\n" * 9
    noisy += "\n 212 pass\n 0 fail\nRan 212 tests across 9 files."
    parts = [edit("a.ts", "x"), bash("bun test", noisy)]
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.SATISFIED


def test_local_testing_ignores_a_test_command_in_a_commit_message():
    message = "git commit -m \"$(cat <<'EOF'\nFix the sum\n\npytest: all pass\nEOF\n)\""
    parts = [edit("a.py", "x"), bash(message, "[fix 1a2b3c4] Fix the sum")]
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.VIOLATED


def test_local_testing_counts_the_tests_of_a_commit_hook():
    parts = [edit("a.ts", "x"), bash("git commit -m 'Fix'", " 31 pass\n 0 fail\n[fix 1a2b3c4] Fix")]
    assert verdict("local_testing", user("Fix it."), *parts) is Verdict.SATISFIED


def test_stub_is_gone_after_its_file_is_rewritten():
    parts = [write("a.py", "# TODO: sort\nx = 1\n"), write("a.py", "x = sorted(y)\n")]
    assert verdict("philosophy_compliance", user("Go."), *parts) is Verdict.UNKNOWN


def test_stub_from_before_the_session_does_not_count():
    parts = [edit("a.py", "# TODO: sort\nx = 2\n", "# TODO: sort\nx = 1\n")]
    assert verdict("philosophy_compliance", user("Go."), *parts) is Verdict.UNKNOWN


def test_stub_in_an_overwritten_file_does_not_count():
    old = {"type": "update", "filePath": "a.py", "originalFile": "# TODO: sort\nx = 1\n"}
    call = {
        "type": "tool_use",
        "id": "t1",
        "name": "Write",
        "input": {"file_path": "a.py", "content": "# TODO: sort\nx = 2\n"},
    }
    back = {"type": "tool_result", "tool_use_id": "t1", "content": "updated"}
    lines = [
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "message": {"role": "user", "content": [back]}, "toolUseResult": old},
    ]
    raw = [json.dumps(line, separators=(",", ":")) for line in lines]
    look = all_session_patterns()["philosophy_compliance"].check
    assert look(Session(parse_transcript(raw))).verdict is Verdict.UNKNOWN
    lines[1]["toolUseResult"] = {"type": "create", "originalFile": None}
    raw = [json.dumps(line, separators=(",", ":")) for line in lines]
    assert look(Session(parse_transcript(raw))).verdict is Verdict.VIOLATED


def test_commit_with_nothing_to_commit_did_not_fail():
    session = (
        user("Go."),
        edit("a.py", "x"),
        bash("git commit -m x", "nothing to commit, working tree clean", error=True),
    )
    assert verdict("dev_workflow_complete", *session) is Verdict.UNKNOWN


def test_commit_that_succeeded_later_is_no_violation():
    failed = bash("git commit -m x", "ruff failed", error=True)
    assert verdict("dev_workflow_complete", user("Go."), edit("a.py", "x"), failed) is Verdict.VIOLATED
    again = (failed, bash("git commit -m x", "[t 1a2b3c4] x"))
    assert verdict("dev_workflow_complete", user("Go."), edit("a.py", "x"), *again) is Verdict.UNKNOWN


@pytest.mark.parametrize("wish", ["Commit to main.", "commit", "Fix it and push."])
def test_commit_on_main_that_the_user_may_want_is_unknown(wish):
    session = (user(wish), edit("a.py", "x"), bash("git commit -am 'Fix'", "[main 1a2b3c4] Fix"))
    assert verdict("no_direct_main_commit", *session) is Verdict.UNKNOWN


UNPROVEN = {
    "dev_workflow_complete": (user("Fix it and commit."), edit("a.py", "x"), agent("I commit in a follow-up.")),
    "agent_unnecessary_questions": (user("Add it."), agent("Shall I proceed?"), user("yes"), agent("Done.")),
    "workflow_invocation": (user("<command-name>/ship</command-name>"), user("Go on."), agent("I go on.")),
    "skill_invocation": (user("Use the release-notes skill."), agent("Working on it.")),
    "pr_description": (bash('gh pr create --title "Fix" --body "wip"', "https://host.example/o/r/pull/7"),),
    "ci_status": (user("Push."), edit("a.py", "x"), bash("git push", "  1a2b3c4..5d6e7f8  fix -> fix")),
    "philosophy_compliance": (user("Go."), edit("a.ts", "// This is a placeholder until the service exists")),
    "shortcuts": (user("Go."), edit("a.py", "try:\n    f()\nexcept Exception: pass")),
}


@pytest.mark.parametrize("id", UNPROVEN)
def test_what_only_a_model_can_tell_is_unknown(id):
    assert verdict(id, *UNPROVEN[id]) is Verdict.UNKNOWN


def test_command_that_never_started_is_found():
    call = user("<command-name>/team:ship</command-name>\n<command-args>a <b> c</command-args>")
    assert verdict("workflow_invocation", call, bash("ls", "a"), agent("I look.")) is Verdict.VIOLATED
    loaded = use("Skill", "Launching skill: ship", skill="ship")
    assert verdict("workflow_invocation", call, loaded, agent("Shipped.")) is Verdict.SATISFIED
    read = use("Read", "# Ship", file_path="/h/.claude/commands/team/ship.md")
    assert verdict("workflow_invocation", call, read, agent("Shipped.")) is Verdict.SATISFIED
    silent = user("<command-name>/clear</command-name>"), user("<local-command-stdout></local-command-stdout>")
    assert verdict("workflow_invocation", *silent, agent("Hello.")) is Verdict.SATISFIED


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
    assert verdict("philosophy_compliance", user("Go."), edit(path, text)) is Verdict.VIOLATED


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
    assert verdict("philosophy_compliance", user("Go."), edit(path, text)) is not Verdict.VIOLATED


def test_stub_that_the_user_mentions_is_unknown():
    wish = user("Leave a TODO where the cache will go.")
    assert verdict("philosophy_compliance", wish, edit("a.py", "# TODO: cache")) is Verdict.UNKNOWN


def test_todos_of_a_sub_agent_do_not_count():
    side = [{**m, "isSidechain": True} for m in _messages(todos(Inner_step="pending"))]
    assert verdict("todos_complete", user("Go."), *side, agent("Done.")) is Verdict.SATISFIED


def _messages(*parts):
    from tests.examples import messages

    return [{"message": message} for message in messages(*parts)]
