"""Search long texts fast: a pattern is tried only on lines that have a word which it needs."""

import re
from collections.abc import Iterable, Iterator, Sequence


def select_hints(hints: Sequence[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Return the hints that any of many texts has: a search of each text for these alone finds the same."""
    lower = "\n".join(dict.fromkeys(texts)).lower()
    return tuple(hint for hint in hints if hint in lower)


def find_hinted(pattern: re.Pattern[str], hints: Sequence[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that begin in a line with a hint; they may end in the next line.

    hints: in lower case; each match must contain one of them, in any case, in its first line.
    """
    lower = text.lower()
    if not (found := [hint for hint in hints if hint in lower]):
        return
    lines = [*text.split("\n"), ""]
    for n, line in enumerate(lower.split("\n")):
        if any(map(line.__contains__, found)):
            matches = pattern.finditer(f"{lines[n]}\n{lines[n + 1]}")
            yield from (match for match in matches if match.start() < len(lines[n]))
