"""What a judge reads out of the user's description. A concern counts when its words stand there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from actions.concerns import NAMES
from actions.judging.asking import ask, question
from actions.judging.judge import Judge
from actions.judging.quotes import bare
from schemas.issues import Cost
from schemas.vocabulary import Family

_NOTHING = Cost()
_SURE = 0.6
"""Confidence from which a concern with several readings is not asked about."""


@dataclass(frozen=True)
class Reading:
    """One concern: the user's words, the kind of fault, and the other kinds that it may be."""

    words: str
    category: Family
    confidence: float
    others: tuple[Family, ...]

    @property
    def is_clear(self) -> bool:
        """Whether nobody has to be asked what is meant."""
        return self.category is not Family.CUSTOM and (self.confidence >= _SURE or not self.others)


@dataclass(frozen=True)
class Read:
    """The readings (none: the keywords serve), what asking cost, what is to be told."""

    readings: tuple[Reading, ...] = ()
    cost: Cost = _NOTHING
    notes: tuple[str, ...] = ()


def read(description: str, judge: Judge) -> Read:
    """Ask a judge what the user complains of."""
    kinds = {family.value: name for family, name in NAMES.items()}
    heard = ask(
        judge, [question("requirements", "requirements", description=description, categories=kinds)], "requirements"
    )
    (answer,) = heard.answers
    if answer is None:
        return Read((), heard.cost, heard.notes)
    said: Sequence[Mapping[str, Any]] = answer["concerns"]
    true = {bare(one["words"]): _reading(one) for one in reversed(said) if _stands(one["words"], description)}
    lies = sum(not _stands(one["words"], description) for one in said)
    note = f"{judge.name} on the description, left out: {lies} × concern in words that the user did not say"
    return Read(tuple(reversed(true.values())), heard.cost, (*heard.notes, *([note] if lies else [])))


def _stands(words: str, description: str) -> bool:
    return bool(bare(words)) and bare(words).casefold() in bare(description).casefold()


def _reading(said: Mapping[str, Any]) -> Reading:
    category = Family(said["category"])
    others = tuple(dict.fromkeys(Family(name) for name in said["others"] if name != category))
    return Reading(bare(said["words"]), category, round(float(said["confidence"]), 2), others)
