"""Find changes that no fix may make, such as invisible characters, hidden text, suppressions and new keys."""

import re
from collections import Counter
from collections.abc import Iterator

from actions.fixes.invariants.change import Change
from actions.regex import regex
from actions.skill import Skill
from actions.skill.frontmatter_keys import KNOWN_KEYS, find_known_key
from actions.skill.settings import SETTINGS_FILE
from templates.filters import visible

_SUPPRESSION = regex(r"tune-skill:\s*ignore")
_HIDING_MARKUP = regex(r"<!--|~~|</?(?:del|s|strike|template|script|style)\b", re.IGNORECASE)
_FREE_KEY = "metadata"
"""The frontmatter key that accepts any value."""
_HARMLESS_KEYS = frozenset({"name", "description", _FREE_KEY})
"""Keys that a fix may add because they change no behavior."""


def find_intrusions(change: Change, claimed: str = "") -> Iterator[str]:
    """Yield an objection for each forbidden change. `claimed` is the text of the claimed findings."""
    yield from _find_invisible_characters(change)
    yield from _find_hiding_markup(change)
    yield from _find_byte_changes(change)
    yield from _find_suppressions(change)
    yield from _find_key_changes(change.before, change.after, claimed)


def _find_invisible_characters(change: Change) -> Iterator[str]:
    known = {char for file in change.before.files for char in file.text} | {"\r", "\n", "\t", "\ufeff"}
    for file in change.after.files:
        if change.before.by_path.get(file.path) != file:
            invisible = sorted(char for char in set(file.text) - known if visible(char) != char)
            if invisible:
                yield f"{file.path}: the fix adds an invisible character: {visible(invisible[0])}"


def _find_hiding_markup(change: Change) -> Iterator[str]:
    for file in change.after.files:
        old = change.before.by_path.get(file.path)
        if file.is_markdown and old != file:
            was, now = (Counter(_HIDING_MARKUP.findall(version.text if version else "")) for version in (old, file))
            yield from (f"{file.path}: the fix adds markup that hides text: {mark}" for mark in now - was)


def _find_suppressions(change: Change) -> Iterator[str]:
    before, after = change.before.by_path, change.after.by_path
    for path in sorted(before.keys() | after.keys()):
        if path.rpartition("/")[2] == SETTINGS_FILE and before.get(path) != after.get(path):
            yield f"{path}: no fix may change the settings"
        if path not in before and f"/{path}".count("/."):
            yield f"{path}: no fix may create a hidden file"
    counts = [
        sum(len(_SUPPRESSION.findall(file.text)) for file in skill.files) for skill in (change.before, change.after)
    ]
    if counts[1] > counts[0]:
        yield "no fix may suppress a finding"


def _find_byte_changes(change: Change) -> Iterator[str]:
    for old in change.changed_files:
        new = change.after.by_path.get(old.path)
        if new and old.text.startswith("\ufeff") != new.text.startswith("\ufeff"):
            yield f"{old.path}: the fix adds or removes the byte order mark"
        if new and _list_line_endings(old.text) and _list_line_endings(new.text) - _list_line_endings(old.text):
            yield f"{old.path}: the fix changes the line endings"


def _list_line_endings(text: str) -> set[str]:
    crlf = text.count("\r\n")
    return {end for end, count in (("\r\n", crlf), ("\n", text.count("\n") - crlf)) if count}


def _find_key_changes(before: Skill, after: Skill, claimed: str) -> Iterator[str]:
    """Yield an objection for each frontmatter key that a fix removes, adds or changes by accident.

    A key may be removed or added to correct its spelling, or if the finding names it. The value of a key may change if
    the line of the key changes, too. It may also gain words on the lines below, such as a new tool, if `claimed`
    contains these words.
    """
    was, now = before.frontmatter, after.frontmatter
    if was.error or now.error:
        return
    new, lost = now.values.keys() - was.values.keys(), was.values.keys() - now.values.keys()
    named = {key for key in new | lost if f"`{key}`" in claimed}
    yield from (
        f"{before.main_path}: the frontmatter lost {visible(key)[:60]}" for key in sorted(lost & KNOWN_KEYS - named)
    )
    for key in sorted(new - _HARMLESS_KEYS - named - {find_known_key(key) for key in lost}):
        yield f"{before.main_path}: the frontmatter has a new key: {visible(key)[:60]}"
    head = set(after.main.doc.lines[: now.end])
    for key in sorted(was.values.keys() & now.values.keys() - {_FREE_KEY}):
        fresh = set(_list_words(now.values[key])) - set(_list_words(was.values[key]))
        same_line = before.main.doc.line(was.lines.get(key, 0)) in head
        if was.values[key] != now.values[key] and same_line and not (fresh and all(word in claimed for word in fresh)):
            yield f"{before.main_path}: added lines change the frontmatter value of {visible(key)[:60]}"


def _list_words(value: object) -> list[str]:
    return re.findall(r"\w+", str(value))
