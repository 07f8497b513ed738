"""Recognize the complaints in a user's description, with a judge or, without one, by keywords.

A complaint that a judge reports is accepted if the description contains its words.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from actions.regex import regex
from actions.review.asking import JudgeClient, build_question
from actions.review.quotes import flatten
from schemas.concerns import CONCERNS
from schemas.vocabulary import Family

_CERTAIN = 0.6
"""Minimum confidence at which the user is not asked about other categories. A single keyword gives this confidence."""
_CLAUSE_END = regex(
    r"(?i)[.;!?\n,，。；！？、]{1,20}(?=\s|$|[^\x00-\x7f])|\b(?:and|but|also)\b|而且|并且|同时|还有|以及|但是"
)
_WORD = regex(r"[\w-]+")


class Complaint(msgspec.Struct, frozen=True):
    """A complaint: the user's words, its category and other possible ones, and whether it contradicts itself.

    `confidence` in the category is between 0 and 1.
    """

    words: str
    category: str
    confidence: float
    others: tuple[str, ...] = ()
    is_contradictory: bool = False

    @property
    def is_clear(self) -> bool:
        """Whether the category is certain and the user need not be asked."""
        return (
            self.category != Family.CUSTOM
            and not self.is_contradictory
            and (self.confidence >= _CERTAIN or not self.others)
        )


def read_complaints(description: str, client: JudgeClient) -> tuple[Complaint, ...]:
    """Ask a judge to find the complaints in the user's description. Return () if there is no answer."""
    categories = {name: concern.label for name, concern in CONCERNS.items()}
    question = build_question("requirements", "requirements", description=description, categories=categories)
    (answer,) = client.ask([question])
    if answer is None:
        return ()
    items: Sequence[Mapping[str, Any]] = answer["concerns"]
    quoted = [item for item in items if _is_quoted(item["words"], description)]
    if count := len(items) - len(quoted):
        reason = "words that are not in the description"
        client.notes.append(f"{client.name} on the description, rejected: {count} × {reason}")
    complaints = {flatten(item["words"]): _build_complaint(item) for item in reversed(quoted)}
    return tuple(reversed(complaints.values()))


def recognize_complaints(description: str) -> tuple[tuple[Complaint, ...], str]:
    """Return the complaints that keywords indicate, and a note that lists the recognized keywords.

    If there is no keyword, the whole description is one complaint of the category "custom". If the description is
    empty, there are no complaints and the note is empty.
    """
    clauses = [part for part in (" ".join(p.split()) for p in _CLAUSE_END.split(description)) if _WORD.search(part)]
    if not clauses:
        return (), ""
    keywords = {clause: dict(find_known_words(clause)) for clause in clauses}
    complaints = tuple(
        _build_keyword_complaint(clause, by_category) for clause, by_category in keywords.items() if by_category
    )
    known = [
        f"“{word}” ({name})"
        for by_category in keywords.values()
        for name, words in by_category.items()
        for word in words
    ]
    unknown = [f"“{clause[:80]}”" for clause, by_category in keywords.items() if not by_category]
    ending = f"; not understood: {_join_first(unknown)}" if unknown else ""
    note = f"no model read your description; recognized words: {_join_first(known)}{ending}"
    return complaints or (Complaint(" ".join(description.split()), Family.CUSTOM, 0.0),), note


def find_known_words(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (category, keywords) for each category with keywords in a text.

    English keywords must be whole words; Chinese keywords may be anywhere.
    """
    lower = text.lower()
    line = f" {' '.join(_WORD.findall(lower))} "
    for name, concern in CONCERNS.items():
        if words := tuple(word for word in concern.words if (f" {word} " in line if word.isascii() else word in lower)):
            yield name, words


def _build_keyword_complaint(clause: str, keywords: Mapping[str, tuple[str, ...]]) -> Complaint:
    """Return a complaint of the category with the most keywords.

    It is certain unless another category has equally many.
    """
    first, *others = sorted(keywords, key=lambda name: -len(keywords[name]))
    ties = sum(len(keywords[name]) == len(keywords[first]) for name in keywords)
    return Complaint(clause, first, round(_CERTAIN / ties, 2), tuple(others))


def _join_first(texts: list[str]) -> str:
    """Return the first five texts, without duplicates, and the number of the others."""
    unique = list(dict.fromkeys(texts))
    return ", ".join([*unique[:5], *([f"{len(unique) - 5} more"] if len(unique) > 5 else [])]) or "nothing"


def _is_quoted(words: str, description: str) -> bool:
    return bool(flatten(words)) and flatten(words).casefold() in flatten(description).casefold()


def _build_complaint(item: Mapping[str, Any]) -> Complaint:
    category = item["category"]
    other_categories = tuple(dict.fromkeys(name for name in item["others"] if name != category))
    is_contradictory = item.get("opposed", False)
    return Complaint(
        flatten(item["words"]), category, round(float(item["confidence"]), 2), other_categories, is_contradictory
    )
