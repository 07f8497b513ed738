"""Recognize a user's complaints, with a judge or, without one, by keywords.

A complaint that a judge reports is accepted if the user's description contains its words.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from actions.regex import regex
from actions.review.asking import Asking, build_question
from actions.review.quotes import flatten
from schemas.concerns import CONCERNS
from schemas.vocabulary import Family

_CERTAIN = 0.6
"""Minimum confidence at which the user is not asked about other possible categories. One keyword reaches it."""
_CLAUSE_END = regex(
    r"(?i)[.;!?\n,，。；！？、]{1,20}(?=\s|$|[^\x00-\x7f])|\b(?:and|but|also)\b|而且|并且|同时|还有|以及|但是"
)
_WORD = regex(r"[\w-]+")


class Complaint(msgspec.Struct, frozen=True):
    """One complaint: the user's words, its category, other possible categories, and whether it contradicts itself."""

    words: str
    category: str
    confidence: float
    others: tuple[str, ...] = ()
    opposed: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether the category is certain and the user need not be asked."""
        return self.category != Family.CUSTOM and not self.opposed and (self.confidence >= _CERTAIN or not self.others)


def read_complaints(description: str, asking: Asking) -> tuple[Complaint, ...]:
    """Return the complaints that a judge finds in the description; empty without an answer."""
    kinds = {name: kind.label for name, kind in CONCERNS.items()}
    question = build_question("requirements", "requirements", description=description, categories=kinds)
    (answer,) = asking.ask([question])
    if answer is None:
        return ()
    items: Sequence[Mapping[str, Any]] = answer["concerns"]
    quoted = [item for item in items if _is_quoted(item["words"], description)]
    if invented := len(items) - len(quoted):
        asking.notes.append(
            f"{asking.name} on the description, rejected: {invented} × words that are not in the description"
        )
    complaints = {flatten(item["words"]): _build_complaint(item) for item in reversed(quoted)}
    return tuple(reversed(complaints.values()))


def recognize_complaints(description: str) -> tuple[tuple[Complaint, ...], str]:
    """Return the complaints that keywords indicate, and a note that lists the recognized words.

    Both are empty for an empty description.
    """
    parts = [part for part in (" ".join(p.split()) for p in _CLAUSE_END.split(description)) if _WORD.search(part)]
    named = {part: dict(find_known_words(part)) for part in parts}
    readings = tuple(_weigh(part, kinds) for part, kinds in named.items() if kinds)
    words = (f"“{word}” ({name})" for kinds in named.values() for name, found in kinds.items() for word in found)
    rest = [f"“{part[:80]}”" for part, kinds in named.items() if not kinds]
    beyond = f"; not understood: {_list_first(rest)}" if rest else ""
    note = f"no model read your description; recognized words: {_list_first([*words])}{beyond}"
    return (readings or (Complaint(" ".join(description.split()), Family.CUSTOM, 0.0),), note) if parts else ((), "")


def find_known_words(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each category with keywords in a text, and these keywords.

    English keywords must be whole words; Chinese keywords may be anywhere.
    """
    low = text.lower()
    line = f" {' '.join(_WORD.findall(low))} "
    for name, kind in CONCERNS.items():
        if words := tuple(word for word in kind.words if (f" {word} " in line if word.isascii() else word in low)):
            yield name, words


def _weigh(words: str, kinds: Mapping[str, tuple[str, ...]]) -> Complaint:
    """Return a complaint of the category with the most keywords. It is certain if no other category has as many."""
    first, *others = sorted(kinds, key=lambda name: -len(kinds[name]))
    equal = sum(len(kinds[name]) == len(kinds[first]) for name in kinds)
    return Complaint(words, first, round(_CERTAIN / equal, 2), tuple(others))


def _list_first(parts: list[str]) -> str:
    each = list(dict.fromkeys(parts))
    return ", ".join([*each[:5], *([f"{len(each) - 5} more"] if len(each) > 5 else [])]) or "nothing"


def _is_quoted(words: str, description: str) -> bool:
    return bool(flatten(words)) and flatten(words).casefold() in flatten(description).casefold()


def _build_complaint(item: Mapping[str, Any]) -> Complaint:
    category = item["category"]
    others = tuple(dict.fromkeys(name for name in item["others"] if name != category))
    opposed = item.get("opposed", False)
    return Complaint(flatten(item["words"]), category, round(float(item["confidence"]), 2), others, opposed)
