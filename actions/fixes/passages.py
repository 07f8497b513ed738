"""Cut the passages around given lines of a skill for a question to a model. A short file is one passage."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

import msgspec

from actions.fixes.line_range import LineRange
from actions.grouping import group_by_key
from actions.regex import regex
from actions.review.quotes import locate_quote
from actions.review.skill_view import SkillView
from actions.skill import Skill, SkillFile
from schemas.issues import Issue

_LINE_RANGE = regex(r"(\d{1,9})(?:-(\d{1,9}))?(?=:|$)")
_MAX_WHOLE = 60_000
"""Maximum number of characters of a file that is shown as a whole."""

MAX_PASSAGE_CHARACTERS = 2 * _MAX_WHOLE
"""Maximum number of characters of a passage."""

_CONTEXT_LINES = 40
"""Number of lines to show before and after the given lines."""

MAX_PASSAGES = 12
"""Maximum number of passages in a question."""


class Passage(msgspec.Struct, frozen=True):
    """A part of a file. `lines` is "" for the whole file. `text` is "" if the question already shows the file."""

    name: str
    text: str
    lines: str


def cut_passages(skill: Skill, ranges: Iterable[LineRange], view: SkillView | None = None) -> tuple[Passage, ...]:
    """Return the passages that contain the lines and the text around them. A short file is one passage.

    `view`: what the same question shows of the skill. If it shows a whole file verbatim, the passage of this file has
    no text.
    """
    by_path = group_by_key((lines.file, _add_context(lines)) for lines in ranges)
    files = ((skill.by_path[path], lines) for path, lines in by_path.items() if path in skill.by_path)
    return tuple(passage for file, lines in files for passage in _list_passages(file, lines, view))


def _add_context(lines: LineRange) -> range:
    """Return the numbers of the lines and of those around them. Of a long range, only the first lines count."""
    last = min(lines.last, lines.first + _CONTEXT_LINES)
    return range(lines.first - _CONTEXT_LINES, last + _CONTEXT_LINES + 1)


def _list_passages(file: SkillFile, near: Iterable[range], view: SkillView | None) -> Iterator[Passage]:
    if view and view.shows_exactly(file):
        yield Passage(file.path, "", "")
        return
    if len(file.text) <= _MAX_WHOLE:
        yield Passage(file.path, file.text, "")
        return
    shown = sorted({n for lines in near for n in lines if 0 < n <= len(file.doc.lines)})
    for _, group in groupby(enumerate(shown), lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in group]
        text = "\n".join(file.doc.lines[numbers[0] - 1 : numbers[-1]])
        yield Passage(file.path, text[:MAX_PASSAGE_CHARACTERS], f"lines {numbers[0]} to {numbers[-1]}")


def list_line_ranges(issue: Issue, skill: Skill) -> tuple[LineRange, ...]:
    """Return the lines of a finding, followed by the lines that its evidence quotes."""
    at = issue.location
    first = at.line_start or 1
    own_lines = LineRange(at.file, first, at.line_end or first)
    return (own_lines, *_find_quoted_lines(issue.evidence, skill.by_path))


def _find_quoted_lines(texts: Sequence[str], files: Mapping[str, SkillFile]) -> Iterator[LineRange]:
    """Yield the current lines of the quotes in texts of the form `file:line: words of the line`."""
    for text in texts:
        path, _, rest = text.partition(":")
        lines = _LINE_RANGE.match(rest)
        if path in files and lines:
            first, last = int(lines[1]), min(int(lines[2] or lines[1]), len(files[path].doc.lines))
            moved = locate_quote(files[path], rest[lines.end() :].removeprefix(":")) if first == last else None
            yield LineRange(path, *(moved or (first, last)))
