"""What is wrong with an answer, found by the product alone: its schema, its quotes, the ids and kinds it speaks of."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import schemas
from actions.review.judge import Question
from actions.review.quotes import flatten, locate_quote
from actions.review.replacements import InvalidDraft, apply_replacements
from actions.skill import Skill

Item = Mapping[str, Any]
UNKNOWN = "verdict for an unknown finding"
UNQUOTED = "rejection without words of the skill that show it"
UNKNOWN_DUPLICATE = "duplicate of a finding that is not known"
UNKNOWN_PATTERN = "addition of an unknown kind"
NOT_IN_FILE = "addition whose quote stands nowhere in its file"
CONTRADICTION = "contradiction in itself: the findings stand"
_ADVICE = {
    UNKNOWN: "speak only of the ids that the question lists",
    UNQUOTED: "give `file` and `quote`, copied exactly from one place of one file, without line numbers",
    UNKNOWN_DUPLICATE: "`duplicate_of` is another id from the question",
    UNKNOWN_PATTERN: "`pattern` is an id from the question's list",
    NOT_IN_FILE: "copy `quote` exactly from one place of `file`, without line numbers, six letters or more",
    CONTRADICTION: "give one verdict for each finding",
}


def find_answer_errors(question: Question, value: Any, skill: Skill) -> tuple[str, ...]:
    """Return what is wrong with an answer, a line each: where, what, what to do. Empty where all of it counts."""
    if broken := flatten(schemas.find_violation(question.schema, value)):
        return (broken,)
    left = ", ".join(list_unchecked(question, value))
    looked = (f"looked: nothing is said of {left}; say of each, by its id, what the question asks",) if left else ()
    found = tuple(f"{where}: {why}; {_ADVICE[why]}" for where, why in _found(question, value, skill))
    return (*looked, *found, *_unfit(value, skill))


def explain_unusable(question: Question, value: Any) -> str:
    """Return why nothing of an answer counts: its schema, or that it looked at nothing; "" where it is heard."""
    if broken := flatten(schemas.find_violation(question.schema, value)):
        return broken
    return (
        "it does not say that it looked" if question.looks and list_unchecked(question, value) == question.looks else ""
    )


def list_unchecked(question: Question, value: Item) -> tuple[str, ...]:
    """Return what an answer that meets its schema does not say that it looked for."""
    looked = value.get("looked", {})
    return tuple(id for id in question.looks if not flatten(looked.get(id, "")))


def _unfit(value: Item, skill: Skill) -> Iterator[str]:
    try:
        apply_replacements(value.get("edits", ()), skill)
    except InvalidDraft as unfit:
        yield flatten(f"edits: {unfit}")


def check_verdict(said: Item, ids: Sequence[str], known: Sequence[str], skill: Skill) -> str:
    """Return why a verdict does not count; "" where it does. To confirm, no words of the skill are needed."""
    if said["id"] not in ids:
        return UNKNOWN
    if not is_rejection(said):
        return ""
    if other := said.get("duplicate_of"):
        return "" if other != said["id"] and (other in ids or other in known) else UNKNOWN_DUPLICATE
    return "" if find_quote(said, skill) else UNQUOTED


def check_addition(said: Item, kinds: Sequence[str], skill: Skill) -> str:
    """Return why an added finding does not count; "" where it does."""
    return UNKNOWN_PATTERN if said["pattern"] not in kinds else "" if find_quote(said, skill) else NOT_IN_FILE


def is_rejection(said: Item) -> bool:
    """Return whether a verdict speaks against a finding."""
    return said.get("verdict") == "reject"


def find_quote(said: Item, skill: Skill) -> tuple[int, int] | None:
    """Return the lines where the quote of an item stands in its file; None where it does not."""
    file = skill.by_path.get(said.get("file", ""))
    return locate_quote(file, said.get("quote", "")) if file else None


def _found(question: Question, value: Item, skill: Skill) -> Iterator[tuple[str, str]]:
    words: dict[str, bool] = {}
    for number, said in enumerate(value.get("verdicts", ()) if question.ids or question.kinds else ()):
        where = f"verdicts[{number}] ({flatten(said['id'])})"
        if why := check_verdict(said, question.ids, question.known, skill):
            yield where, why
        elif words.setdefault(said["id"], is_rejection(said)) != is_rejection(said):
            yield where, CONTRADICTION
    for number, said in enumerate(value.get("added", ()) if question.kinds else ()):
        if why := check_addition(said, question.kinds, skill):
            yield f"added[{number}] ({flatten(said['pattern'])})", why
