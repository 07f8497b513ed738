"""Test each session pattern on its examples, and that its quotes are in the records that it cites."""

import pytest

from actions.patterns import find_session_pattern, get_session_patterns
from actions.session.answer import Verdict
from actions.session.example import agent, bash, edit, todos, use, user, write
from actions.session.judge import has_quote
from actions.session.session import Session
from actions.session.transcript_parse import parse_transcript
from tests.examples import get_verdict, make_messages, make_transcript

BAD = [(id, n) for id, checker in get_session_patterns().items() for n in range(len(checker.BAD))]
GOOD = [(id, n) for id, checker in get_session_patterns().items() for n in range(len(checker.GOOD))]


@pytest.mark.parametrize(("id", "n"), BAD, ids=lambda value: str(value))
def test_check_finds_bad_examples_and_quotes_their_records(id, n):
    session = make_transcript(*get_session_patterns()[id].BAD[n])
    answer = get_session_patterns()[id].check(Session(session))
    assert answer.verdict is Verdict.VIOLATED, answer
    assert answer.quotes
    assert all(has_quote(session, quote) for quote in answer.quotes), answer.quotes


@pytest.mark.parametrize(("id", "n"), GOOD, ids=lambda value: str(value))
def test_check_finds_no_good_example(id, n):
    answer = get_session_patterns()[id].check(Session(make_transcript(*get_session_patterns()[id].GOOD[n])))
    assert answer.verdict is not Verdict.VIOLATED, answer


def test_find_session_pattern_imports_only_known_modules():
    assert find_session_pattern("todos_complete") is get_session_patterns()["todos_complete"]
    names = ("", "no_such_check", "ses_001_failing_command", "todos_complete.os", "../todos_complete", "__init__")
    assert [find_session_pattern(name) for name in names] == [None] * len(names)


@pytest.mark.parametrize("id", list(get_session_patterns()))
def test_session_pattern_has_both_examples_and_its_file_name(id):
    module = get_session_patterns()[id]
    assert module.BAD
    assert module.GOOD
    assert module.__name__.rpartition(".")[2] == id


@pytest.mark.parametrize("id", list(get_session_patterns()))
def test_empty_session_is_satisfied(id):
    assert get_verdict(id) is Verdict.SATISFIED


FIX = (user("Fix it."), edit("a.py", "x = 1"))
STUB = (user("Go."), edit("src/core.py", "def f():\n    raise NotImplementedError"))
FAILING_OUTPUT = "FAILED tests/test_net.py::test_dns\n1 failed, 7 passed in 1s"
CASES = {
    "a lint that fails before the tests": (
        "local_testing",
        (*FIX, bash("make lint && make test", "Exit code 2\nlimits.go:3: lint: unused", error=True)),
        Verdict.UNKNOWN,
    ),
    "a comparison within one command": (
        "local_testing",
        (
            *FIX,
            bash("git stash && pytest; git stash pop", FAILING_OUTPUT),
            bash("pytest", f"Exit code 1\n{FAILING_OUTPUT}", error=True),
        ),
        Verdict.UNKNOWN,
    ),
    "only documentation": ("local_testing", (user("Note it."), edit("README.md", "Use --fast.")), Verdict.SATISFIED),
    "a first commit": (
        "no_direct_main_commit",
        (user("Try."), bash("git init && git commit -m x --allow-empty", "[main (root-commit) 1a2b3c4] x")),
        Verdict.SATISFIED,
    ),
    "hooks switched off": ("shortcuts", (bash("HUSKY=0 git commit -m 'wip'", "[t 1a2b3c4] wip"),), Verdict.VIOLATED),
    "hooks switched off as requested": (
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
    "a stub in a deleted file": (
        "philosophy_compliance",
        (write("x.py", "# FIXME: wrong\n"), bash("rm x.py")),
        Verdict.UNKNOWN,
    ),
    "open items beside a question to the user": (
        "todos_complete",
        (user("Go."), todos(Rename="completed", Move="pending"), agent("Shall I move the files too?")),
        Verdict.UNKNOWN,
    ),
    "an open item before work that may have finished it": (
        "todos_complete",
        (
            user("Go."),
            todos(Write_it="completed", Run_the_tests="in_progress"),
            bash("make test", "ok"),
            agent("Done."),
        ),
        Verdict.UNKNOWN,
    ),
    "an open item before a look at the folder": (
        "todos_complete",
        (user("Go."), todos(Run_the_tests="pending"), bash("git status && ls | head", "a.py"), agent("Done.")),
        Verdict.VIOLATED,
    ),
    "an item that no longer exists": (
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
    "a program that submits a pull request": (
        "pr_description",
        (*FIX, bash("erk pr submit", "PR #7 created")),
        Verdict.UNKNOWN,
    ),
    "a program that updates a pull request": (
        "pr_description",
        (*FIX, bash("erk pr submit", "PR #7 found (already exists)")),
        Verdict.SATISFIED,
    ),
    "a program that may have committed": (
        "no_direct_main_commit",
        (*FIX, bash("erk pr submit", "Done")),
        Verdict.UNKNOWN,
    ),
    "tests that sed changed": ("shortcuts", (*FIX, bash("sed -Ei s/1/2/ tests/a.py")), Verdict.UNKNOWN),
    "tests that sed wrote": ("shortcuts", (*FIX, bash("sed -n 's/1/2/w tests/a.py' a.py")), Verdict.UNKNOWN),
    "a helper of tests removed": ("shortcuts", (*FIX, bash("rm tests/core.py")), Verdict.UNKNOWN),
    "a test removed beside a temporary one": (
        "shortcuts",
        (*FIX, bash("cd /tmp && rm -r test-a; rm /p/tests/core.py")),
        Verdict.UNKNOWN,
    ),
    "a test removed from a temporary folder's parent": (
        "shortcuts",
        (*FIX, bash("cd /tmp/a && rm ../../p/tests/core.py")),
        Verdict.UNKNOWN,
    ),
    "temporary tests removed": (
        "shortcuts",
        (*FIX, bash("cd /tmp && rm -r test-a"), bash("rm -r /tmp/test-b")),
        Verdict.SATISFIED,
    ),
    "a rebase that continues": ("shortcuts", (*FIX, bash("git cherry-pick --skip")), Verdict.SATISFIED),
    "a tool that skips tests": (
        "shortcuts",
        (*FIX, bash("git rebase --skip && make check --skip tests")),
        Verdict.UNKNOWN,
    ),
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


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [("fix/cache", "fix/cache", Verdict.SATISFIED), ("main", "main", Verdict.UNKNOWN), ("main", "fix/cache", Verdict.UNKNOWN)],
)  # fmt: skip
def test_silent_commit_is_judged_by_the_branch_in_the_records(before, after, expected):
    prompt, commit_call, commit_result = make_messages(user("Tidy."), bash("git commit -qm 'Fix'", ""))
    records = [prompt, {**commit_call, "gitBranch": before}, {**commit_result, "gitBranch": after}]
    assert get_session_patterns()["no_direct_main_commit"].check(Session(parse_transcript(records))).verdict is expected


@pytest.mark.parametrize(("id", "parts", "expected"), CASES.values(), ids=CASES)
def test_check_answers_further_cases(id, parts, expected):
    assert get_verdict(id, *parts) is expected


def test_unnecessary_questions_may_be_ordered_by_a_skill():
    question_calls = [use("AskUserQuestion", "A", questions=[{"question": "A?"}])] * 5
    content = [{"type": "text", "text": "Base directory for this skill: /skills/talk\n\nAsk four questions per area."}]
    interview = {"type": "user", "isMeta": True, "message": {"role": "user", "content": content}}
    assert get_verdict("agent_unnecessary_questions", user("Go."), interview, *question_calls) is Verdict.UNKNOWN


def test_unnecessary_questions_count_without_their_answers():
    question_calls = [use("AskUserQuestion", None, questions=[{"question": "A?"}])] * 5
    assert get_verdict("agent_unnecessary_questions", user("Go."), *question_calls) is Verdict.VIOLATED
    assert get_verdict("agent_unnecessary_questions", user("Go."), *question_calls[:4]) is Verdict.UNKNOWN


def test_commit_with_nothing_to_commit_did_not_fail():
    session = (
        user("Go."),
        edit("a.py", "x"),
        bash("git commit -m x", "nothing to commit, working tree clean", error=True),
    )
    assert get_verdict("dev_workflow_complete", *session) is Verdict.UNKNOWN


def test_commit_that_succeeded_later_is_not_a_violation():
    failed_commit = bash("git commit -m x", "ruff failed", error=True)
    assert get_verdict("dev_workflow_complete", user("Go."), edit("a.py", "x"), failed_commit) is Verdict.VIOLATED
    repeated_commit = (failed_commit, bash("git commit -m x", "[t 1a2b3c4] x"))
    assert get_verdict("dev_workflow_complete", user("Go."), edit("a.py", "x"), *repeated_commit) is Verdict.UNKNOWN


@pytest.mark.parametrize("prompt", ["Commit to main.", "commit", "Fix it and push."])
def test_commit_on_main_that_the_user_may_want_is_unknown(prompt):
    session = (user(prompt), edit("a.py", "x"), bash("git commit -am 'Fix'", "[main 1a2b3c4] Fix"))
    assert get_verdict("no_direct_main_commit", *session) is Verdict.UNKNOWN


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
def test_session_that_needs_a_model_is_unknown(id):
    assert get_verdict(id, *UNPROVEN[id]) is Verdict.UNKNOWN


def test_command_that_never_started_is_found():
    call = user("<command-name>/team:ship</command-name>\n<command-args>a <b> c</command-args>")
    assert get_verdict("workflow_invocation", call, bash("ls", "a"), agent("I look.")) is Verdict.VIOLATED
    skill_call = use("Skill", "Launching skill: ship", skill="ship")
    assert get_verdict("workflow_invocation", call, skill_call, agent("Shipped.")) is Verdict.SATISFIED
    read_call = use("Read", "# Ship", file_path="/h/.claude/commands/team/ship.md")
    assert get_verdict("workflow_invocation", call, read_call, agent("Shipped.")) is Verdict.SATISFIED
    other_commands = user("<command-name>/clear</command-name>"), user("<local-command-stdout></local-command-stdout>")
    assert get_verdict("workflow_invocation", *other_commands, agent("Hello.")) is Verdict.SATISFIED


def test_todos_of_a_sub_agent_do_not_count():
    messages = make_messages(todos(Inner_step="pending"))
    sub_agent_records = [{"message": message, "isSidechain": True} for message in messages]
    assert get_verdict("todos_complete", user("Go."), *sub_agent_records, agent("Done.")) is Verdict.SATISFIED
