"""Search long texts fast: try a pattern only on lines that contain a word that every match needs."""

import re
from collections.abc import Iterable, Iterator, Sequence


def select_hints(hints: Sequence[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Return the hints that occur in the texts. A search with only these hints finds the same matches."""
    lower = "\n".join(dict.fromkeys(texts)).lower()
    return tuple(hint for hint in hints if hint in lower)


def find_hinted(pattern: re.Pattern[str], hints: Sequence[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that begin in a line with a hint. A match may end in the next line.

    `hints` are lower-case texts. The first line of each match must contain one of them, in upper or lower case.
    """
    lower = text.lower()
    if not (found := [hint for hint in hints if hint in lower]):
        return
    lines = [*text.split("\n"), ""]
    for n, line in enumerate(lower.split("\n")):
        if any(map(line.__contains__, found)):
            matches = pattern.finditer(f"{lines[n]}\n{lines[n + 1]}")
            yield from (match for match in matches if match.start() < len(lines[n]))
