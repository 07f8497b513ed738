"""Whether one line says anything that another does not: for taking out a copy that differs only in its words."""

import re
from collections.abc import Iterable

from actions.skill.rules import force_of
from actions.skill.text import FILLER, is_item, plain, sentences, strip_list_mark, words

_FILLER = FILLER | frozenset("or which has have when also your you we 与 及 是 在 以 将 把 和".split())
_BINDS = re.compile(
    r"\b(?:not|never|no|cannot|unless|except|before|after|without|until|only|always|must|may|should|first|last|least|most)\b"
    r"|n['’]t\b|[!=<>≤≥≠]=?|[不未非无勿禁除前后只仅必]"
)
_END = " .。;；"
_CONDITION = re.compile(r"\b(?:if|when|unless|except|until|only|or|but)\b|如果|若|当|除非|仅|只|或|但", re.IGNORECASE)
_STEM = 5
_ROOM = 4


def adds_nothing(copy: str, kept: str) -> bool:
    """Tell whether a line or sentence of `kept`, or all of it, says what `copy` says, and binds as it does.

    Each word that carries meaning must be there (endings may differ), each word that binds as often, each number.
    """
    return any(_holds(part, copy) for part in _parts(kept))


def goes_on(longer: str, shorter: str) -> bool:
    """Tell whether a list item says another one in its very words and adds to it, without a condition."""
    said, more = plain(shorter).rstrip(_END), plain(longer).rstrip(_END)
    added = more.removeprefix(said)
    begun = bool(said) and added != more and added[:1] in (" ", ",", "，", "（", "(", ";", "；")
    return begun and is_item(longer) and is_item(shorter) and not _CONDITION.search(added)


def _parts(kept: str) -> Iterable[str]:
    whole = strip_list_mark(kept)
    parts = sentences(whole)
    return (whole, *parts) if len(parts) > 1 else (whole,)


def _holds(kept: str, copy: str) -> bool:
    mine, theirs = sense(copy), sense(kept)
    if not mine or len(theirs) > 2 * len(mine) + _ROOM or force_of(copy) != force_of(kept):
        return False
    return _bonds(copy) == _bonds(kept) and all(any(_same(word, other) for other in theirs) for word in mine)


def sense(text: str) -> list[str]:
    """Give the words of a text that carry meaning, in order, without a plural's ending."""
    return [word.removesuffix("s") for word in words(strip_list_mark(text)) if word not in _FILLER]


def _bonds(text: str) -> list[str]:
    return sorted(_BINDS.findall(text.lower().replace("->", "→").replace("=>", "→")))


def _same(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) >= _STEM and one[:_STEM] == other[:_STEM] and one.isalpha())
