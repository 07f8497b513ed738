"""Define what a task sets up before its run, and which finding it tests.

A finding becomes a test by four fixtures or more: an ordinary one, one where the fault bites, and borderline ones. Each
check of the biting one must fail with the original skill; a fixture that the original passes is no test.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from orchestrator.engine.time_limit import limit_time
from orchestrator.tuning.trial.expressions import compile_regex

LIBRARY = ("gh", "git", "curl")
"""The command lines with a stub of ours; any other stub is a script."""
USERS = ("trusting", "suspicious")
_MAX_REPLIES, _PATTERN_SECONDS = 8, 1.0


class FixtureKind(StrEnum):
    """What a fixture tests: ordinary work, the case where the fault bites, or one next to it."""

    ORDINARY = "ordinary"
    BITING = "biting"
    BORDERLINE = "borderline"


@dataclass(frozen=True)
class Stub:
    """A command line that comes first in PATH and logs its calls: one of the library with a state, or a script."""

    name: str
    state: Mapping[str, Any] = field(default_factory=dict)
    script: str = ""


@dataclass(frozen=True)
class UserRule:
    """What the scripted user says when the text that is shown matches `when`; at most `times` times."""

    when: str
    say: str
    times: int = 2


@dataclass(frozen=True)
class Stage:
    """What is there before a run: a shell command that sets the project up, stubs, and a scripted user."""

    setup: str = ""
    stubs: tuple[Stub, ...] = ()
    user: tuple[UserRule, ...] = ()

    @property
    def commands(self) -> Iterator[str]:
        """What runs on this machine because of it."""
        if self.setup:
            yield f"setup: {self.setup}"
        yield from (f"stub {stub.name}: {stub.script}" for stub in self.stubs if stub.script)


@dataclass(frozen=True)
class Fixture:
    """The finding that a task tests, and how. claim: a regular expression for an answer that claims success."""

    finding: str
    kind: FixtureKind
    claim: str = ""


NOTHING = Stage()


def build_stage(value: Mapping[str, Any], user: str) -> Stage:
    """Build the stage of a task in the format of `tasks.schema.json`. user: which of the two scripted users, or ""."""
    rules = value.get("user", {})
    chosen = rules.get(user, ()) if isinstance(rules, dict) else rules
    return Stage(
        value.get("setup", ""),
        tuple(Stub(**each) for each in value.get("stubs", ())),
        tuple(UserRule(**each) for each in chosen),
    )


def build_fixture(value: Mapping[str, Any]) -> Fixture | None:
    """Build the fixture of a task; None if it tests no finding."""
    given = value.get("fixture")
    return Fixture(given["finding"], FixtureKind(given["kind"]), given.get("claim", "")) if given else None


def list_users(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the scripted users of a task, each of which makes a task of its own; ("",) for one or none."""
    rules = value.get("user")
    return tuple(name for name in USERS if name in rules) if isinstance(rules, dict) else ("",)


class ScriptedUser:
    """A user in one run: the first rule that fits what is shown answers."""

    def __init__(self, rules: tuple[UserRule, ...]) -> None:
        self._rules = rules
        self._said = [0] * len(rules)

    def reply(self, shown: str) -> str | None:
        """Return what the user says to a text; None for nothing more."""
        with suppress(TimeoutError), limit_time(_PATTERN_SECONDS):
            for number, rule in enumerate(self._rules):
                is_left = self._said[number] < rule.times and sum(self._said) < _MAX_REPLIES
                if is_left and compile_regex(rule.when, "i").search(shown):
                    self._said[number] += 1
                    return rule.say
        return None
