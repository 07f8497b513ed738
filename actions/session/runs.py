"""Find the test runs of a session: the commands that ran tests, and their outcomes.

A run is recognized by its command, or by a number of passed tests that a hook or a script printed. The report of a
sub-agent is prose, not a run; see `reports.py`.
"""

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec

from actions.regex import regex
from actions.session.outcomes import Outcome, find_failing_tests, read_outcome
from actions.session.shell import Command, split_commands
from actions.session.transcript import Transcript


class _RunResult(NamedTuple):
    record: int
    text: str
    outcome: Outcome


class Run(msgspec.Struct, frozen=True, dict=True):
    """A test run in a session. The outcome is read on demand, because usually only the last run matters."""

    command: Command
    transcript: Transcript

    @property
    def outcome(self) -> Outcome:
        """The outcome of the run."""
        return self._result.outcome

    @property
    def end(self) -> int:
        """The number of the record with the outcome."""
        return self._result.record

    @property
    def failing(self) -> frozenset[str]:
        """The names of failing tests in the output."""
        return find_failing_tests(self._result.text)

    @cached_property
    def _result(self) -> _RunResult:
        """The result of the command or, for a background run, later output or a notification."""
        result, outcome = self.command.result, _read_command_outcome(self.command)
        text, record = (result.text, result.record) if result else ("", self.command.record)
        id = _BACKGROUND_ID.search(text) if outcome.passed is None and not self.command.agent else None
        for later_record, later_text in self._list_later_output(id[1]) if id else ():
            later_outcome, exit_code = read_outcome(later_text), _EXIT_CODE.search(later_text)
            if later_outcome.passed is None and exit_code:
                later_outcome = Outcome(exit_code[1] == "0", exit_code[0])
            if later_outcome.passed is not None:
                return _RunResult(later_record, later_text, later_outcome)
        return _RunResult(record, text, outcome)

    def _list_later_output(self, id: str) -> Iterator[tuple[int, str]]:
        """Yield the record and the text of each later output of the background command `id`."""
        since = self.command.record
        outputs = [
            (message.record, message.text)
            for message in self.transcript.messages
            if message.record > since and id in message.text
        ]
        for call, result in self.transcript.steps:
            if call.record > since and result is not None and result.text and id in repr(call.input):
                outputs.append((result.record, result.text))
        yield from sorted(outputs)


_RUNNERS = frozenset(
    "pytest py.test tox nox jest vitest mocha ava tap jasmine karma rspec minitest phpunit pest ctest bats behave "
    "cucumber nose2 unittest ginkgo gotestsum nextest playwright cypress testcafe wdio busted shellspec".split()
)
_TASK_RUNNERS = frozenset(
    "go cargo dotnet swift mix flutter dart deno zig bazel xcodebuild rails lein stack cabal sbt mvn mvnw gradle "
    "gradlew meson ng forge cmake npm pnpm yarn bun make gmake just task mise rake nx turbo composer ant ninja invoke "
    "inv hatch pdm moon earthly lerna rush vp poe doit dev".split()
)
_MULTI_STEP_RUNNERS = frozenset("make gmake ninja just mise task inv invoke rake mvn mvnw".split())
_CHECK_TASKS = frozenset({"check", "ci", "verify"})
_SETUP_PROGRAMS = frozenset({"cd", "export", "pushd", "source"})
_TEST_TASK = regex(
    r"^(?::[\w-]+:)*(?:(?:t|tst|tests?|specs?|e2e|unit|integration|units)(?:[:._-].*)?|\w+Test|testOnly)$"
    r"|^[\w.-]+[:_-](?:tests?|specs?|e2e|ci)(?:_\w+)?(?:[:.-]\w+)*$"
)
_MAX_TASK_NAME = 100
_TEST_SCRIPT = regex(
    r"(?i)(?:^|/)(?:run[_-]?)?(?:all[_-]?)?tests?(?:[_-][\w-]+)?(?:\.(?:sh|py|js|ts|mjs|rb|pl|bash))?$"
    r"|(?:[_.-]tests?|\.spec)\.(?:py|js|ts|mjs|rb|sh)$"
)
_INTERPRETER = regex(r"^(?:python[\d.]*|node|ruby|bash|sh|zsh|perl|tsx|ts-node|php|coverage)$")
_NO_RUN_WORDS = frozenset(
    "--collect-only --co --help -h --version --list-tests --listTests --dry-run install i add remove "
    "uninstall why".split()
)
_NO_TEST_PROGRAMS = frozenset(
    "cat less head tail grep rg gh glab gt ls find sed awk echo printf wc jq diff curl wget git cd pwd which date "
    "sleep mkdir cp mv rm touch chmod sort uniq tr cut tee true export".split()
)
"""Programs that run no tests. (A git hook may run tests; then the output of git contains lines of other programs.)"""
_GIT_LINE = regex(
    r"\[| \d+ files? changed| (?:create|delete|rename|rewrite|copy) | \S.*\S +\| | +\S+ +\S+ -> |To |From |remote:"
    r"|branch |On branch|Your branch|Everything up|Switched |Already |Updating |Fast-forward|Auto-merging|warning: "
)
_NEVER_RAN_HINTS = (
    "command not found|unrecognized subcommand|issing script|nknown command|nknown option|no tests ran"
    "|No such file or directory|Command timed out|not recognized as|No module named|o test found|o tests found"
    "|o test file found|o test files found|o tests to run"
).split("|")
_BACKGROUND_ID = regex(r"running in (?:the )?background with ID: (\w+)")
_EXIT_CODE = regex(r"exit code:? (\d{1,3})")


def find_runs(transcript: Transcript, commands: tuple[Command, ...]) -> tuple[Run, ...]:
    """Return the test runs in order, including any other command whose output counts passed tests and no failures."""
    return tuple(Run(command, transcript) for command in commands if command.may_have_run and _is_run(command))


def may_run_tests(command: Command) -> bool:
    """Return whether a command may have run tests: False only if it is known to run none."""
    programs = {part[0].rpartition("/")[2] for part in command.parts}
    ran_hook = "git" in programs and not all(_GIT_LINE.match(line) for line in command.output.splitlines() if line)
    may_start_hook = any(part[1:2] in (("commit",), ("push",), ("merge",), ("rebase",)) for part in command.parts)
    return command.may_have_run and (not programs <= _NO_TEST_PROGRAMS or (ran_hook and may_start_hook))


def _is_run(command: Command) -> bool:
    """Return whether a command ran tests, judging by its words, else by its output."""
    if any(map(runs_tests, command.parts)):
        return True
    output = command.output
    may_count = "pass" in output or "PASS" in output or "\nok  " in output or output.startswith("ok  ")
    return may_count and may_run_tests(command) and read_outcome(output).passed is True


def _read_command_outcome(command: Command) -> Outcome:
    """Return the outcome that a command printed, else the outcome that its exit code shows."""
    outcome, is_error = read_outcome(command.output), command.result is not None and command.result.is_error
    is_counted = outcome.passed or outcome.failures
    if command.result is None or (not is_counted and any(map(command.output.__contains__, _NEVER_RAN_HINTS))):
        return Outcome()
    if command.hides_exit_codes:
        return outcome
    programs = [part for part in command.parts if part[0] not in _SETUP_PROGRAMS]
    if is_error and (outcome.passed is None or (outcome.passed and len(programs) == 1)):
        return Outcome(False, _get_first_line(command.output)) if _starts_with_tests(programs) else Outcome()
    if outcome.passed is None and not is_error and not _BACKGROUND_ID.search(command.output):
        return Outcome(True, _get_first_line(command.output))
    return outcome


def _starts_with_tests(programs: list[tuple[str, ...]]) -> bool:
    """Return whether the first program runs the tests, so that a failure must be theirs."""
    return bool(programs) and runs_tests(programs[0]) and programs[0][0].rpartition("/")[2] not in _MULTI_STEP_RUNNERS


@lru_cache(maxsize=4096)
def runs_tests(words: tuple[str, ...]) -> bool:
    """Return whether a simple command, split into words, runs tests."""
    program, arguments = words[0].rpartition("/")[2], words[1:]
    if program in _NO_TEST_PROGRAMS or not _NO_RUN_WORDS.isdisjoint(arguments):
        return False
    if program in _TASK_RUNNERS:
        has_test_task = any(word in _RUNNERS or _is_test_task(word) for word in arguments[:5])
        return has_test_task or (program in _MULTI_STEP_RUNNERS and not _CHECK_TASKS.isdisjoint(arguments))
    if _INTERPRETER.match(program):
        return _runs_test_script(arguments)
    if program in _RUNNERS or ("/" in words[0] and _TEST_SCRIPT.search(words[0])):
        return True
    first_inner = next(
        (index for index, word in enumerate(arguments[:6], 1) if word in ("exec", "run")), len(arguments)
    )
    return any(runs_tests(arguments[index:]) for index in range(first_inner, min(first_inner + 6, len(arguments))))


def _is_test_task(word: str) -> bool:
    """Return whether a word names a task that runs tests. Long words are not task names."""
    return len(word) <= _MAX_TASK_NAME and _TEST_TASK.match(word) is not None


def _runs_test_script(arguments: tuple[str, ...]) -> bool:
    if "-m" in arguments[:-1]:
        return arguments[len(arguments) - arguments[::-1].index("-m")].partition(".")[0] in _RUNNERS
    if arguments[:1] in (("-c",), ("-lc",)) and len(arguments) > 1:
        return any(map(runs_tests, split_commands(arguments[1].strip("'\""))))
    script, *more = [word for word in arguments if not word.startswith("-")] or [""]
    is_test_command = script in ("manage.py", "artisan", "setup.py") and more[:1] == ["test"]
    return is_test_command or arguments[:1] == ("--test",) or _TEST_SCRIPT.search(script) is not None


def _get_first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")
