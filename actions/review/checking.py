"""What is wrong with an answer, found by the product alone: its schema, its quotes, the ids and kinds it speaks of."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import schemas
from actions.review.judge import Question
from actions.review.quotes import bare, place
from actions.review.replacements import Unfit, written
from actions.skill import Skill

Said = Mapping[str, Any]
UNKNOWN = "verdict for an unknown finding"
UNSHOWN = "rejection without words of the skill that show it"
NO_OTHER = "duplicate of a finding that is not known"
NO_KIND = "addition of an unknown kind"
NOWHERE = "addition whose quote stands nowhere in its file"
TWICE = "contradiction in itself: the findings stand"
_ADVICE = {
    UNKNOWN: "speak only of the ids that the question lists",
    UNSHOWN: "give `file` and `quote`, copied exactly from one place of one file, without line numbers",
    NO_OTHER: "`duplicate_of` is another id from the question",
    NO_KIND: "`pattern` is an id from the question's list",
    NOWHERE: "copy `quote` exactly from one place of `file`, without line numbers, six letters or more",
    TWICE: "give one verdict for each finding",
}


def objections(question: Question, value: Any, skill: Skill) -> tuple[str, ...]:
    """Return what is wrong with an answer, a line each: where, what, what to do. Empty where all of it counts."""
    if broken := bare(schemas.unmet(question.schema, value)):
        return (broken,)
    left = ", ".join(unlooked(question, value))
    looked = (f"looked: nothing is said of {left}; say of each, by its id, what the question asks",) if left else ()
    found = tuple(f"{where}: {why}; {_ADVICE[why]}" for where, why in _found(question, value, skill))
    return (*looked, *found, *_unfit(value, skill))


def unusable(question: Question, value: Any) -> str:
    """Return why nothing of an answer counts: its schema, or that it looked at nothing; "" where it is heard."""
    if broken := bare(schemas.unmet(question.schema, value)):
        return broken
    return "it does not say that it looked" if question.looks and unlooked(question, value) == question.looks else ""


def unlooked(question: Question, value: Said) -> tuple[str, ...]:
    """Return what an answer that meets its schema does not say that it looked for."""
    looked = value.get("looked", {})
    return tuple(id for id in question.looks if not bare(looked.get(id, "")))


def _unfit(value: Said, skill: Skill) -> Iterator[str]:
    try:
        written(value.get("edits", ()), skill)
    except Unfit as unfit:
        yield bare(f"edits: {unfit}")


def wrong_verdict(said: Said, ids: Sequence[str], known: Sequence[str], skill: Skill) -> str:
    """Return why a verdict does not count; "" where it does. To confirm, no words of the skill are needed."""
    if said["id"] not in ids:
        return UNKNOWN
    if not is_against(said):
        return ""
    if other := said.get("duplicate_of"):
        return "" if other != said["id"] and (other in ids or other in known) else NO_OTHER
    return "" if place_of(said, skill) else UNSHOWN


def wrong_addition(said: Said, kinds: Sequence[str], skill: Skill) -> str:
    """Return why an added finding does not count; "" where it does."""
    return NO_KIND if said["pattern"] not in kinds else "" if place_of(said, skill) else NOWHERE


def is_against(said: Said) -> bool:
    """Return whether a verdict speaks against a finding."""
    return said.get("verdict") == "reject"


def place_of(said: Said, skill: Skill) -> tuple[int, int] | None:
    """Return the lines where the quote of an item stands in its file; None where it does not."""
    file = skill.by_path.get(said.get("file", ""))
    return place(file, said.get("quote", "")) if file else None


def _found(question: Question, value: Said, skill: Skill) -> Iterator[tuple[str, str]]:
    words: dict[str, bool] = {}
    for number, said in enumerate(value.get("verdicts", ()) if question.ids or question.kinds else ()):
        where = f"verdicts[{number}] ({bare(said['id'])})"
        if why := wrong_verdict(said, question.ids, question.known, skill):
            yield where, why
        elif words.setdefault(said["id"], is_against(said)) != is_against(said):
            yield where, TWICE
    for number, said in enumerate(value.get("added", ()) if question.kinds else ()):
        if why := wrong_addition(said, question.kinds, skill):
            yield f"added[{number}] ({bare(said['pattern'])})", why
