"""Pair lines of a text and of an edited copy with their headings; find headings that may name other sections now."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

Lines = Sequence[bytes]
KeyedLine = tuple[bytes, bytes]
"""The heading above a line, and the line."""

RENAMED = b"?"
_FENCES = (b"```", b"~~~")


def pair_with_headings(after: Lines, text: Lines) -> tuple[list[KeyedLine], list[KeyedLine]]:
    """Pair each line of both texts with the heading above it.

    It is b"" if not found, and the same for all headings that the other text lacks: they may have been renamed.
    """
    shared = set(list_headings(after)).intersection(list_headings(text))
    return list(_add_headings(after, shared)), list(_add_headings(text, shared))


def find_reused(after: Lines, text: Lines) -> set[bytes]:
    """Return the headings that may name other sections of `text`, for example because steps were renumbered.

    They have a line that was below another heading, or all their lines that are left are below another one. Lines that
    `after` repeats do not count.
    """
    times = Counter(after)
    homes = {line: set(path) for line, path in list_paths(after) if times[line] == 1 and line.strip()}
    gained, lost, kept = set[bytes](), set[bytes](), set[bytes]()
    for line, path in list_paths(text):
        home = homes.get(line)
        if home is not None:
            gained |= set(path) - home
            lost |= home.difference(path)
            kept |= home.intersection(path)
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
