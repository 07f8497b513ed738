"""Check an answer without a model: its schema, its quotes, the ids and patterns that it names."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import schemas
from actions.review.judge import Question
from actions.review.quotes import flatten, locate_quote
from actions.review.replacements import InvalidDraft, apply_replacements
from actions.skill import Skill

Item = Mapping[str, Any]
"""One verdict or one addition of an answer."""
UNKNOWN = "verdict on an id that was not asked about"
UNQUOTED = "rejection whose quote is not in its file"
UNKNOWN_DUPLICATE = "duplicate of an unknown finding"
UNKNOWN_PATTERN = "addition with a pattern that was not asked about"
NOT_IN_FILE = "addition whose quote is not in its file"
CONTRADICTION = "two opposite verdicts on one finding, which stays as it is"
_COPY = "copy `quote` exactly from one place of `file`, without line numbers, six letters or more"


def find_answer_errors(question: Question, value: Any, skill: Skill) -> tuple[str, ...]:
    """Return the errors of an answer, a line each: where, what, and what to write instead. Empty if it is valid."""
    if invalid := flatten(schemas.find_violation(question.schema, value)):
        return (invalid,)
    missing = ", ".join(list_unchecked(question, value))
    looked = (f"looked: {missing} missing; add a line for each of these ids",) if missing else ()
    return (*looked, *_check_items(question, value, skill), *_check_edits(value, skill))


def explain_unusable(question: Question, value: Any) -> str:
    """Return why a whole answer is unusable: its schema, or an empty `looked`; "" for a usable one."""
    if invalid := flatten(schemas.find_violation(question.schema, value)):
        return invalid
    is_empty = question.looks and list_unchecked(question, value) == question.looks
    return "`looked` says nothing about any id of the question" if is_empty else ""


def list_unchecked(question: Question, value: Item) -> tuple[str, ...]:
    """Return the ids that `looked` leaves out, of an answer that meets its schema."""
    looked = value.get("looked", {})
    return tuple(id for id in question.looks if not flatten(looked.get(id, "")))


def check_verdict(item: Item, ids: Sequence[str], known: Sequence[str], skill: Skill) -> str:
    """Return why a verdict is rejected; "" if it counts. A confirmation needs no quote."""
    if item["id"] not in ids:
        return UNKNOWN
    if not is_rejection(item):
        return ""
    if other := item.get("duplicate_of"):
        return "" if other != item["id"] and (other in ids or other in known) else UNKNOWN_DUPLICATE
    return "" if find_quote(item, skill) else UNQUOTED


def check_addition(item: Item, kinds: Sequence[str], skill: Skill) -> str:
    """Return why an added finding is rejected; "" if it counts."""
    return UNKNOWN_PATTERN if item["pattern"] not in kinds else "" if find_quote(item, skill) else NOT_IN_FILE


def is_rejection(item: Item) -> bool:
    """Return whether a verdict rejects the finding."""
    return item.get("verdict") == "reject"


def find_quote(item: Item, skill: Skill) -> tuple[int, int] | None:
    """Return the lines of an item's quote in its file; None if it is not there."""
    file = skill.by_path.get(item.get("file", ""))
    return locate_quote(file, item.get("quote", "")) if file else None


def _check_items(question: Question, value: Item, skill: Skill) -> Iterator[str]:
    rejects: dict[str, bool] = {}
    for number, item in enumerate(value.get("verdicts", ()) if question.ids or question.kinds else ()):
        where = f"verdicts[{number}] ({flatten(item['id'])})"
        if reason := check_verdict(item, question.ids, question.known, skill):
            yield f"{where}: {reason}{_explain(reason, item, question)}"
        elif rejects.setdefault(item["id"], is_rejection(item)) != is_rejection(item):
            yield f"{where}: {CONTRADICTION}; give one verdict for each finding"
    for number, item in enumerate(value.get("added", ()) if question.kinds else ()):
        if reason := check_addition(item, question.kinds, skill):
            yield f"added[{number}] ({flatten(item['pattern'])}): {reason}{_explain(reason, item, question)}"


def _explain(reason: str, item: Item, question: Question) -> str:
    """Return the rejected words, and what to write instead."""
    if reason == UNKNOWN:
        return f"; the ids are: {', '.join(question.ids)}"
    if reason == UNKNOWN_PATTERN:
        return f"; the patterns are: {', '.join(question.kinds)}"
    if reason == UNKNOWN_DUPLICATE:
        others = (id for id in (*question.ids, *question.known) if id != item["id"])
        return f": {flatten(item['duplicate_of'])[:20]}; `duplicate_of` can be: {', '.join(others)}"
    quote, file = flatten(item.get("quote", ""))[:80], flatten(item.get("file", ""))[:80]
    return f": “{quote}” in {file or 'no file'}; {_COPY}"


def _check_edits(value: Item, skill: Skill) -> Iterator[str]:
    try:
        apply_replacements(value.get("edits", ()), skill)
    except InvalidDraft as error:
        yield flatten(f"edits: {error}")
