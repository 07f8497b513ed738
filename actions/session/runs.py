"""The test runs of a session: which command ran tests, and what came out.

A run is told by its command, by the words that a test runner prints at its end, or by a sub-agent's report.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from actions.session.outcomes import Outcome, failing_tests, outcome_of
from actions.session.shell import Command, split
from actions.session.transcript import Result, Step, Transcript


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
_VIEWERS = frozenset("cat less head tail grep rg gh ls find sed awk echo wc jq diff curl".split())
_SUM = ("pass", "PASS", "fail", "FAIL", "ok  ")
_NEVER_RAN = re.compile(
    r"command not found|unrecognized subcommand|[Mm]issing script|[Uu]nknown (?:command|option)"
    r"|No such file or directory|Command timed out|not recognized as|No module named"
)
_BACKGROUND = re.compile(r"running in (?:the )?background with ID: (\w+)")
_LAUNCHED = re.compile(r"agent launched[^\n]*\n?[\s\S]{0,200}?agentId: (\w+)")
_EXIT = re.compile(r"exit code:? (\d{1,3})")
_PROMPT = 800
_AGENT_ASKED = re.compile(
    r"\b(?:pytest|vitest|jest|(?:go|cargo|npm|pnpm|bun|yarn|dotnet|mvn|gradle|make|mix|swift|just|mise run)"
    r" (?:run )?test|(?:run|re-?run|execute)\b[^.\n]{0,60}\b(?:tests?|CI)|(?:make|just) [\w-]*(?:ci|check))\b", re.I
)  # fmt: skip


def runs_of(transcript: Transcript, commands: tuple[Command, ...], edited: tuple[int, ...]) -> tuple[Run, ...]:
    """Return the test runs in order; `edited` are the records of edits."""
    stash = _Stash(edited)
    made = [run for command in commands if (run := _run_of(command, stash.follows(command))) is not None]
    told = [run for step in transcript.steps if (run := _told(step)) is not None]
    if told:
        order = {(step.call.agent, step.call.record): n for n, step in enumerate(transcript.steps)}
        made = sorted([*made, *told], key=lambda run: order.get((run.agent, run.record), 0))
    return tuple(_finished(run, transcript) for run in made)


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
    names = any(runs_tests(part) for part in command.parts)
    if result is None or result.refused or not (names or _may_tell(command)):
        return None
    if not names and not any(word in result.text for word in _SUM):
        return None
    outcome = outcome_of(result.text)
    if names:
        outcome = _judged(outcome, command, result)
    elif outcome.passed is None:
        return None
    return Run(command.record, result.record, command.text, outcome, result.text, baseline, command.agent)


def _judged(outcome: Outcome, command: Command, result: Result) -> Outcome:
    """Add what the exit code tells."""
    if result.error:
        if _NEVER_RAN.search(result.text) and not outcome.passed:
            return Outcome()
        overruled = outcome.passed is None or (outcome.passed and len(command.parts) == 1)
        return Outcome(False, _first_line(result.text)) if overruled else outcome
    if outcome.passed is None and not command.piped and not _BACKGROUND.search(result.text):
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


def _may_tell(command: Command) -> bool:
    """Whether a command that names no test may have run some: a commit with hooks, a script; not a viewer."""
    for part in command.parts:
        program = part[0].rpartition("/")[2]
        if program == "git":
            if len(part) > 1 and part[1] in ("commit", "push"):
                return True
        elif program != "cd":
            runs = program in _TASKS or _INTERPRETER.match(program) is not None or "/" in part[0]
            return runs and program not in _VIEWERS
    return False


def _told(step: Step) -> Run | None:
    """Return the test run that a sub-agent reports."""
    call, result = step
    if call.name not in ("Task", "Agent") or result is None or result.refused:
        return None
    told = f"{call.get('description')}\n{call.get('prompt')}"
    hinted = "test" in told or "CI" in told or "ci" in told[:_PROMPT]
    asked = hinted and _AGENT_ASKED.search(told[:_PROMPT]) is not None
    if not asked and "tests passed" not in result.text and "passed," not in result.text:
        return None
    outcome = outcome_of(result.text, prose=asked)
    if outcome.passed is None and not (asked and _LAUNCHED.search(result.text)):
        return None
    if not asked and "test" not in outcome.line:
        return None
    return Run(call.record, result.record, told.strip(), outcome, result.text, agent=call.agent)


def _finished(run: Run, transcript: Transcript) -> Run:
    """Return a run in the background the outcome that something later tells: a look at its output, a notification."""
    if run.outcome.passed is not None or run.agent:
        return run
    id = _BACKGROUND.search(run.text) or _LAUNCHED.search(run.text)
    for record, text in _later(run, id[1], transcript) if id else ():
        outcome = outcome_of(text, prose="<task-notification>" in text)
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
