"""Tell a line that the user reworded from a line that is about something else."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")
_FUNCTION_WORDS = frozenset(b"a an and are as at be by for if in is it its of on or the to was you".split())
_LONG = 4
"""Fewer letters can be a function word or, if they are not ASCII, a part of one character or a label."""
_LABEL = re.compile(
    rb'^\W*\w*\W*\d+[ \t]*(?:$|[^\w\s])|^\W*[\w-]+:[ \t]|"[^"]*"[ \t]*:|[^\s"()\[\]]*/|(?<=\w)\.[a-z]{1,4}(?![\w.])'
)
"""A label such as "## Step 2:", a key of YAML or JSON, the folder of a path, or the extension of a file.

Lines of other steps have them, too. A number before a word is no label.
"""
_PART = re.compile(rb"\S+")
_MARK = re.compile(rb"[^\w\x80-\xff]+")
_MIN_OWN = 2

_OWN, _ALL, _PARTS = range(3)
_Content = tuple[Counter[bytes], Counter[bytes], Counter[bytes]]
"""The words that no other line has, all words, and the parts between spaces that are not only marks."""


def list_different_lines(before: Sequence[bytes], reworded: Mapping[int, bytes]) -> list[int]:
    """Return the reworded lines whose new text equals a line of `before`, or does not resemble its old text.

    reworded: the new texts of lines of `before`, by their numbers.
    """
    known, common = set(before), list_common_words(before)
    contents = {n: (_read_content(before[n], common), _read_content(line, common)) for n, line in reworded.items()}
    return [n for n, line in reworded.items() if line in known or not _resembles(n, contents)]


def list_common_words(lines: Sequence[bytes]) -> frozenset[bytes]:
    """Return the words that are in at least two different lines."""
    times = Counter(word for line in set(lines) for word in set(_list_words(line)))
    return frozenset(word for word, count in times.items() if count > 1)


def count_own_words(line: bytes, common: Collection[bytes]) -> int:
    """Return how many different words of at least four letters a line has that are not `common`."""
    return sum(len(word) >= _LONG for word in _read_content(line, common)[_OWN])


def list_parts(line: bytes) -> list[bytes]:
    """Return the parts of a line between spaces."""
    return _PART.findall(line)


def _resembles(line: int, contents: Mapping[int, tuple[_Content, _Content]]) -> bool:
    """Return whether the new text of a line resembles its old text.

    They must share more than half of the words of the shorter one, with and without words of several lines such as
    "Step", and more than the new text shares with the old text of any other line. They must also share two words that
    no other line has, or at least half of the words of the longer one. If one of them has no word, their parts are
    compared.
    """
    old, new = contents[line]
    kinds = [kind for kind in (_OWN, _ALL) if old[kind] and new[kind]] or [_PARTS]
    is_clear = len(old[_OWN] & new[_OWN]) >= _MIN_OWN or _shares_half(old[kinds[-1]], new[kinds[-1]])
    return is_clear and all(
        _shares_most(old[kind], new[kind], [text[kind] for n, (text, _) in contents.items() if n != line])
        for kind in kinds
    )


def _shares_half(old: Counter[bytes], new: Counter[bytes]) -> bool:
    """Return whether two texts share at least half of the longer one."""
    return 2 * (old & new).total() >= max(old.total(), new.total())


def _shares_most(old: Counter[bytes], new: Counter[bytes], others: Sequence[Counter[bytes]]) -> bool:
    """Return whether two texts share more than half of the shorter one, and more than the new one and another share."""
    shared = (old & new).total()
    is_most = shared > max(((other & new).total() for other in others), default=-1)
    return is_most and 2 * shared > min(old.total(), new.total())


def _list_words(text: bytes) -> list[bytes]:
    """Return the words that say what a line is about, without those that are in the lines of any step."""
    return [word for word in _WORD.findall(text) if len(word) >= _LONG or _is_short_word(word.lower())]


def _is_short_word(word: bytes) -> bool:
    return word.isascii() and word not in _FUNCTION_WORDS


def _read_content(line: bytes, common: Collection[bytes]) -> _Content:
    text = _LABEL.sub(b"", line)
    words = _list_words(text)
    own = (word for word in words if word not in common)
    return Counter(own), Counter(words), Counter(part for part in list_parts(text) if not _MARK.fullmatch(part))
