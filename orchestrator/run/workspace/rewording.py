"""Tell a line that the user reworded from a line that is about something else."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

_WORD = re.compile(rb"[A-Za-z\x80-\xff]{4,}")
"""A word that says what a line is about. Marks, numbers and short words are in the lines of any step."""
_LABEL = re.compile(rb'^\W*\w*\W*\d+\W|^\W*[\w-]+:[ \t]|"[^"]*"[ \t]*:|[^\s"]*/')
"""A label such as "## Step 2:", a key of YAML or JSON, or the folder of a path. Lines of other steps have them, too."""
_PART = re.compile(rb"\S+")

_OWN, _ALL, _PARTS = range(3)
_Content = tuple[Counter[bytes], Counter[bytes], Counter[bytes]]
"""The words that no other line has, all words, and all parts between spaces."""


def list_different_lines(before: Sequence[bytes], reworded: Mapping[int, bytes]) -> list[int]:
    """Return the reworded lines whose new text equals a line of `before`, or does not resemble its old text.

    reworded: the new texts of lines of `before`, by their numbers.
    """
    known, common = set(before), list_common_words(before)
    contents = {n: (_read_content(before[n], common), _read_content(line, common)) for n, line in reworded.items()}
    return [n for n, line in reworded.items() if line in known or not _resembles(n, contents)]


def list_common_words(lines: Sequence[bytes]) -> frozenset[bytes]:
    """Return the words that are in at least two different lines."""
    times = Counter(word for line in set(lines) for word in set(_WORD.findall(line)))
    return frozenset(word for word, count in times.items() if count > 1)


def count_own_words(line: bytes, common: Collection[bytes]) -> int:
    """Return how many different words a line has that are not `common`."""
    return len(_read_content(line, common)[_OWN])


def list_parts(line: bytes) -> list[bytes]:
    """Return the parts of a line between spaces."""
    return _PART.findall(line)


def _resembles(line: int, contents: Mapping[int, tuple[_Content, _Content]]) -> bool:
    """Return whether the new text of a line resembles its old text.

    They must share more than half of the words of the shorter one, with and without words of several lines such as
    "Step", and more than the new text shares with the old text of any other line. If one of them has no word, their
    parts are compared.
    """
    old, new = contents[line]
    kinds = [kind for kind in (_OWN, _ALL) if old[kind] and new[kind]] or [_PARTS]
    return all(
        _shares_most(old[kind], new[kind], [text[kind] for n, (text, _) in contents.items() if n != line])
        for kind in kinds
    )


def _shares_most(old: Counter[bytes], new: Counter[bytes], others: Sequence[Counter[bytes]]) -> bool:
    shared = (old & new).total()
    is_most = shared > max(((other & new).total() for other in others), default=-1)
    return is_most and 2 * shared > min(old.total(), new.total())


def _read_content(line: bytes, common: Collection[bytes]) -> _Content:
    text = _LABEL.sub(b"", line)
    words = _WORD.findall(text)
    return Counter(word for word in words if word not in common), Counter(words), Counter(list_parts(text))
