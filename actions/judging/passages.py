"""The parts of a skill around some places, for a question about them: whole files where they are short."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from actions.skill import Skill, SkillFile
from schemas.issues import Issue

_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?(?=:|$)")
_WHOLE = 60_000
_AROUND = 40
_FILES = 12
"""Characters of a file that is shown whole, lines shown around a place of a longer one, files in all."""


@dataclass(frozen=True)
class Passage:
    """A part of a file; `lines` says which, "" for all."""

    name: str
    text: str
    lines: str


def passages(skill: Skill, places: Iterable[tuple[str, int, int]]) -> tuple[Passage, ...]:
    """Return the text around places (file, first line, last line), as it stands there."""
    near: dict[str, tuple[int, int]] = {}
    for path, first, last in places:
        known = near.get(path, (first, last))
        near[path] = min(first, known[0]), max(last, known[1])
    known_files = [(skill.by_path[path], lines) for path, lines in near.items() if path in skill.by_path]
    return tuple(_passage(file, lines) for file, lines in known_files[:_FILES])


def _passage(file: SkillFile, near: tuple[int, int]) -> Passage:
    lines = file.doc.lines
    if len(file.text) <= _WHOLE:
        return Passage(file.path, file.text, "")
    first, last = max(1, near[0] - _AROUND), min(len(lines), max(near[0], min(near[1], near[0] + _AROUND)) + _AROUND)
    return Passage(file.path, "\n".join(lines[first - 1 : last])[: 2 * _WHOLE], f"lines {first} to {last}")


def places_of(issue: Issue, skill: Skill) -> tuple[tuple[str, int, int], ...]:
    """Return where a finding stands: its own place first, then those that its evidence names."""
    at = issue.location
    first = at.line_start or 1
    return ((at.file, first, at.line_end or first), *_places_in(issue.evidence, skill.by_path))


def _places_in(texts: Sequence[str], files: Mapping[str, SkillFile]) -> Iterator[tuple[str, int, int]]:
    for text in texts:
        path, _, rest = text.partition(":")
        lines = _LINES.match(rest)
        if path in files and lines:
            yield path, int(lines[1]), min(int(lines[2] or lines[1]), len(files[path].doc.lines))
