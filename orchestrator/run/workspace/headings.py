"""Pair lines of a text and its edited copy with their headings, and find headings whose sections may have changed."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

Lines = Sequence[bytes]
KeyedLine = tuple[bytes, bytes]
"""The heading above a line, and the line."""

RENAMED = b"?"
_FENCES = (b"```", b"~~~")


def pair_with_headings(after: Lines, text: Lines) -> tuple[list[KeyedLine], list[KeyedLine]]:
    """Pair each line of both texts with the heading above it.

    The heading is b"" if there is none. It is RENAMED if the other text lacks it, because it may have been renamed.
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


def mark_headings(lines: Lines) -> Iterator[tuple[bytes, bool]]:
    """Yield each line, and whether it is a heading."""
    fence = b""
    for line in lines:
        mark = line.lstrip()[:3]
        if mark in _FENCES and fence in (b"", mark):
            fence = b"" if fence else mark
        yield line, not fence and line.startswith(b"#")


def _count_level(heading: bytes) -> int:
    return len(heading) - len(heading.lstrip(b"#"))


def _add_headings(lines: Lines, shared: Collection[bytes]) -> Iterator[KeyedLine]:
    heading = b""
    for line, is_title in mark_headings(lines):
        if is_title:
            heading = line if line in shared else RENAMED
        yield heading, line
