"""Check a model's answer: its schema and quotes, and the ids, patterns and lookups that it names."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import schemas
from actions.case import Case
from actions.project.lookup import Library
from actions.project.lookup_log import LookupLog
from actions.project.lookup_paths import find_refusal, hash_file
from actions.review.judge import Question
from actions.review.quotes import flatten, locate_quote
from actions.review.replacements import InvalidDraft, apply_replacements
from actions.skill import SkillFile

Item = Mapping[str, Any]
"""One verdict or one addition of an answer."""
UNKNOWN = "verdict on an id that was not asked about"
UNQUOTED = "rejection whose quote is not in its file"
UNKNOWN_DUPLICATE = "duplicate of an unknown finding"
UNKNOWN_PATTERN = "addition with a pattern that was not asked about"
NOT_IN_FILE = "addition whose quote is not in its file, or too short"
NO_FILE = "quote of a file that does not exist"
NOT_OF_UNIT = "addition that quotes another file of the project"
CHANGED = "addition that rests on a file that has changed since it was looked up"
CONTRADICTION = "two opposite verdicts on one finding, which stays as it is"
_MAX_FILES = 20
"""Maximum number of files that a message lists."""
_COPY_HINT = "copy `quote` exactly from one place of `file`, without line numbers, six letters or more"
_QUOTE_OWN_LINE_HINT = "quote the line of the skill that relies on that file, and name the file in `looked_up`"


def find_answer_errors(question: Question, value: Any, case: Case, log: LookupLog) -> tuple[str, ...]:
    """Return the errors in an answer, one line for each error.

    Each line has the item, the error, and what would be accepted.
    """
    if violation := flatten(schemas.find_violation(question.schema, value)):
        return (violation,)
    return (*_check_items(question, value, case, log), *_check_edits(value, case))


def explain_violation(question: Question, value: Any) -> str:
    """Return how an answer violates its schema, or "" if it is valid."""
    return flatten(schemas.find_violation(question.schema, value))


def check_verdict(item: Item, ids: Sequence[str], known: Sequence[str], case: Case) -> str:
    """Return why a verdict is not accepted, or "" if it is. Only a rejection needs a quote.

    `ids` are the findings that the judge was asked about. `known` are other findings that a rejection may name as the
    original of a duplicate.
    """
    if item["id"] not in ids:
        return UNKNOWN
    if not is_rejection(item):
        return ""
    if other := item.get("duplicate_of"):
        return "" if other != item["id"] and (other in ids or other in known) else UNKNOWN_DUPLICATE
    return "" if find_quote(item, case) else NO_FILE if _names_missing_file(item, case) else UNQUOTED


def check_addition(item: Item, pattern_ids: Sequence[str], case: Case, log: LookupLog) -> str:
    """Return why an added finding is rejected, or "" if it is accepted.

    `pattern_ids` are the patterns for which the question asked for findings.
    """
    if item["pattern"] not in pattern_ids:
        return UNKNOWN_PATTERN
    if not find_quote(item, case):
        return NO_FILE if _names_missing_file(item, case) else NOT_IN_FILE
    if item["file"] not in case.skill.by_path:
        return NOT_OF_UNIT
    return CHANGED if any(_has_changed(path, case, log) for path in list_lookups(item, case, log)) else ""


def list_lookups(item: Item, case: Case, log: LookupLog) -> tuple[str, ...]:
    """Return the paths, relative to the project, of the looked-up files on which a finding relies."""
    library = find_library(case)
    paths = (library.find_path(name) for name in item.get("looked_up", ())) if library else ()
    return tuple(dict.fromkeys(path for path in paths if path in log.hashes))


def find_library(case: Case) -> Library | None:
    """Return the files that a judge of a case may look up.

    Returns None if the project has no files besides the unit, or if git could not list ignored files.
    """
    own_files = case.skill.by_path.keys() | {file.path for file in case.skill.opaque}
    may_look = case.project.is_listed and len(case.project.files) > len(own_files)
    size = sum(len(file.raw) for file in case.skill.files)
    return Library(case.project, case.unit.folder, size) if may_look else None


def is_rejection(item: Item) -> bool:
    """Return whether a verdict rejects the finding."""
    return item.get("verdict") == "reject"


def find_quote(item: Item, case: Case) -> tuple[int, int] | None:
    """Return the first and last line of an item's quote in its file, which is in the unit or the project.

    Returns None if the quote is not found.
    """
    path = item.get("file", "")
    file = case.skill.by_path.get(path) or _read_project_file(path, case)
    return locate_quote(file, item.get("quote", "")) if file else None


def _read_project_file(path: str, case: Case) -> SkillFile | None:
    """Return a file of the project, or None if it does not exist or a model is not allowed to see it."""
    if path not in case.project.files or find_refusal(case.project, path):
        return None
    return SkillFile(path, case.project.read_bytes(path) or b"")


def _names_missing_file(item: Item, case: Case) -> bool:
    return item.get("file", "") not in ("", *case.skill.by_path, *case.project.files)


def _has_changed(path: str, case: Case, log: LookupLog) -> bool:
    return hash_file(case.project, path) != log.hashes[path]


def _check_items(question: Question, value: Item, case: Case, log: LookupLog) -> Iterator[str]:
    rulings: dict[str, str] = {}
    for number, item in enumerate(value.get("verdicts", ()) if question.ids or question.pattern_ids else ()):
        name = f"verdicts[{number}] ({flatten(item['id'])})"
        if reason := check_verdict(item, question.ids, question.known, case):
            yield f"{name}: {reason}{_explain_rejection(reason, item, question, case)}"
        elif rulings.setdefault(item["id"], item.get("verdict", "")) != item.get("verdict", ""):
            yield f"{name}: {CONTRADICTION}; give one verdict for each finding"
    for number, item in enumerate(value.get("added", ()) if question.pattern_ids else ()):
        if reason := check_addition(item, question.pattern_ids, case, log):
            name = f"added[{number}] ({flatten(item['pattern'])})"
            yield f"{name}: {reason}{_explain_rejection(reason, item, question, case)}"


def _explain_rejection(reason: str, item: Item, question: Question, case: Case) -> str:
    """Return a clause with the rejected words, and what to write instead."""
    if reason == UNKNOWN:
        return f"; the ids are: {', '.join(question.ids)}"
    if reason == UNKNOWN_PATTERN:
        return f"; the patterns are: {', '.join(question.pattern_ids)}"
    if reason == UNKNOWN_DUPLICATE:
        others = (id for id in (*question.ids, *question.known) if id != item["id"])
        return f": {flatten(item['duplicate_of'])[:20]}; `duplicate_of` can be: {', '.join(others)}"
    quote, file = flatten(item.get("quote", ""))[:80], flatten(item.get("file", ""))[:80]
    if reason == NO_FILE:
        return f": {file}; the files of the skill are: {', '.join([*case.skill.by_path][:_MAX_FILES])}"
    hint = {NOT_OF_UNIT: _QUOTE_OWN_LINE_HINT, CHANGED: "look it up again"}.get(reason, _COPY_HINT)
    return f": “{quote}” in {file or 'no file'}; {hint}"


def _check_edits(value: Item, case: Case) -> Iterator[str]:
    for number, draft in enumerate(value.get("drafts", ())):
        try:
            apply_replacements(draft["edits"], case.skill)
        except InvalidDraft as error:
            yield flatten(f"drafts[{number}]: edits: {error}")
