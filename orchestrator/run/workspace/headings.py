"""Pair lines of a text and its edited copy with their headings, and find headings whose sections may have changed."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

Lines = Sequence[bytes]
KeyedLine = tuple[bytes, bytes]
"""The heading above a line, and the line."""

Span = tuple[int, int]

RENAMED = b"?"
_TITLE = re.compile(rb"#|\W*(?:\*\*|__)|\s{0,3}<[A-Za-z]|\s{1,3}#|>\s*#|\w.*:\s*$", re.DOTALL)
"""A heading, a line that begins in bold, a tag such as <step>, or a caption that ends with a colon."""
_UNDERLINE = re.compile(rb"(?:-{3,}|={3,})\s*$")
_FENCES = (b"```", b"~~~")
_OTHER_LEVEL = 7
"""The level of a title that is no Markdown heading. It is below all of them."""


class _Section(NamedTuple):
    """A section. start: the line of its heading. parent: the line of the heading of the section around it, or -1."""

    start: int
    end: int
    level: int
    parent: int


def pair_with_headings(after: Lines, text: Lines) -> tuple[list[KeyedLine], list[KeyedLine]]:
    """Pair each line of both texts with the heading above it.

    The heading is b"" if there is none. A heading that the other text lacks is RENAMED.
    """
    shared = set(list_headings(after)).intersection(list_headings(text))
    return list(_add_headings(after, shared)), list(_add_headings(text, shared))


def find_reused(after: Lines, text: Lines) -> set[bytes]:
    """Return the headings that may name other sections of `text`, for example because steps were renumbered.

    These are headings above a line that had other headings in `after`, and headings whose remaining lines are all
    below other headings now. Lines that `after` repeats are ignored.
    """
    times = Counter(after)
    old_paths = {line: set(path) for line, path in list_paths(after) if times[line] == 1 and line.strip()}
    gained, lost, kept = set[bytes](), set[bytes](), set[bytes]()
    for line, path in list_paths(text):
        old_path = old_paths.get(line)
        if old_path is not None:
            gained |= set(path) - old_path
            lost |= old_path.difference(path)
            kept |= old_path.intersection(path)
    return gained | lost - kept


def list_paths(lines: Lines) -> Iterator[tuple[bytes, tuple[bytes, ...]]]:
    """Yield each line with the headings of the sections that contain it, outermost first."""
    path: tuple[bytes, ...] = ()
    for line, is_title in mark_headings(lines):
        if not is_title:
            yield line, path
            continue
        level = _count_level(line)
        path = tuple(heading for heading in path if _count_level(heading) < level)
        yield line, path
        path = (*path, line)


def list_headings(lines: Lines) -> Iterator[bytes]:
    """Yield the Markdown headings of a text. A line in a fence that begins with "#" is a comment."""
    return (line for line, is_title in mark_headings(lines) if is_title)


def list_step_spans(lines: Lines) -> list[Span]:
    """Return, for each line, the span of the section around it that may be one step of several.

    The span includes subsections. It is empty above all headings, and below a heading without another one of its level.
    A heading that is repeated in several sections, such as "### Call", belongs to the step around it. A line that
    begins in bold is the heading of a step only if no step is around it.
    """
    sections = _list_sections(lines)
    times, parents = Counter(section.level for section in sections), defaultdict[bytes, set[int]](set)
    for section in sections:
        parents[lines[section.start]].add(section.parent)
    spans = [(n, n) for n in range(len(lines))]
    for start, end, level, parent in sections:
        span = (start, end) if times[level] > 1 else (start, start)
        is_part = level == _OTHER_LEVEL or len(parents[lines[start]]) > 1
        if is_part and parent >= 0 and spans[parent] != (parent, parent):
            span = spans[parent]
        spans[start:end] = [span] * (end - start)
    return spans


def _list_sections(lines: Lines) -> list[_Section]:
    """Return the sections of a text with their subsections, in order. Other titles of steps are headings, too."""
    sections, path = list[_Section](), list[int]()
    for start in _list_titles(lines):
        level = _count_level(lines[start]) or _OTHER_LEVEL
        while path and sections[path[-1]].level >= level:
            last = path.pop()
            sections[last] = sections[last]._replace(end=start)
        parent = sections[path[-1]].start if path else -1
        path.append(len(sections))
        sections.append(_Section(start, len(lines), level, parent))
    return sections


def _list_titles(lines: Lines) -> Iterator[int]:
    """Yield the indexes of the lines outside of fences that may be titles of steps."""
    outside = [is_outside for _, is_outside in mark_headings(lines, (b"",))]
    for n, (line, following) in enumerate(pairwise([*lines, b""])):
        is_underlined = line.strip() and n + 1 < len(lines) and outside[n + 1] and _UNDERLINE.match(following)
        if outside[n] and (_TITLE.match(line) or is_underlined):
            yield n


def mark_headings(lines: Lines, marks: tuple[bytes, ...] = (b"#",)) -> Iterator[tuple[bytes, bool]]:
    """Yield each line, and whether it is a heading, that is, begins with one of the marks outside of fences."""
    fence = b""
    for line in lines:
        mark = line.lstrip()[:3]
        if mark in _FENCES and fence in (b"", mark):
            fence = b"" if fence else mark
        yield line, not fence and line.startswith(marks)


def _count_level(heading: bytes) -> int:
    return len(heading) - len(heading.lstrip(b"#"))


def _add_headings(lines: Lines, shared: Collection[bytes]) -> Iterator[KeyedLine]:
    heading = b""
    for line, is_title in mark_headings(lines):
        if is_title:
            heading = line if line in shared else RENAMED
        yield heading, line
