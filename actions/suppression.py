"""What suppresses a finding: a comment beside it, a per-file-ignore, a baseline. One without effect is told."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from actions.settings import Accepted, Exemption, Named, meant
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


@dataclass(frozen=True)
class _Source:
    """What suppresses findings: its parts by key, each with what is told of it when it meets nothing.

    `meets` says which of the parts meet a finding, and how the finding is told to be suppressed.
    """

    parts: Mapping[Hashable, str]
    meets: Callable[[Place], tuple[Collection[Hashable], str]]


def suppressions(case: Case, found: Sequence[Place], silent: Sequence[Named]) -> tuple[list[str | None], list[str]]:
    """Return for each finding what suppresses it (None: nothing), and each suppression that met no finding.

    `silent` are the patterns that did not look: nobody knows whether what suppresses them is idle.
    """
    by: list[str | None] = [None] * len(found)
    idle: list[str] = []
    exempt = (_exempt(one, case.skill, silent) for one in case.settings.exemptions)
    for source in (_comments(case.skill, silent), *exempt, _baseline(case.settings.baseline, silent)):
        met: set[Hashable] = set()
        for i, place in enumerate(found):
            parts, told = source.meets(place)
            met.update(parts)
            by[i] = by[i] or (told if parts else None)
        idle += [told for part, told in source.parts.items() if part not in met]
    return by, idle


def _comments(skill: Skill, silent: Sequence[Named]) -> _Source:
    """`<!-- tune-skill: ignore ID, ID reason -->` on a line, or alone above it (a whole fence counts as one)."""
    places, unknown = dict(_ignores(skill)), {pattern.id for pattern in silent}
    declared = {(file, at, id) for (file, _, id), at in places.items() if id not in unknown}

    def meets(place: Place) -> tuple[Collection[Hashable], str]:
        file = skill.by_path.get(place.file)
        fence = file.doc.fence_at(place.line) if file else None
        lines = (place.line, fence.start) if fence else (place.line,)
        at = next((at for line in lines if (at := places.get((place.file, line, place.id)))), None)
        return ([(place.file, at, place.id)] if at else []), f"comment in {place.file}:{at}"

    return _Source({(f, at, id): f"{f}:{at}: ignore {id} meets no finding" for f, at, id in sorted(declared)}, meets)


def _exempt(one: Exemption, skill: Skill, silent: Sequence[Named]) -> _Source:
    """One line of `per-file-ignores`. A line that speaks of no file of this skill is not called idle."""
    told = f"per-file-ignores {one.glob!r}"
    means_none = one.below and not any(map(one.covers, skill.by_path))
    known = (code for code in one.codes if not any(meant((code,), pattern) for pattern in silent))

    def meets(place: Place) -> tuple[Collection[Hashable], str]:
        codes = [code for code in one.codes if meant((code,), place)] if one.covers(place.file) else []
        return codes, f"{told} in {one.source}"

    return _Source({c: f"{one.source}: {told}: {c} meets no finding" for c in known if not means_none}, meets)


def _baseline(entries: Sequence[Accepted], silent: Sequence[Named]) -> _Source:
    """The findings that someone has decided to live with."""
    known, unknown = {entry.fingerprint for entry in entries}, {pattern.id for pattern in silent}

    def meets(place: Place) -> tuple[Collection[Hashable], str]:
        return known & {place.fingerprint}, "baseline"

    rest = (e for e in entries if e.pattern not in unknown)
    return _Source(
        {e.fingerprint: f"baseline: {e.pattern} in {e.file} ({e.quote[:60]!r}) meets no finding" for e in rest}, meets
    )


def _ignores(skill: Skill) -> Iterable[tuple[tuple[str, int, str], int]]:
    """Return (file, covered line, id) -> line of the comment; the first line of a fence stands for all of it."""
    for file in skill.instructions:
        if "tune-skill:" not in file.text:
            continue
        lines = file.doc.lines
        for number, (line, below) in enumerate(zip(lines, _below(lines), strict=True), 1):
            match = _IGNORE.search(line) if file.doc.fence_at(number) is None else None
            if match:
                covered = (number, below) if line.lstrip().startswith("<!--") else (number,)
                for id in _COMMA.split(match[1]):
                    yield from (((file.path, at, id.upper()), number) for at in covered)


def _below(lines: Sequence[str]) -> list[int]:
    """Return for each line the next one with text that is no such comment; 0 for none."""
    found, last = [], 0
    for number in range(len(lines), 0, -1):
        found.append(last)
        text = lines[number - 1].strip()
        if text and not _IGNORE.match(text):
            last = number
    return found[::-1]
