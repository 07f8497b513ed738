"""What suppresses a finding: a comment beside it, a per-file-ignore, a baseline. One without effect is told."""

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from actions.settings import Exemption, Named, meant
from actions.skill import Case, Skill

_ID = r"[A-Za-z]+(?:-[A-Za-z]+)?-\d{3}"
_IGNORE = re.compile(rf"<!--\s*tune-skill:\s*ignore\s+({_ID}(?:\s*,\s*{_ID})*+)([^>]{{0,500}})-->")
_COMMA = re.compile(r"\s*,\s*")


class Place(Named, Protocol):
    """What a suppression needs to know of a finding."""

    @property
    def file(self) -> str:
        """The file, relative to the skill."""

    @property
    def line(self) -> int:
        """The first line."""

    @property
    def fingerprint(self) -> str:
        """What stays when lines move."""


def suppressions(case: Case, found: Sequence[Place], silent: Sequence[Named]) -> tuple[list[str | None], list[str]]:
    """Return for each finding what suppresses it (None: nothing), and each suppression that met no finding.

    `silent` are the patterns that did not look: nobody knows whether what suppresses them is idle.
    """
    by: list[str | None] = [None] * len(found)
    idle: list[str] = []
    sayers: list[_Sayer] = [_Comments(case.skill), *map(_Exempt, case.settings.exemptions), _Baseline(case)]
    for sayer in sayers:
        for i, place in enumerate(found):
            said = sayer.says(place)
            by[i] = by[i] or said
        idle.extend(sayer.idle(case.skill, silent))
    return by, idle


class _Sayer(Protocol):
    """One source of suppressions; it remembers what it met."""

    def says(self, place: Place) -> str | None: ...

    def idle(self, skill: Skill, silent: Sequence[Named]) -> list[str]: ...


class _Comments:
    """`<!-- tune-skill: ignore ID, ID reason -->` on a line, or alone above it (a whole fence counts as one)."""

    def __init__(self, skill: Skill) -> None:
        self._places = dict(_ignores(skill))
        self._met: set[tuple[str, int, str]] = set()

    def says(self, place: Place) -> str | None:
        at = self._places.get((place.file, place.line, place.id))
        if at is None:
            return None
        self._met.add((place.file, at, place.id))
        return f"comment in {place.file}:{at}"

    def idle(self, skill: Skill, silent: Sequence[Named]) -> list[str]:
        unknown = {pattern.id for pattern in silent}
        declared = {(file, at, id) for (file, _, id), at in self._places.items() if id not in unknown}
        return [f"{file}:{at}: ignore {id} meets no finding" for file, at, id in sorted(declared - self._met)]


class _Exempt:
    """One line of `per-file-ignores`. A line that speaks of no file of this skill is not called idle."""

    def __init__(self, exemption: Exemption) -> None:
        self._exemption = exemption
        self._met: set[str] = set()

    def says(self, place: Place) -> str | None:
        codes = [code for code in self._exemption.codes if meant((code,), place)]
        if not codes or not self._exemption.covers(place.file):
            return None
        self._met.update(codes)
        return f"per-file-ignores {self._exemption.glob!r} in {self._exemption.source}"

    def idle(self, skill: Skill, silent: Sequence[Named]) -> list[str]:
        one = self._exemption
        if one.below and not any(map(one.covers, skill.by_path)):
            return []
        known = (code for code in one.codes if not any(meant((code,), pattern) for pattern in silent))
        idle = [code for code in known if code not in self._met]
        return [f"{one.source}: per-file-ignores {one.glob!r}: {code} meets no finding" for code in idle]


class _Baseline:
    def __init__(self, case: Case) -> None:
        self._entries = {entry.fingerprint: entry for entry in case.settings.baseline}
        self._met: set[str] = set()

    def says(self, place: Place) -> str | None:
        if place.fingerprint not in self._entries:
            return None
        self._met.add(place.fingerprint)
        return "baseline"

    def idle(self, skill: Skill, silent: Sequence[Named]) -> list[str]:
        unknown = {pattern.id for pattern in silent}
        rest = [e for e in self._entries.values() if e.fingerprint not in self._met and e.pattern not in unknown]
        return [f"baseline: {e.pattern} in {e.file} ({e.quote[:60]!r}) meets no finding" for e in rest]


def _ignores(skill: Skill) -> Iterable[tuple[tuple[str, int, str], int]]:
    """Return (file, covered line, id) -> line of the comment."""
    for file in skill.instructions:
        if "tune-skill:" not in file.text:
            continue
        for number, line in enumerate(file.doc.lines, 1):
            match = _IGNORE.search(line) if file.doc.fence_at(number) is None else None
            if match:
                for id in _COMMA.split(match[1]):
                    for covered in _covered(file.doc.lines, number):
                        yield (file.path, covered, id.upper()), number


def _covered(lines: tuple[str, ...], number: int) -> Iterable[int]:
    """The comment's own line; when it stands alone, the next line with text, through a whole fence."""
    yield number
    if not lines[number - 1].lstrip().startswith("<!--"):
        return
    rest = range(number + 1, len(lines) + 1)
    following = next((n for n in rest if lines[n - 1].strip() and not _IGNORE.match(lines[n - 1].strip())), None)
    if following is None:
        return
    yield following
    mark = lines[following - 1].lstrip()[:3]
    if mark in ("```", "~~~"):
        for n in range(following + 1, len(lines) + 1):
            yield n
            if lines[n - 1].lstrip().startswith(mark):
                return
