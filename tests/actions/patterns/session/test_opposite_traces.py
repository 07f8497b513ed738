"""Test that records which contradict a decision make it unknown, and that other records do not."""

import pytest
from msgspec.structs import replace

from actions.patterns.session_pattern import check_consideration
from actions.session.answer import Verdict
from actions.session.edits import classify_path
from actions.session.example import agent, bash, edit, todos, use, user, write
from actions.session.run_place import may_cover
from actions.session.session import Session
from actions.session.shell import list_commands
from tests.examples import make_transcript

FIX = (user("Fix it."), edit("src/core.py", "x = 1"))
NOTE = (user("Note it."), edit("/p/docs/a/b.md", "x"))
GIT_STATUS = "On branch fix\nChanges not staged for commit:\n\tmodified:   src/style.css"


def get_answer(id, *parts):
    return check_consideration(f"_check_{id}", Session(make_transcript(*parts)))[0]


def make_task(description, prompt="Go."):
    return use("Task", "Done.", description=description, prompt=prompt, subagent_type="worker")


UNKNOWN = {
    "a handler with only a comment": ("shortcuts", edit("a.ts", "try { go() } catch (e) {\n  // never mind\n}")),
    "a handler that ignores a promise": ("shortcuts", edit("a.ts", "go().catch(() => {})")),
    "a lint whose result is ignored": ("shortcuts", bash("npm run lint 2>/dev/null || true")),
    "code that a formatter changed": ("documentation_updates", bash("make assist"), bash("git status", GIT_STATUS)),
    "a result of the CI by the user": ("ci_precommit_mismatch", user("The CI failure is about coverage.")),
    "a page mentioned only in another page": (
        "feature_docs_discoverable", write("docs/new.md", "x"), edit("docs/plan.md", "See `new.md`."),
    ),
    "a skill named late in a prompt": ("skill_invocation", user("Plan it. " * 99 + "Then run /plan-phase 7.")),
    "a description that is written later": ("pr_description", bash("gh pr edit 7 --body 'What it is for'")),
    "a review comment without the word review": ("review_responses", user("a.py:7: consider moving this into a helper.")),
    "a push without a result": ("ci_status", bash("git push", None)),
    "a pull request without a result": ("pr_description", bash("gh pr create --fill", None)),
    "a sub-agent that pushes": ("ci_status", make_task("Finish it", "Then run git push and stop.")),
    "a sub-agent that opens a pull request": ("pr_description", make_task("Finish it", "Push and open a PR.")),
}  # fmt: skip


@pytest.mark.parametrize(("id", "trace"), [(case[0], case[1:]) for case in UNKNOWN.values()], ids=UNKNOWN)
def test_contradicting_records_make_the_decision_unknown(id, trace):
    work = NOTE if id == "documentation_updates" else FIX
    assert get_answer(id, *work).verdict is Verdict.SATISFIED
    assert get_answer(id, *work, *trace).verdict is Verdict.UNKNOWN


SATISFIED = {
    "a handler that logs": ("shortcuts", edit("a.ts", "try { go() } catch (e) {\n  // say it\n  log(e)\n}")),
    "a listing whose result is ignored": ("shortcuts", bash("ls docs || true", "")),
    "code that was changed before": ("documentation_updates", bash("git status", GIT_STATUS), bash("make assist"), bash("git status", GIT_STATUS)),
    "a page mentioned in an index": ("feature_docs_discoverable", write("docs/new.md", "x"), edit("docs/index.md", "(new.md)")),
    "a task of the CI": ("ci_precommit_mismatch", user("Run `mise run test:ci`. It must pass.")),
    "a commit that its hook refused": (
        "unrelated_changes", bash("git commit -am x", "husky - pre-commit script failed (code 1)", error=True),
    ),
    "a sub-agent that mentions pull requests": ("ci_status", make_task("Rename it", "The PR body is built in pr.py.")),
    "a sub-agent that writes pages": ("documentation_updates", make_task("Regenerate exec reference docs")),
    "a word of the old code": ("philosophy_compliance", edit("a.py", "# a stub\nx = 1", "# a stub")),
    "a sub-agent for tests": ("documentation_updates", make_task("Rename it", "Do NOT modify any source files.")),
}  # fmt: skip


@pytest.mark.parametrize(("id", "parts"), [(case[0], case[1:]) for case in SATISFIED.values()], ids=SATISFIED)
def test_other_records_do_not_change_the_decision(id, parts):
    assert get_answer(id, *(NOTE if id == "documentation_updates" else FIX), *parts).verdict is Verdict.SATISFIED


def test_reason_mentions_new_pages_of_tools():
    result = get_answer("feature_docs_discoverable", *FIX, write("/p/.planning/todo.md", "x"))
    assert result.why == "new pages are only in folders of tools and tests"
    assert get_answer("feature_docs_discoverable", *FIX).why == "the records show no new page"


def test_reason_mentions_an_emptied_todo_list():
    emptied_list = (todos(Fix_it="completed"), use("TodoWrite", "ok", todos=[]))
    assert get_answer("todos_complete", *FIX, *emptied_list).why == "the todo list was emptied"
    assert get_answer("todos_complete", *FIX).why == "there is no todo list"


@pytest.mark.parametrize(("count", "expected"), [(1, Verdict.SATISFIED), (2, Verdict.UNKNOWN)])
def test_sub_agent_with_complete_records_is_checked(count, expected):
    usage = f"Done.\nagentId: a41f\n<usage>total_tokens: 9 tool_uses: {count} duration_ms: 7</usage>"
    parts = make_transcript(user("Go."), bash("mkdir src"), use("Task", usage, description="Build it", prompt="Go."))
    calls = (replace(parts.calls[0], agent="a41f"), *parts.calls[1:])
    assert check_consideration("_check_root_pollution", Session(replace(parts, calls=calls)))[0].verdict is expected


def test_scripts_of_claude_code_are_code():
    assert classify_path("/p/.claude/hooks/setup.sh") == "code"
    assert classify_path("/p/.claude/settings.json") == classify_path("/p/.claude/x") == "settings"


@pytest.mark.parametrize(
    ("prompt", "verdict"),
    [
        ("In Go: switch { case PR: } over the main transcript", Verdict.SATISFIED),
        ("Switch to main first.", Verdict.UNKNOWN),
    ],
)
def test_words_of_code_in_a_task_do_not_order_a_commit(prompt, verdict):
    session = Session(replace(make_transcript(user("Go."), make_task("Rename it", prompt)), branches=((0, "fix/it"),)))
    assert check_consideration("_check_no_direct_main_commit", session)[0].verdict is verdict


def test_commit_without_a_result_may_have_happened():
    parts = (*FIX, bash("git add src/core.py"), bash("git commit -m x", None))
    assert get_answer("unrelated_changes", *parts).why == "only files that the session changed were added"
    assert get_answer("unrelated_changes", *FIX, bash("git commit -am x", None)).verdict is Verdict.UNKNOWN
    for branch, reason in (
        ("fix/it", "no commit was made on the main branch"),
        ("main", "a command may have committed"),
    ):
        session = Session(replace(make_transcript(*parts), branches=((0, branch),)))
        assert check_consideration("_check_no_direct_main_commit", session)[0].why == reason


def test_commit_on_main_after_a_command_to_commit_is_unknown():
    commit = bash("git commit -am x", "[main 1a2b3c4] x")
    assert get_answer("no_direct_main_commit", *FIX, commit).verdict is Verdict.VIOLATED
    command_call = user("<command-name>/lore-commit</command-name>")
    assert get_answer("no_direct_main_commit", *FIX, commit, command_call, agent("Done.")).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("command", "covered"),
    [("pytest", True), ("cd /p && pytest", True), ("cd /p/api && pytest", True), ("cd /p/web && pytest", False),
     ("pnpm --filter @p/api test", True), ("pnpm --filter web test", False)],
)  # fmt: skip
def test_tests_of_another_part_cover_nothing(command, covered):
    (test_command,) = list_commands(make_transcript(bash(command, "ok")).steps)
    assert may_cover(test_command, "/p/api/src/a.ts", "/p") is covered


def test_local_testing_of_another_part_is_unknown():
    parts = make_transcript(
        user("Fix it."), edit("/p/web/a.ts", "x"), bash("cd /p/api && npx jest", "Tests: 3 passed, 3 total")
    )
    for root, verdict in (("/p", Verdict.UNKNOWN), ("", Verdict.SATISFIED)):
        assert check_consideration("_check_local_testing", Session(replace(parts, cwd=root)))[0].verdict is verdict


@pytest.mark.parametrize(("time", "expected"), [("0.3s", Verdict.SATISFIED), ("(cached)", Verdict.UNKNOWN)])
def test_local_testing_result_of_a_cache_after_an_edit_is_unknown(time, expected):
    first, second = (bash("go test ./... | tail -1", f"ok  \ta/b\t{output}") for output in ("0.2s", time))
    assert (
        get_answer("local_testing", user("Fix it."), edit("a.go", "x"), first, edit("a.go", "y"), second).verdict
        is expected
    )
    assert get_answer("local_testing", user("Fix it."), edit("a.go", "x"), first, second).verdict is Verdict.SATISFIED
