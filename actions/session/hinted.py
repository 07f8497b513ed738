"""Search long texts fast: try a pattern only on lines with a hint, a string that every match contains."""

import re
from collections.abc import Iterable, Iterator, Sequence


def select_hints(hints: Sequence[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Return the hints that occur in any of the texts, so that searches can skip the other hints."""
    lower = "\n".join(dict.fromkeys(texts)).lower()
    return tuple(hint for hint in hints if hint in lower)


def find_hinted(pattern: re.Pattern[str], hints: Sequence[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that begin in a line with a hint. A match may end in the next line.

    `hints` are in lower case. The first line of each match must contain one of them, ignoring case.
    """
    lower = text.lower()
    if not (present := [hint for hint in hints if hint in lower]):
        return
    lines = [*text.split("\n"), ""]
    for n, line in enumerate(lower.split("\n")):
        if any(map(line.__contains__, present)):
            matches = pattern.finditer(f"{lines[n]}\n{lines[n + 1]}")
            yield from (match for match in matches if match.start() < len(lines[n]))
