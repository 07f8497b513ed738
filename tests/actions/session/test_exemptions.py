"""Test the answers to considerations that do not apply to a session, according to its records."""

import pytest
from msgspec.structs import replace

from actions.patterns.session_pattern import check_consideration
from actions.session.answer import Verdict, answer_unknown
from actions.session.example import agent, bash, edit, use, user, write
from actions.session.session import Session
from actions.session.transcript import SkippedLines
from tests.examples import make_transcript

FIX = (user("Fix it."), edit("src/core.py", "x = 1"))
COMMIT = "[fix 1a2b3c4] Fix"
SESSIONS_WITHOUT_OCCASION = {
    "few lines without a new name": ("documentation_updates", FIX),
    "lines around a change": (
        "tutorial_needed",
        (user("Go."), edit("a.py", "y = 1\n" * 90 + "x = 1", "y = 1\n" * 90)),
    ),
    "tests that need no documentation": ("documentation_updates", (user("Test it."), edit("tests/test_a.py", "x"))),
    "documentation that needs no example": ("tutorial_needed", (user("Note it."), edit("README.md", "x"))),
    "a small change": ("tutorial_needed", (user("Fix it."), edit("a.py", "x = 1\n" * 60))),
    "no new page": ("feature_docs_discoverable", (*FIX, edit("docs/use.md", "x"))),
    "a page mentioned in another page": (
        "feature_docs_discoverable",
        (*FIX, write("docs/new.md", "x"), edit("docs/index.md", "See [new](new.md).")),
    ),
    "a note of a tool": ("feature_docs_discoverable", (*FIX, write("/p/.planning/state.md", "x"))),
    "an answer of a server": ("feature_docs_discoverable", (*FIX, bash("curl -s http://localhost:80/", "ok"))),
    "a document in its folder": ("docs_organization", (*FIX, write("/p/docs/new.md", "x"))),
    "a new name that is documented": (
        "documentation_updates",
        (user("Go."), edit("a.py", "p.add('--dry-run')"), edit("README.md", "Use `--dry-run` first.")),
    ),
    "an order to review": ("review_responses", (user("Can you review the tests?"), agent("They are fine."))),
    "no new document": ("docs_organization", FIX),
    "no new file in the root": ("root_pollution", (*FIX, write("src/new.py", "x"), bash("ls 2>/dev/null"))),
    "a file that was removed": ("root_pollution", (*FIX, write("debug.py", "x"), bash("rm debug.py"))),
    "output outside the project": ("root_pollution", (*FIX, bash("pytest > /tmp/out.txt 2>&1"))),
    "a file in a temporary folder": ("root_pollution", (*FIX, bash("cd /tmp/a && cd b && echo x > out.txt"))),
    "a copy in another folder": ("root_pollution", (*FIX, bash("cp /tmp/plan.md /home/user/shore/.impl/plan.md"))),
    "own work that was stashed": ("root_pollution", (*FIX, bash("git stash && pytest; git stash pop"))),
    "a file that is moved below": ("root_pollution", (*FIX, bash("mv a/b.md a/done/"), bash("touch a/b/.gitkeep"))),
    "a file that is only read": ("root_pollution", (*FIX, bash("python -c \"open('.impl/issue.json')\""))),
    "an archive that is only read": ("root_pollution", (*FIX, bash("unzip -p a.zip x"), bash("tar tzf a.tgz"))),
    "lines that awk compares": ("root_pollution", (*FIX, bash("awk 'NR>=140 && NR<=160' src/core.py"))),
    "a page that is only asked for": ("root_pollution", (*FIX, bash("curl -so /dev/null -w '%{http_code}' http://a/"))),
    "a page that is saved below": ("root_pollution", (*FIX, bash("curl -s --output build/a.json http://a/"))),
    "lines that sed prints": ("root_pollution", (*FIX, bash("sed -n '1,9p; s/a/w/g' src/core.py"))),
    "a fixture that a command writes": ("feature_docs_discoverable", (*FIX, bash("echo x > tests/files/a.txt"))),
    "a file that Python writes below": ("root_pollution", (*FIX, bash("python -c \"open('x/o.py', 'w')\""))),
    "no CI": ("ci_precommit_mismatch", FIX),
    "no review": ("review_responses", FIX),
    "a look at the pull request is not a review": ("review_responses", (*FIX, bash("gh pr view 7 --json state", "{}"))),
    "another tool is not a review": ("review_responses", (*FIX, use("mcp__playwright__browser_click", "{}"))),
    "nothing committed": ("unrelated_changes", FIX),
    "only edited files": (
        "unrelated_changes",
        (*FIX, bash("git add src/core.py && git commit -m 'Fix'", COMMIT)),
    ),
    "only edited files after other git commands": (
        "unrelated_changes",
        (
            *FIX,
            bash("git checkout -b fix"),
            bash("git stash && pytest; git stash pop"),
            bash("git merge-base main HEAD"),
            bash("git pull", "Already up to date."),
            bash("git add src/core.py && git commit -m 'Fix'", COMMIT),
            bash('git push origin "$(git branch --show-current)"'),
        ),
    ),
    "files that the session moved and removed": (
        "unrelated_changes",
        (
            *FIX,
            bash("git mv a/b.md done/"),
            bash("if [ -d tmp/plan ]; then git rm -rf tmp/plan; fi"),
            bash("git add done/b.md a/b.md && git commit -m 'Fix'", COMMIT),
        ),
    ),
    "only edited files in another folder with git": (
        "unrelated_changes",
        (
            edit("/p/src/core.py", "x"),
            bash("git -C /p add src/core.py && git -C /p commit -m 'Fix'", COMMIT),
        ),
    ),
    "only tests": ("interactive_testing", (user("Test."), edit("tests/test_a.py", "x"))),
    "the edited file was run": ("interactive_testing", (*FIX, bash("python src/core.py --help", "usage"))),
    "the edited script was started": (
        "interactive_testing",
        (user("Go."), edit("run.sh", "x"), bash("./run.sh", "done")),
    ),
}
SESSIONS_WITH_OCCASION = {
    "a new command": ("interactive_testing", (user("Go."), write("/p/.claude/commands/review.md", "x"))),
    "a new command as a feature": ("tutorial_needed", (user("Go."), write("/p/.claude/commands/review.md", "x"))),
    "a program that submits": ("unrelated_changes", (*FIX, bash("erk pr submit", "Committing changes"))),
    "a change with a new name": ("documentation_updates", (user("Go."), edit("a.py", "limit_of_words = 3"))),
    "production code": ("documentation_updates", (user("Go."), edit("a.py", "x = 1\n" * 21))),
    "a larger change": ("tutorial_needed", (user("Add it."), edit("a.py", "x = 1\n" * 61))),
    "a new module": ("tutorial_needed", (user("Add it."), write("a.py", "x = 1\n"))),
    "a new page": ("feature_docs_discoverable", (*FIX, write("docs/new.md", "x"))),
    "a document in the root": ("docs_organization", (*FIX, write("NOTES.md", "x"))),
    "documentation of something else": (
        "documentation_updates",
        (user("Go."), edit("a.py", "p.add('--dry-run')"), edit("README.md", "Fix a slip.")),
    ),
    "a page that mentions only itself": ("feature_docs_discoverable", (*FIX, write("docs/new.md", "new.md"))),
    "a downloaded file": ("root_pollution", (*FIX, bash("curl -sO http://localhost:80/a.zip", ""))),
    "a file in the root": ("root_pollution", (*FIX, write("debug.py", "x"))),
    "a file by redirection": ("root_pollution", (*FIX, bash("python a.py > out.txt"))),
    "a file by redirection without a space": ("docs_organization", (*FIX, bash("echo x >>NOTES.md"))),
    "a copied file": ("root_pollution", (*FIX, bash("cp a.py b.py"))),
    "a file after a subshell": ("root_pollution", (*FIX, bash("(cd /tmp/a && ls) && echo x > out.txt"))),
    "a file in a folder that may be any": ("root_pollution", (*FIX, bash("cd /tmp/a && cd .. && cp x y"))),
    "a file by a variable": ("root_pollution", (*FIX, bash('cd /tmp/a && cp x "$HOME/y"'))),
    "a CI": ("ci_precommit_mismatch", (*FIX, bash("gh pr checks 7", "build\tpass\t1m\thttps://host.example/1"))),
    "a review by word": ("review_responses", (user("Answer the review."), agent("Done."))),
    "a review by an answer": ("review_responses", (*FIX, agent("The unresolved PR review threads are fixed."))),
    "a review by its threads": ("review_responses", (*FIX, bash("erk exec resolve-review-threads", "{}"))),
    "a review of a sub-agent": ("review_responses", (*FIX, use("Task", "5", prompt="Classify the PR feedback."))),
    "a review by command": ("review_responses", (*FIX, bash("gh api repos/o/r/pulls/7/comments", "[]"))),
    "a review by fields": ("review_responses", (*FIX, bash("gh pr view 7 --json title,reviews", "{}"))),
    "a review by another tool": ("review_responses", (*FIX, use("mcp__github__get_pull_request", "{}"))),
    "all files added": ("unrelated_changes", (*FIX, bash("git add -A && git commit -m 'Fix'", COMMIT))),
    "another file added": (
        "unrelated_changes",
        (*FIX, bash("git add src/core.py other.py && git commit -m 'Fix'", COMMIT)),
    ),
    "another file added in another folder": (
        "unrelated_changes",
        (*FIX, bash("git -C /p add src/core.py b.py && git -C /p commit -m 'Fix'", COMMIT)),
    ),
    "a commit of staged files": ("unrelated_changes", (*FIX, bash("git commit --amend -m 'Fix'", COMMIT))),
    "all added by another tool": (
        "unrelated_changes",
        (*FIX, bash("git add src/core.py && gt modify -a && git commit -m 'Fix'", COMMIT)),
    ),
    "a commit of all": ("unrelated_changes", (*FIX, bash("git commit -am 'Fix'", COMMIT))),
    "nothing was run": ("interactive_testing", FIX),
    "the edited file was shown": ("interactive_testing", (*FIX, bash("cat src/core.py", "x = 1"))),
    "the file was run before": ("interactive_testing", (bash("python src/core.py", "x"), *FIX)),
}


def get_answer(id, parts):
    return check_consideration(f"_check_{id}", Session(make_transcript(*parts)))[0]


@pytest.mark.parametrize(("id", "parts"), SESSIONS_WITHOUT_OCCASION.values(), ids=SESSIONS_WITHOUT_OCCASION)
def test_session_without_an_occasion_is_satisfied(id, parts):
    result = get_answer(id, parts)
    assert result.verdict is Verdict.SATISFIED
    assert result.why


@pytest.mark.parametrize(("id", "parts"), SESSIONS_WITH_OCCASION.values(), ids=SESSIONS_WITH_OCCASION)
def test_occasion_is_left_to_a_judge(id, parts):
    assert get_answer(id, parts).verdict is Verdict.UNKNOWN


GIT_COMMANDS = ("git add src/core.py; ", "; git commit -m 'Fix'")
COMMANDS_THAT_STAGE_MORE = [
    "git commit -qam x", "git commit -m x secrets.env", "git add -Av", "git stage -A", "git add --pathspec-from-file=l",
    "git ls-files -o | xargs git add", "git aa", "sh -c 'git add -A'", "git add lib/other/core.py", "git add 'src/*'",
    "cd lib && git add src/core.py", "echo $(git add -A)", "bash <<E\ngit add -A\nE\n:", "/usr/bin/git add -A",
    "git checkout main secrets.env", "git checkout -- secrets.env", "git stash pop", "git pull", "git rm -r '*'",
    'git push origin "$(git add -A)"', "git stash; git stash pop; git stash pop",
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS_THAT_STAGE_MORE)
def test_command_that_may_stage_more_is_unknown(command):
    parts = (*FIX, bash(command.join(GIT_COMMANDS), COMMIT))
    assert get_answer("unrelated_changes", parts).verdict is Verdict.UNKNOWN


def test_files_staged_after_a_change_of_folder_are_known():
    commit = "git add src/core.py && git commit -m x"
    for change_of_folder, verdict in (
        ("cd /p && ", Verdict.SATISFIED),
        ("", Verdict.UNKNOWN),
        ("cd /p/lib && ", Verdict.UNKNOWN),
    ):
        parts = (edit("/p/src/core.py", "x"), bash("cd src && ls"), bash(change_of_folder + commit, COMMIT))
        session = Session(replace(make_transcript(*parts), cwd="/p"))
        assert check_consideration("_check_unrelated_changes", session)[0].verdict is verdict


def test_code_in_a_project_named_like_a_test_is_production_code():
    session = Session(
        replace(make_transcript(user("Fix it."), edit("/p/test-cli/src/core.go", "x")), cwd="/p/test-cli")
    )
    assert [edit.path for edit in session.production_edits] == ["/p/test-cli/src/core.go"]
    session_with_test = Session(
        replace(make_transcript(user("Fix it."), edit("/p/test-cli/tests/core.go", "x")), cwd="/p/test-cli")
    )
    assert not session_with_test.production_edits


CALLS_AFTER_REMOVAL = [
    (bash("rm debug.py"), write("debug.py", "y")), (bash("rm /tmp/debug.py"),), (bash("false && rm debug.py"),),
    (bash("rm debug.py || true"),), (bash("rm --help debug.py"),), (bash("cd src && rm debug.py"),),
    (bash("rm debug.py"), bash("git mv src/a.py a.py")), (bash("rm debug.py"), bash("tar xf /tmp/a.tgz")),
    (bash("rm debug.py"), bash("mv src/a.py a.py")), (bash("rm debug.py"), bash("python -c \"open('o','w')\"")),
    (bash("rm debug.py"), bash("python3 - <<E\nopen('$D/o', 'w')\nE")),
    (bash("rm debug.py"), bash("sed -n 'w a.py' src/core.py")), (bash("rm debug.py"), bash("sed -i.bak s/a/b/ x/a.py")),
    (bash("rm debug.py"), bash("sed 's/a/touch b/e' x/a.py")), (bash("rm debug.py"), bash("sed -f x.sed src/a.py")),
    (bash("rm debug.py"), bash("awk '{print > \"a.py\"}' src/core.py")), (bash("rm debug.py"), bash("git stash pop")),
    (bash("rm debug.py"), bash("cp x/a.py ./")), (bash("rm debug.py"), bash("cd .. && cp x/a.py y/shore/a.py")),
    (bash("rm debug.py"), bash("awk '$1>=5 {print > \"a.py\"}' x")), (bash("rm debug.py"), bash("curl -o a.py http://a/")),
    (bash("rm debug.py"), bash("curl -o /dev/null -O http://a/a.py")), (bash("rm debug.py"), bash("curl -oa.py http://a")),
    (bash("rm debug.py"), bash("curl -LJO http://a/a.py")), (bash("rm debug.py"), bash("curl -o $F http://a/")),
    (bash("rm debug.py"), bash("ls | xargs -n1 touch")), (bash("rm debug.py"), bash("python -c \"open(p, m)\"")),
]  # fmt: skip


@pytest.mark.parametrize("after", CALLS_AFTER_REMOVAL)
def test_file_that_may_be_left_is_unknown(after):
    assert get_answer("root_pollution", (*FIX, write("debug.py", "x"), *after)).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    "command",
    ["sed -i s/a/b/ src/core.py", "sed -Ei 's/a/b/' src/core.py", "sed -n -i '' 's/a/b/' src/core.py",
     "sed -n 'w src/core.py' x", "sed --expression='s/a/b/w src/core.py' x", "sed 1e x", "ls | xargs sed -i s/a/b/",
     "cat > src/core.py <<E\nx = 1\nE", "git apply fix.patch",
     "python3 - <<E\nopen('src/core.py', 'w').write('x')\nE"],
)  # fmt: skip
def test_code_changed_by_a_command_is_unknown(command):
    for id in ("interactive_testing", "documentation_updates"):
        assert get_answer(id, (user("Go."), bash(command))).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("command", ["python src/other/core.py", "false && python src/core.py || true", "core.py"])
def test_start_of_a_possibly_different_file_is_unknown(command):
    assert get_answer("interactive_testing", (*FIX, bash(command))).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize("task", ["Run the migration and rewrite src/core.py", "Review comments: fix all in src/"])
def test_task_that_also_changes_is_unknown(task):
    parts = (user("Go."), use("Task", "done", description=task, subagent_type="general-purpose"))
    assert get_answer("interactive_testing", parts).verdict is Verdict.UNKNOWN


TASK_FIELDS = {"subagent_type": "worker", "prompt": "Go."}
CHANGING_TASK = use("Task", "Done.", description="Implement the cache", **TASK_FIELDS)
PLANNING_TASK = use("Task", "Done.", description="Plan the cache", **TASK_FIELDS)
TESTING_TASK = use("Task", "Done.", description="Run the tests", **TASK_FIELDS)
EXPLORING_TASK = use("Task", "Done.", description="The cache", subagent_type="Explore", prompt="Go.")
BY_CODE = ("documentation_updates", "tutorial_needed", "philosophy_compliance", "shortcuts", "local_testing")
BY_FILES = ("feature_docs_discoverable", "docs_organization", "root_pollution")


@pytest.mark.parametrize("id", (*BY_CODE, *BY_FILES))
def test_work_of_a_sub_agent_without_records_is_unknown(id):
    note = (user("Note it."), edit("/p/docs/a/b.md", "x"))
    assert get_answer(id, (*note, CHANGING_TASK)) == answer_unknown(
        "a sub-agent without records may have changed files"
    )
    assert get_answer(id, (*note, PLANNING_TASK)).verdict is (Verdict.SATISFIED if id in BY_CODE else Verdict.UNKNOWN)


FORMATTING_TASK = use("Task", "Done.", description="Run prettier to fix formatting", **TASK_FIELDS)


def test_sub_agents_that_change_no_code_keep_the_answer():
    assert (
        get_answer("philosophy_compliance", (*FIX, TESTING_TASK, EXPLORING_TASK, FORMATTING_TASK)).verdict
        is Verdict.SATISFIED
    )


@pytest.mark.parametrize(
    ("branch", "prompt", "verdict"),
    [("fix/it", "Rename it.", Verdict.SATISFIED), ("fix/it", "Commit it.", Verdict.UNKNOWN),
     ("main", "Rename it.", Verdict.UNKNOWN), ("", "Rename it.", Verdict.UNKNOWN)],
)  # fmt: skip
def test_sub_agent_may_commit_if_its_task_or_branch_says_so(branch, prompt, verdict):
    task_call = use("Task", "Done.", description="Rename it", subagent_type="worker", prompt=prompt)
    session = Session(replace(make_transcript(user("Go."), task_call), branches=((0, branch),)))
    assert check_consideration("_check_no_direct_main_commit", session)[0].verdict is verdict


def test_missing_fact_is_unknown_if_records_were_dropped():
    session = Session(replace(make_transcript(*FIX), skipped=SkippedLines(dropped=3)))
    result, _ = check_consideration("_check_philosophy_compliance", session)
    assert result == answer_unknown("the transcript is too long to be read completely")
