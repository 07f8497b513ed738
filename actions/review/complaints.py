"""What a user complains of: as a judge reads it, or, without one, the words of the table that stand there.

A concern that a judge reads counts when its words stand in the description.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from actions.review.asking import Asking, build_question
from actions.review.quotes import flatten
from schemas.concerns import CONCERNS
from schemas.vocabulary import Family

_SURE = 0.6
"""Confidence from which a concern with several readings is not asked about; one that only a word names has it."""
_END = re.compile(r"(?i)[.;!?\n,，。；！？、]+(?=\s|$|[^\x00-\x7f])|\b(?:and|but|also)\b|而且|并且|同时|还有|以及|但是")
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True)
class Complaint:
    """One concern: the user's words, its kind, the other kinds that it may be, and whether it pulls against itself."""

    words: str
    category: str
    confidence: float
    others: tuple[str, ...] = ()
    opposed: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether nobody has to be asked what is meant."""
        return self.category != Family.CUSTOM and not self.opposed and (self.confidence >= _SURE or not self.others)


def read_complaints(description: str, asking: Asking) -> tuple[Complaint, ...]:
    """Return what a judge takes the user to complain of; empty where it has no answer."""
    kinds = {name: kind.label for name, kind in CONCERNS.items()}
    asked = build_question("requirements", "requirements", description=description, categories=kinds)
    (answer,) = asking.ask([asked])
    if answer is None:
        return ()
    said: Sequence[Mapping[str, Any]] = answer["concerns"]
    true = {flatten(one["words"]): _reading(one) for one in reversed(said) if _stands(one["words"], description)}
    lies = sum(not _stands(one["words"], description) for one in said)
    note = f"{asking.name} on the description, left out: {lies} × concern in words that the user did not say"
    asking.notes += [note] if lies else []
    return tuple(reversed(true.values()))


def recognize_complaints(description: str) -> tuple[tuple[Complaint, ...], str]:
    """Return what the words of the table alone name, and a note of what was recognised and what was not read.

    Both are empty where the description says nothing.
    """
    parts = [part for part in (" ".join(p.split()) for p in _END.split(description)) if _WORD.search(part)]
    named = {part: dict(find_known_words(part)) for part in parts}
    kinds_of = ((part, tuple(kinds)) for part, kinds in named.items() if kinds)
    readings = tuple(Complaint(part, own[0], round(_SURE / len(own), 2), own[1:]) for part, own in kinds_of)
    words = (f"“{word}” ({name})" for kinds in named.values() for name, found in kinds.items() for word in found)
    rest = [f"“{part[:80]}”" for part, kinds in named.items() if not kinds]
    beyond = f"; not understood: {_told(rest)}" if rest else ""
    note = f"no model read what you asked; recognised words: {_told([*words])}{beyond}"
    return (readings or (Complaint(" ".join(description.split()), Family.CUSTOM, 0.0),), note) if parts else ((), "")


def find_known_words(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each kind that a text names, with the words: English ones whole, Chinese ones anywhere."""
    low = text.lower()
    line = f" {' '.join(_WORD.findall(low))} "
    for name, kind in CONCERNS.items():
        if words := tuple(word for word in kind.words if (f" {word} " in line if word.isascii() else word in low)):
            yield name, words


def _told(parts: list[str]) -> str:
    shown = list(dict.fromkeys(parts))
    return ", ".join([*shown[:5], *([f"{len(shown) - 5} more"] if len(shown) > 5 else [])]) or "nothing"


def _stands(words: str, description: str) -> bool:
    return bool(flatten(words)) and flatten(words).casefold() in flatten(description).casefold()


def _reading(said: Mapping[str, Any]) -> Complaint:
    category = said["category"]
    others = tuple(dict.fromkeys(name for name in said["others"] if name != category))
    opposed = said.get("opposed", False)
    return Complaint(flatten(said["words"]), category, round(float(said["confidence"]), 2), others, opposed)
