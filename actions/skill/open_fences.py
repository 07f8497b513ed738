"""Find code fences that do not end where their author intended, and the lines that are misread therefore."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec

from actions.memo import memoize, memoize_all
from actions.regex import regex
from actions.skill.skill import SkillFile
from actions.skill.structure import Fence

_OPENING_MARK = regex(r"(`{3,}|~{3,})[ \t]*([^\s`]*)")
_INDENTED_MARK = regex(r"([ \t]+)(`{3,}|~{3,})[ \t]*([^\s`]*)")
_INNER_MARK = regex(r"([ \t]*)(`{3,}|~{3,})[ \t]*[^\s`]+[^`]*$")
_BARE_MARK = regex(r"\s*(`{3,}|~{3,})\s*")
_ESCAPES = regex(r"[\\\u200b-\u200d\u2060\ufeff]")
"""Characters in a mark that keep it from closing a fence, so that Markdown shows it as text."""
_MARK_AFTER_TEXT = regex(r"\s*[^\s`][^`]*`{3,}[\w+-]*\s*$")
"""A line whose only fence mark follows text, so that Markdown does not open a fence there."""
_MAX_INDENT = 3
"""Maximum indentation of a mark, more than that of the fence, at which it can close the fence."""
_MIN_MARK = 3
"""Minimum length of a fence's mark."""
_TEXT_LANGUAGES = frozenset({"", "markdown", "md"})
"""Languages of fences that often contain fences."""


_PROSE = regex(
    r"#{2,6} \S|\*\*\S|(?:[-*]|\d+\.) +\*\*\S|\|.*\|\s*\Z|[\u3040-\u9fff\uac00-\ud7a3]"
    r"|[^\W\d_a-z]\w*(?:[ ,]+[^\s,]+){2,}[.:!?]\s*\Z"
)
"""A line that is text rather than code: a heading, bold text, a row of a table, or a sentence."""


class OpenFence(msgspec.Struct, frozen=True):
    """A fence that does not end as intended. `line` is its first line; `inner` is the line of a fence inside it, or 0.

    The end of the inner fence also ends the outer one. `late` is an earlier line that caused the fault because its
    opening mark follows text, or 0. `last` is the last line that may be misread: that of the file, or of the list that
    contains the fence. `tail` are the lines after the end of the inner fence that belong to the outer one.
    """

    line: int
    inner: int
    late: int
    last: int
    tail: range


@memoize_all
def find_open_fences(file: SkillFile) -> Iterator[OpenFence]:
    """Yield the fences in lists that a fence inside them closes, then the first other one with a wrong end.

    Code may contain fence marks. So a code fence counts only if a text fence or the last fence also ends wrongly.
    Nothing is yielded if an HTML block hides a fence from Markdown, because the author and a model still see the fence.
    """
    doc = file.doc
    if any(_OPENING_MARK.match(doc.line(number)) and not doc.fence_at(number) for number in _list_stray_marks(file)):
        return
    yield from _find_open_fences_in_lists(file)
    open_at_end = [
        last for last in doc.fences[-1:] if not last.closed and last.end >= len(doc.lines) and _get_mark(file, last)
    ]
    fences = doc.fences if _list_stray_marks(file) else ()
    inner = [(fence, line) for fence in fences if (line := _find_inner_fence(file, fence, _get_mark(file, fence)))]
    if open_at_end or any(fence.lang in _TEXT_LANGUAGES for fence, _ in inner):
        fence, line = inner[0] if inner else (open_at_end[0], 0)
        late = (n for n in range(1, fence.start) if _MARK_AFTER_TEXT.match(doc.line(n)) and not doc.fence_at(n))
        last = len(doc.lines)
        yield OpenFence(fence.start, line, next(late, 0), last, _find_tail(file, fence, last) if line else range(0))


def is_misread(file: SkillFile, line: int) -> bool:
    """Return whether a line may be in a sample because of a fence that does not end as intended.

    These are the lines after the fence, and the lines directly above it if its mark may be the end of a fence.
    """
    is_near_open = any(
        (fence.late or fence.line) < line <= fence.last or (fence.inner and line in file.doc.passage_at(fence.line))
        for fence in find_open_fences(file)
    )
    return is_near_open or any(first < line <= last for first, last in _find_early_ends(file))


def swallows_text(file: SkillFile, line: int) -> bool:
    """Return whether the fence that begins on a line may contain more than its code: marks, or text after a blank line.

    Markdown shows code that runs to the end of the file as if its fence were closed. A mark without a language may be
    the end of another fence.
    """
    fence = file.doc.fence_at(line)
    if not fence or fence.closed or not _has_language(file, fence) or _list_stray_marks_inside(file, fence):
        return True
    inside = [file.doc.line(number) for number in range(fence.start + 1, len(file.doc.lines) + 1)]
    blank = next((number for number, text in enumerate(inside) if not text.strip()), len(inside))
    return any(map(_PROSE.match, inside[blank:]))


def is_in_tail(file: SkillFile, line: int) -> bool:
    """Return whether a line belongs to a sample whose fence ends too early, at the end of a fence inside it."""
    return any(line in fence.tail for fence in find_open_fences(file))


@memoize
def list_lines_between_marks(file: SkillFile) -> frozenset[int]:
    """Return the numbers of the lines between fence marks, also where an HTML block hides the fence from Markdown."""
    inside, mark = set[int](), ""
    for number, line in enumerate(file.doc.lines, 1):
        match = _OPENING_MARK.match(line)
        if mark and match and match[1].startswith(mark) and not match[2]:
            mark = ""
        elif mark:
            inside.add(number)
        elif match:
            mark = match[1]
    return frozenset(inside)


@memoize_all
def _find_early_ends(file: SkillFile) -> Iterator[tuple[int, int]]:
    """Yield (last line, line of the next long fence) for each long fence that ends inside a shorter inner fence."""
    marks = [(fence, _get_mark(file, fence)) for fence in file.doc.fences]
    for number, (fence, mark) in enumerate(marks):
        numbers = _list_stray_marks_inside(file, fence) if len(mark) > _MIN_MARK else ()
        inner = [file.doc.line(line).strip() for line in numbers]
        is_open = sum(line.startswith(mark[:_MIN_MARK]) and not line.startswith(mark) for line in inner) % 2
        if is_open:
            later = (other.start for other, other_mark in marks[number + 1 :] if other_mark == mark)
            yield fence.end, next(later, len(file.doc.lines))


def _find_open_fences_in_lists(file: SkillFile) -> Iterator[OpenFence]:
    """Yield the text fences in lists that a fence inside them closes, one for each item of a list."""
    last = 0
    for fence in file.doc.fences if _list_stray_marks(file) else ():
        mark = _INDENTED_MARK.match(file.doc.line(fence.start)) if fence.start > last and fence.closed else None
        inner = _find_inner_fence(file, fence, mark[2]) if mark and fence.lang in _TEXT_LANGUAGES else 0
        if mark and inner:
            last = _find_last_indented(file, fence.end, len(mark[1]))
            yield OpenFence(fence.start, inner, 0, last, _find_tail(file, fence, last))


def _find_last_indented(file: SkillFile, start: int, indent: int) -> int:
    """Return the last line from `start` on before a line of less indentation, which ends the item of the list."""
    for number in range(start + 1, len(file.doc.lines) + 1):
        line = file.doc.line(number)
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            return number - 1
    return len(file.doc.lines)


def _find_tail(file: SkillFile, fence: Fence, last: int) -> range:
    """Return the lines after a fence up to the next mark without a language that opens a fence, or up to `last`."""
    bare = (other.start for other in file.doc.fences if other.start > fence.end and not _has_language(file, other))
    return range(fence.end + 1, min(next(bare, last), last) + 1)


def _has_language(file: SkillFile, fence: Fence) -> bool:
    return _BARE_MARK.fullmatch(file.doc.line(fence.start)) is None


def _find_inner_fence(file: SkillFile, fence: Fence, mark: str) -> int:
    """Return the line of a fence with the same mark that opens inside `fence`, or 0.

    A fence whose closing mark is escaped does not count, because it does not close the outer one.
    """
    numbers = _list_stray_marks_inside(file, fence) if mark else ()
    matches = ((number, _INNER_MARK.match(file.doc.line(number))) for number in numbers)
    most = file.doc.line(fence.start).find(mark) + _MAX_INDENT
    line = next((number for number, match in matches if match and match[2] == mark and len(match[1]) <= most), 0)
    return 0 if line and any(_is_escaped_end(file.doc.line(n)) for n in range(line + 1, fence.end)) else line


def _is_escaped_end(line: str) -> bool:
    return _BARE_MARK.fullmatch(line) is None and _BARE_MARK.fullmatch(_ESCAPES.sub("", line)) is not None


def _list_stray_marks_inside(file: SkillFile, fence: Fence) -> Sequence[int]:
    """Return the numbers of the lines inside a fence that may open or close one."""
    numbers = _list_stray_marks(file)
    last = fence.end - 1 if fence.closed else fence.end
    return numbers[bisect_right(numbers, fence.start) : bisect_right(numbers, last)]


@memoize
def _list_stray_marks(file: SkillFile) -> list[int]:
    """Return the numbers of the lines with a fence mark that does not open or close a fence in Markdown."""
    fences = file.doc.fences
    borders = {fence.start for fence in fences} | {fence.end for fence in fences if fence.closed}
    numbers = (number for number, line in enumerate(file.doc.lines, 1) if "```" in line or "~~~" in line)
    return [number for number in numbers if number not in borders]


def _get_mark(file: SkillFile, fence: Fence) -> str:
    """Return the characters that open a fence.

    Returns "" for a fence in a list or a quote, whose end also ends the fence.
    """
    match = _OPENING_MARK.match(file.doc.line(fence.start))
    return match[1] if match else ""
