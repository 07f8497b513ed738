"""Test the recognition of commands that run tests, and of their outcomes."""

import time

import pytest

from actions.patterns import get_session_patterns
from actions.session.example import agent, bash, user, write
from actions.session.outcomes import find_failing_tests, read_outcome
from actions.session.runs import runs_tests
from actions.session.session import Session
from actions.session.shell import split_commands
from tests.examples import make_transcript


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q", "python -m pytest tests/", "uv run --frozen pytest", "poetry run pytest -x", "npx --yes jest",
        "npm test", "npm run test:unit", "pnpm --filter api test", "yarn test", "bun test", "go test ./...", "cargo test",
        "cargo nextest run", "make test", "make check", "just test", "mise run test:ci", "./gradlew :app:test", "mvn verify",
        "dotnet test", "bundle exec rspec", "mix test", "swift test", "deno test -A", "tox -e py311", "ctest",
        "node --test", "bash scripts/run-tests.sh", "./test.sh", "python tests/test_sum.py", "cd api && npm test",
        "CI=1 npm test 2>&1 | tail -20", "timeout 60 pytest", "docker compose up -d && pytest", "time make test", "docker compose exec -T web pytest -q",
        "python3.12 -m coverage run -m pytest", "bash -c 'cd api && npm test'", "python manage.py test", "pnpm exec vitest run",
        "uv run --directory api pytest", "make fast-ci", "conda run -n birds pytest", ".venv/bin/python -m unittest",
    ],
)  # fmt: skip
def test_command_of_tests_is_recognized(command):
    assert any(runs_tests(part) for part in split_commands(command))


@pytest.mark.parametrize(
    "command",
    [
        "pip install pytest", "cat tests/test_sum.py", "ls tests", "grep -rn pytest .", "git commit -m 'make test pass'",
        "pytest --collect-only", "npm ci", "npm install --save-dev jest", "go build -o /tmp/my-test ./cmd", "cargo check",
        "echo 'npm test'", "mkdir -p test-data", "cat <<'EOF' > run.sh\npytest\nEOF", "go vet ./...", "which pytest",
        "git add \\\n  src/a.spec.ts \\\n  src/b.ts", "npm run lint", "jest --version",
        "pnpm add -D vitest", "docker compose exec web ls tests", "npm ci && npm run build",
    ],
)  # fmt: skip
def test_command_that_only_mentions_tests_is_not_a_run(command):
    assert not any(runs_tests(part) for part in split_commands(command))


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("=== 5 passed in 0.1s ===", True),
        ("1 failed, 3 passed in 2s", False),
        ("2 passed, 1 error in 0.2s", False),
        ("Tests:       5 failed, 473 passed, 478 total", False),
        ("test result: ok. 5 passed; 0 failed; 0 ignored", True),
        ("Ran 5 tests in 0.01s\n\nOK", True),
        ("Ran 5 tests in 0.1s\n\nFAILED (failures=1)", False),
        ("  5 passing (20ms)\n  2 failing", False),
        ("10 examples, 0 failures", True),
        ("Passed!  - Failed:     0, Passed:     5, Skipped: 0", True),
        ("Tests run: 5, Failures: 1, Errors: 0", False),
        ("# pass 5\n# fail 0", True),
        ("100% tests passed, 0 tests failed out of 5", True),
        ("ok  \tpkg/a\t0.1s\nFAIL\tpkg/b\t0.2s\nFAIL", False),
        ("  1 failed\n    a.spec.ts\n  3 passed (3.2s)", False),
        ("\x1b[32m 10 pass\x1b[0m\n\x1b[31m 2 fail\x1b[0m", False),
        ("OK (5 tests, 8 assertions)", True),
        ("BUILD FAILED in 2s", False),
        ("error: could not compile `birds`", False),
        ("no tests ran in 0.01s", None),
        ("Done.", None),
        ("", None),
    ],
)
def test_summary_lines_of_many_runners_are_read(text, passed):
    assert read_outcome(text).passed is passed


def test_report_in_prose_proves_nothing():
    assert read_outcome("I ran the suite.\n\nAll tests pass, no failures.").passed is None
    assert read_outcome("The tests failed at the gate.").passed is None


def test_failing_tests_are_named_without_files():
    text = "FAILED tests/test_a.py::TestSum::test_empty\n--- FAIL: TestQuota (0.01s)\n● Birds › spec one"
    assert {"test_empty", "TestQuota"} <= find_failing_tests(text)


def test_shell_text_is_split_at_breaks_outside_quotes():
    assert split_commands("A=1 sudo git commit -m 'a; b' && (ls | wc -l)") == (
        ("git", "commit", "-m", "'a; b'"),
        ("ls",),
        ("wc", "-l"),
    )


def test_comments_are_not_commands_and_do_not_end_quotations():
    assert split_commands("# Look (and > see) \\\nls \\\n  -a # all\n  # pytest\necho '\n# one' \"\n# two\"") == (
        ("ls", "-a", "#", "all"),
        ("echo", "'\n# one'", '"\n# two"'),
    )


@pytest.mark.parametrize(
    "hostile", ["'" * 5000, '"\\' * 5000, "<<a\n" * 5000, "(" * 5000, "a" * 100_000, "1 " * 50_000, "\n #" * 5000]
)
def test_hostile_texts_are_parsed_quickly(hostile):
    split_commands(hostile)
    read_outcome(hostile)
    find_failing_tests(hostile)


@pytest.mark.parametrize(
    "hostile",
    [
        "open " + " " * 590,
        "def f(" + ")" * 30_000,
        "# " + "for now " * 40,
        "use " + " " * 30_000,
        "I could not " * 3_000,
        "[" * 30_000,
    ],
)
def test_hostile_words_and_code_are_checked_quickly(hostile):
    parts = (user(hostile), write("a.py", hostile), write("a.ts", hostile), agent(hostile), bash("git commit", hostile))
    start = time.process_time()
    for checker in get_session_patterns().values():
        checker.check(Session(make_transcript(*parts)))
    assert time.process_time() - start < 30


@pytest.mark.parametrize(
    "word", ["-test" + "_test" * 20 + "/x", "a-test" + "_" * 60 + "/", "x" + "_test" * 20_000 + "/"]
)
def test_hostile_task_name_is_checked_quickly(word):
    start = time.process_time()
    assert not runs_tests(("make", word))
    assert time.process_time() - start < 1
    assert runs_tests(("make", "my-tests_fast:one.two"))
    assert not runs_tests(("make", "my-tests_"))
