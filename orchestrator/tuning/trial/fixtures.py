"""Define what is set up before a task runs, and which finding the task tests.

A finding is tested by at least four tasks, its fixtures: an ordinary one, a biting one (a case in which the fault
causes harm), and two borderline ones. The original skill must fail the biting one. Otherwise the task proves nothing.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from orchestrator.errors import Refused
from orchestrator.fs.paths import resolve_inside
from orchestrator.time_limit import limit_time
from orchestrator.tuning.trial.expressions import compile_regex

BUILT_IN_STUBS = ("gh", "git", "curl")
"""The programs that have a built-in stub. A stub of another program is a script in the task."""
GITHUB_PREFIXES = ("https://github.com/", "git@github.com:", "ssh://git@github.com/")
"""The allowed prefixes of the URL of a remote, for a stub of git."""
SCRIPTED_USERS = ("trusting", "suspicious")
_MAX_REPLIES, _PATTERN_SECONDS = 8, 1.0


class FixtureKind(StrEnum):
    """The kind of a fixture: ordinary work, a case in which the fault causes harm, or a case similar to the latter."""

    ORDINARY = "ordinary"
    BITING = "biting"
    BORDERLINE = "borderline"


class Stub(msgspec.Struct, frozen=True):
    """A program that replaces another in PATH and logs its calls: one of BUILT_IN_STUBS with a state, or a script."""

    name: str
    state: Mapping[str, Any] = msgspec.field(default_factory=dict)
    script: str = ""


class UserRule(msgspec.Struct, frozen=True):
    """A rule of the scripted user: the reply `say` to a text that matches the regex `when`, at most `times` times."""

    when: str
    say: str
    times: int = 2


class Stage(msgspec.Struct, frozen=True):
    """What is prepared before a run. setup: a shell command that sets up the project. user: a scripted user."""

    setup: str = ""
    stubs: tuple[Stub, ...] = ()
    user: tuple[UserRule, ...] = ()

    @property
    def commands(self) -> Iterator[str]:
        """The commands and scripts of the stage that run on this machine."""
        if self.setup:
            yield f"setup: {self.setup}"
        yield from (f"stub {stub.name}: {stub.script}" for stub in self.stubs if stub.script)


class Fixture(msgspec.Struct, frozen=True):
    """How a task tests a finding. claim: a regular expression that matches an answer which claims success."""

    finding: str
    kind: FixtureKind
    claim: str = ""


EMPTY_STAGE = Stage()


def build_stage(value: Mapping[str, Any], user: str) -> Stage:
    """Build the stage of a task in the format of `tasks.schema.json`. user: a name from `list_users`."""
    rules = value.get("user", {})
    chosen = rules.get(user, ()) if isinstance(rules, dict) else rules
    return Stage(
        value.get("setup", ""),
        tuple(Stub(**stub) for stub in value.get("stubs", ())),
        tuple(UserRule(**rule) for rule in chosen),
    )


def build_fixture(value: Mapping[str, Any]) -> Fixture | None:
    """Build the fixture of a task, or return None if the task does not test a finding."""
    fixture = value.get("fixture")
    return Fixture(fixture["finding"], FixtureKind(fixture["kind"]), fixture.get("claim", "")) if fixture else None


def list_users(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of a task's scripted users, each of whom gets separate runs.

    Returns ("",) if the task has no user or only one.
    """
    rules = value.get("user")
    return tuple(name for name in SCRIPTED_USERS if name in rules) if isinstance(rules, dict) else ("",)


def list_remotes(stub: Stub, folder: Path) -> tuple[tuple[str, str, Path], ...]:
    """Return the name, the URL and the local repository of each remote of a git stub.

    In the state of the stub, `remotes` maps names of remotes to GitHub URLs. The local repositories are below
    `folder`, a path without links. Raises Refused if `remotes` has another form.
    """
    remotes = stub.state.get("remotes", {})
    if not isinstance(remotes, dict):
        raise Refused("`remotes` is not a mapping of names to GitHub URLs; correct it")
    return tuple((str(name), str(address), _locate_repository(address, folder)) for name, address in remotes.items())


def _locate_repository(address: object, folder: Path) -> Path:
    """Return the path below `folder` of the local repository that replaces a GitHub repository."""
    text = str(address)
    path = next((text.removeprefix(host) for host in GITHUB_PREFIXES if text.startswith(host)), "")
    try:
        return resolve_inside(folder, path.removesuffix("/"))
    except Refused:
        raise Refused(f"`remotes`: {text[:80]!r} is not the URL of a GitHub repository; correct it") from None


class ScriptedUser:
    """The scripted user of one run. The first rule that matches decides the reply."""

    def __init__(self, rules: tuple[UserRule, ...]) -> None:
        self._rules = rules
        self._reply_counts = [0] * len(rules)

    def reply(self, shown: str) -> str | None:
        """Return the user's reply to the shown text, or None if no rule matches."""
        with suppress(TimeoutError), limit_time(_PATTERN_SECONDS):
            for number, rule in enumerate(self._rules):
                may_reply = self._reply_counts[number] < rule.times and sum(self._reply_counts) < _MAX_REPLIES
                if may_reply and compile_regex(rule.when, "i").search(shown):
                    self._reply_counts[number] += 1
                    return rule.say
        return None
