"""Readers that remember: what they work out of a file or a skill is worked out once."""

from collections.abc import Callable
from functools import wraps
from typing import Protocol, TypeVar, cast

from actions.skill.skill import Skill, SkillFile

T = TypeVar("T")


class Remembering(Protocol):
    """A skill or a file of one; its memo goes when its text changes."""

    @property
    def memo(self) -> dict[str, object]:
        """What readers worked out, by their names."""
        ...


S = TypeVar("S", bound=Remembering)


def once(reader: Callable[[S], T]) -> Callable[[S], T]:
    """Let a pure reader of one file or skill work only once for each. Its result must not be changed by callers."""
    key = f"{reader.__module__}.{reader.__qualname__}"

    @wraps(reader)
    def read(subject: S) -> T:
        memo = subject.memo
        if key not in memo:
            memo[key] = reader(subject)
        return cast(T, memo[key])

    return read


def once_among(reader: Callable[[SkillFile, Skill], T]) -> Callable[[SkillFile, Skill], T]:
    """Let a reader that looks at a file, and of its skill only at which paths are there, work once for both."""
    key = f"{reader.__module__}.{reader.__qualname__}"

    @wraps(reader)
    def read(file: SkillFile, skill: Skill) -> T:
        known = cast(dict[frozenset[str], T], file.memo.setdefault(key, {}))
        if skill.paths not in known:
            known[skill.paths] = reader(file, skill)
        return known[skill.paths]

    return read
