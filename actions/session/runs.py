"""The test runs of a session: which command ran tests, and what came out.

A run is told by its command, or by a passing count that a hook or script printed. What a sub-agent reports of tests is
prose, and proves nothing: only the commands in its own part do.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from actions.session.outcomes import Outcome, failing_tests, outcome_of
from actions.session.shell import Command, split
from actions.session.transcript import Result, Transcript


class Run(NamedTuple):
    """A test run. `baseline`: it ran on the code as it was before. `text` is what it printed."""

    record: int
    end: int
    command: str
    outcome: Outcome
    text: str
    baseline: bool = False
    agent: str = ""

    @property
    def failing(self) -> frozenset[str]:
        """The names of failing tests that the output gives."""
        return failing_tests(self.text)


_RUNNERS = frozenset(
    "pytest py.test tox nox jest vitest mocha ava tap jasmine karma rspec minitest phpunit pest ctest bats behave "
    "cucumber nose2 unittest ginkgo gotestsum nextest playwright cypress testcafe wdio busted shellspec".split()
)
_VERBS = frozenset(
    "go cargo dotnet swift mix flutter dart deno zig bazel xcodebuild rails lein stack cabal sbt mvn mvnw gradle "
    "gradlew meson ng forge cmake".split()
)
_TASKS = frozenset(
    "npm pnpm yarn bun make gmake just task mise rake nx turbo composer ant ninja invoke inv hatch pdm moon earthly "
    "lerna rush vp poe doit dev".split()
)
_VERB = re.compile(r"^(?::[\w-]+:)*(?:tests?|nextest|verify|check|testOnly|\w*[Tt]est)$")
_TASK = re.compile(
    r"^(?:t|tst|tests?|specs?|e2e|unit|integration|units)(?:[:._-].*)?$|^[\w.-]+[:_-](?:tests?|specs?|e2e|ci)(?:[:._-]\w+)*$"
)
_SCRIPT = re.compile(r"(?:^|/)(?:run[_-]?)?(?:all[_-]?)?tests?(?:[_-][\w-]+)?(?:\.(?:sh|py|js|ts|mjs|rb|pl|bash))?$|"
                     r"(?:[_.-]tests?|\.spec)\.(?:py|js|ts|mjs|rb|sh)$", re.I)  # fmt: skip
_INTERPRETER = re.compile(r"^(?:python[\d.]*|node|ruby|bash|sh|zsh|perl|tsx|ts-node|php|coverage)$")
_OUTER = frozenset(
    "docker docker-compose podman kubectl conda mamba micromamba nix dotenv doppler vagrant ddev".split()
)
_BUILDERS = frozenset("make gmake ninja just mise task inv invoke rake".split())
_CHECKS = frozenset({"check", "ci"})
_NOT_RUN = frozenset(
    "--collect-only --co --help -h --version --list-tests --listTests --dry-run install i add remove "
    "uninstall why".split()
)
_QUIET = frozenset(
    "cat less head tail grep rg gh glab gt ls find sed awk echo printf wc jq diff curl wget git cd pwd which date "
    "sleep mkdir cp mv rm touch chmod sort uniq tr cut tee true export".split()
)
"""Programs that run no tests; git may, by a hook, and then prints more than its own lines."""

_OF_GIT = re.compile(
    r"\[| \d+ files? changed| (?:create|delete|rename|rewrite|copy) | \S.*\S +\| | +\S+ +\S+ -> |To |From |remote:"
    r"|branch |On branch|Your branch|Everything up|Switched |Already |Updating |Fast-forward|Auto-merging|warning: "
)
_SUM = re.compile(r"pass|PASS|^ok  ", re.M)
_NEVER_RAN = re.compile(
    r"command not found|unrecognized subcommand|[Mm]issing script|[Uu]nknown (?:command|option)|no tests ran"
    r"|No such file or directory|Command timed out|not recognized as|No module named|[Nn]o tests? (?:files? )?found"
)
_BACKGROUND = re.compile(r"running in (?:the )?background with ID: (\w+)")
_EXIT = re.compile(r"exit code:? (\d{1,3})")


def runs_of(transcript: Transcript, commands: tuple[Command, ...], edited: tuple[int, ...]) -> tuple[Run, ...]:
    """Return the test runs in order; `edited` are the records of edits."""
    stash = _Stash(edited)
    made = [run for command in commands if (run := _run_of(command, stash.follows(command))) is not None]
    return tuple(_finished(run, transcript) for run in made)


def may_test(command: Command) -> bool:
    """Whether a command may have run tests without our knowing: any but those that are known to run none."""
    programs = {part[0].rpartition("/")[2] for part in command.parts}
    hooked = "git" in programs and not all(_OF_GIT.match(line) for line in command.output.splitlines() if line)
    changes = any(part[1:2] in (("commit",), ("push",), ("merge",), ("rebase",)) for part in command.parts)
    return command.ran and (not programs <= _QUIET or (hooked and changes))


class _Stash:
    """Follows `git stash` and `git stash pop`: between them the code is as it was before."""

    def __init__(self, edited: tuple[int, ...]) -> None:
        self._away = False
        self._since = 0
        self._edited = edited

    def follows(self, command: Command) -> bool:
        """Whether a command's run looks at the code without the session's changes."""
        if self._away and any(self._since < record < command.record for record in self._edited):
            self._away = False
        if "git" not in command.text:
            return self._away
        away = self._away
        for part in command.parts:
            if part[:2] == ("git", "stash"):
                back = len(part) > 2 and part[2] in ("pop", "apply", "drop")
                self._away = not back and part[2:3] not in (("list",), ("show",))
                self._since = command.record
                away = away or self._away
            elif part[:2] == ("git", "worktree"):
                away = True
        return away


def _run_of(command: Command, baseline: bool) -> Run | None:
    result = command.result
    if result is None or result.refused:
        return None
    if any(runs_tests(part) for part in command.parts):
        outcome = _judged(outcome_of(result.text), command, result)
    elif may_test(command) and _SUM.search(result.text):
        outcome = outcome_of(result.text)
        if not outcome.passed:  # a count of failures in another program's output may count anything
            return None
    else:
        return None
    return Run(command.record, result.record, command.text, outcome, result.text, baseline, command.agent)


def _judged(outcome: Outcome, command: Command, result: Result) -> Outcome:
    """Add what the exit code tells, where it is that of the tests."""
    if _NEVER_RAN.search(result.text) and not outcome.passed and not outcome.failures:
        return Outcome()
    if command.joined:
        return outcome
    if result.error and (outcome.passed is None or (outcome.passed and len(command.parts) == 1)):
        return Outcome(False, _first_line(result.text))
    if outcome.passed is None and not result.error and not _BACKGROUND.search(result.text):
        return Outcome(True, _first_line(result.text))
    return outcome


def runs_tests(words: tuple[str, ...]) -> bool:
    """Whether a simple command runs tests, by its words."""
    program, rest = words[0].rpartition("/")[2], words[1:]
    if not _NOT_RUN.isdisjoint(rest):
        return False
    if program in _RUNNERS or (not rest and _TASK.match(program)):
        return True
    if program in _VERBS:
        return any(_VERB.match(word) for word in rest[:4]) and not (program == "cargo" and "check" in rest)
    if program in _TASKS:
        return _task_tests(program, rest)
    if _INTERPRETER.match(program):
        return _script_tests(rest)
    if program in _OUTER:
        return any(runs_tests(rest[n:]) for n, word in enumerate(rest[:12]) if _is_known(word))
    return "/" in words[0] and _SCRIPT.search(words[0]) is not None


def _is_known(word: str) -> bool:
    return word in _RUNNERS or word in _VERBS or word in _TASKS or _INTERPRETER.match(word) is not None


def _task_tests(program: str, rest: tuple[str, ...]) -> bool:
    if any(_TASK.match(word) or word in _RUNNERS for word in rest[:5]):
        return True
    return program in _BUILDERS and not _CHECKS.isdisjoint(rest)


def _script_tests(rest: tuple[str, ...]) -> bool:
    if "-m" in rest[:-1]:
        module = rest[len(rest) - rest[::-1].index("-m")].partition(".")[0]
        return module in ("pytest", "unittest", "nose2", "tox", "nox", "green")
    if rest[:1] == ("--test",):
        return True
    if rest[:1] in (("-c",), ("-lc",)) and len(rest) > 1:
        return any(runs_tests(part) for part in split(rest[1].strip("'\"")))
    script, *more = [word for word in rest if not word.startswith("-")] or [""]
    managed = script in ("manage.py", "artisan", "setup.py") and more[:1] == ["test"]
    return managed or _SCRIPT.search(script) is not None


def _finished(run: Run, transcript: Transcript) -> Run:
    """Return a run in the background with the outcome that something later tells: its output, a notification."""
    id = None if run.agent or run.outcome.passed is not None else _BACKGROUND.search(run.text)
    for record, text in _later(run, id[1], transcript) if id else ():
        outcome = outcome_of(text)
        if outcome.passed is None and (code := _EXIT.search(text)):
            outcome = Outcome(code[1] == "0", code[0])
        if outcome.passed is not None:
            return run._replace(end=record, outcome=outcome, text=text)
    return run


def _later(run: Run, id: str, transcript: Transcript) -> Iterator[tuple[int, str]]:
    """Return what later results and messages say of a task, in order."""
    told = [(m.record, m.text) for m in transcript.messages if m.record > run.record and id in m.text]
    for call, result in transcript.steps:
        if call.record > run.record and result is not None and result.text and id in repr(call.input):
            told.append((result.record, result.text))
    yield from sorted(told)


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")
