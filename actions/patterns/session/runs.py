"""The test runs of a session: which command ran tests, and what came out.

A run is told by its command, by the words that a test runner prints at its end, or by a sub-agent's report.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from actions.model.transcript import Result, Step, Transcript
from actions.patterns.session.outcomes import failing_tests, outcome_of
from actions.patterns.session.shell import Command


class Run(NamedTuple):
    """A test run. `passed` is None when its result does not tell; `baseline`: it ran on the code as it was before.

    `failing` are the names of failing tests that the output gives.
    """

    record: int
    end: int
    command: str
    passed: bool | None
    line: str
    failing: frozenset[str] = frozenset()
    baseline: bool = False
    agent: str = ""


_RUNNERS = frozenset(
    "pytest py.test tox nox jest vitest mocha ava tap jasmine karma rspec minitest phpunit pest ctest bats behave "
    "cucumber nose2 unittest ginkgo gotestsum nextest playwright cypress testcafe wdio busted shellspec".split()
)
_TASKS = frozenset(
    "npm pnpm yarn bun deno make just task mise rake gradle gradlew ./gradlew mvn ./mvnw mvnw cargo go dotnet swift mix "
    "flutter dart sbt lein stack cabal zig bazel nx turbo composer php ant meson ninja invoke inv hatch pdm rails "
    "bin/rails xcodebuild moon earthly lerna rush vp ng".split()
)
_TEST_WORD = re.compile(r"^(?:test|tests|t|check|ci|verify|spec|specs|e2e|unit|integration|coverage)(?:[:._-].*)?$|"
                        r"^[\w./-]*[:_-](?:tests?|specs?|e2e|ci)(?:[:._-]\w+)*$", re.I)  # fmt: skip
_SCRIPT = re.compile(r"(?:^|/)(?:run[_-]?)?(?:all[_-]?)?tests?(?:[_-][\w-]+)?(?:\.(?:sh|py|js|ts|mjs|rb|pl|bash))?$|"
                     r"(?:[_.-]tests?|\.spec)\.(?:py|js|ts|mjs|rb|sh)$", re.I)  # fmt: skip
_INTERPRETERS = frozenset("python python3 node ruby bash sh zsh perl tsx ts-node php".split())
_NOT_RUN = frozenset("--collect-only --co --help -h --version --list-tests --listTests --dry-run -n".split())
_VIEWERS = frozenset("cat less head tail grep rg git gh ls find sed awk echo wc jq diff curl".split())
_BACKGROUND = re.compile(r"running in (?:the )?background with ID: (\w+)")
_AGENT_ASKED = re.compile(
    r"\b(?:pytest|vitest|jest|(?:go|cargo|npm|pnpm|bun|yarn|dotnet|mvn|gradle|make|mix|swift|just|mise run) (?:run )?test"
    r"|(?:run|re-?run|execute)\b[^.\n]{0,60}\btests?)\b", re.I
)  # fmt: skip


def runs_of(transcript: Transcript, commands: tuple[Command, ...]) -> tuple[Run, ...]:
    """Give the test runs in order."""
    found = [run for command in commands if (run := _run_of(command)) is not None]
    told = [run for step in transcript.steps if (run := _told(step)) is not None]
    both = [*found, *told] if not told else sorted([*found, *told], key=_order_in(transcript))
    return tuple(_finished(run, transcript) for run in both)


def _order_in(transcript: Transcript) -> "_Order":
    return _Order({(step.call.agent, step.call.record): n for n, step in enumerate(transcript.steps)})


class _Order:
    def __init__(self, places: dict[tuple[str, int], int]) -> None:
        self._places = places

    def __call__(self, run: Run) -> int:
        return self._places.get((run.agent, run.record), 0)


def _run_of(command: Command) -> Run | None:
    names = any(runs_tests(part) for part in command.parts)
    if not command.ran or (not names and not _may_tell(command)):
        return None
    passed, line = outcome_of(command.output)
    if not names and passed is None:
        return None
    result = command.result
    assert result is not None  # it ran
    if passed is not False and names and result.error:
        passed, line = False, _first_line(result.text)
    elif passed is None and not command.piped and not _BACKGROUND.search(result.text):
        passed, line = True, line or _first_line(result.text)
    failing = failing_tests(command.output) if passed is False else frozenset()
    return Run(
        command.record, result.record, command.text, passed, line, failing, _is_baseline(command), command.agent
    )


def runs_tests(words: tuple[str, ...]) -> bool:
    """Whether a simple command runs tests, by its words."""
    program, rest = words[0].rpartition("/")[2], words[1:]
    if not _NOT_RUN.isdisjoint(rest) and (program in _RUNNERS or "pytest" in rest):
        return False
    if program in _RUNNERS:
        return True
    if words[0] in _TASKS or program in _TASKS:
        return any(_TEST_WORD.match(word) for word in rest[:4] if not word.startswith("-"))
    if program in _INTERPRETERS:
        if rest[:1] == ("-m",):
            return len(rest) > 1 and rest[1].partition(".")[0] in ("pytest", "unittest", "nose2", "tox", "nox", "green")
        if rest[:1] == ("--test",):
            return True
        script = next((word for word in rest if not word.startswith("-")), "")
        return _SCRIPT.search(script) is not None
    return "/" in words[0] and _SCRIPT.search(words[0]) is not None


def _may_tell(command: Command) -> bool:
    """Whether a command that names no test may have run some: a commit with hooks, a script; not a viewer."""
    for part in command.parts:
        program = part[0].rpartition("/")[2]
        if program == "git" and len(part) > 1 and part[1] in ("commit", "push"):
            return True
        if program in _VIEWERS or program == "cd":
            continue
        return program in _TASKS or program in _INTERPRETERS or "/" in part[0]
    return False


def _is_baseline(command: Command) -> bool:
    """Whether the run looks at the code without the session's changes."""
    words = [part[:2] for part in command.parts]
    stashed = ("git", "stash") in words and any(part[:3] == ("git", "stash", "pop") for part in command.parts)
    return stashed or ("git", "worktree") in words


def _told(step: Step) -> Run | None:
    """Give the test run that a sub-agent reports, where its own part is not there to be read."""
    call, result = step
    if call.name not in ("Task", "Agent") or result is None or result.refused:
        return None
    asked = f"{call.get('description')}\n{call.get('prompt')}"
    if not _AGENT_ASKED.search(asked):
        return None
    passed, line = outcome_of(result.text, prose=True)
    if passed is None:
        return None
    failing = failing_tests(result.text) if passed is False else frozenset()
    return Run(call.record, result.record, asked.strip(), passed, line, failing, agent=call.agent)


def _finished(run: Run, transcript: Transcript) -> Run:
    """Give a background run the outcome that a later look at its output shows."""
    if run.passed is not None or run.agent:
        return run
    for result in _looks(run, transcript):
        passed, line = outcome_of(result.text)
        if passed is not None:
            return run._replace(end=result.record, passed=passed, line=line, failing=failing_tests(result.text))
    return run


def _looks(run: Run, transcript: Transcript) -> Iterator[Result]:
    started = next((r for _, r in transcript.steps if r is not None and r.record == run.end), None)
    id = _BACKGROUND.search(started.text) if started else None
    if id is None:
        return
    for call, result in transcript.steps:
        if call.record > run.record and result is not None and call.name != "Read" and id[1] in repr(call.input):
            yield result


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "")


