"""What no fix may bring in: what shows no ink, marks that hide text, other line ends, keys of the frontmatter."""

import re
from collections import Counter
from collections.abc import Iterator

from actions.fixes.invariants.change import Change
from actions.skill import Skill
from actions.skill.frontmatter_keys import KNOWN, key_for
from actions.skill.settings import FILE
from templates.filters import visible

_IGNORE = re.compile(r"tune-skill:\s*ignore")
_HIDES = re.compile(r"<!--|~~|</?(?:del|s|strike|template|script|style)\b", re.IGNORECASE)
_ROOM = "metadata"
"""The key under which an author may put what he likes."""
_OWN = frozenset({"name", "description", _ROOM})
"""Keys that a mend may add: they switch nothing on or off."""


def find_intrusions(change: Change, told: str = "") -> Iterator[str]:
    """Return a reason for each; `told` is what the claimed findings say."""
    yield from _inkless(change)
    yield from _hiding(change)
    yield from _odd_bytes(change)
    yield from _silencers(change)
    yield from _keys(change.before, change.after, told)


def _inkless(change: Change) -> Iterator[str]:
    known = {char for file in change.before.files for char in file.text} | {"\r", "\n", "\t", "\ufeff"}
    for file in change.after.files:
        if change.before.by_path.get(file.path) != file:
            odd = sorted(char for char in set(file.text) - known if visible(char) != char)
            if odd:
                yield f"{file.path}: this brings in a character that shows no ink: {visible(odd[0])}"


def _hiding(change: Change) -> Iterator[str]:
    for file in change.after.files:
        old = change.before.by_path.get(file.path)
        if file.is_markdown and old != file:
            was, now = (Counter(_HIDES.findall(each.text if each else "")) for each in (old, file))
            yield from (f"{file.path}: this brings in a mark that hides text: {mark}" for mark in now - was)


def _silencers(change: Change) -> Iterator[str]:
    before, after = change.before.by_path, change.after.by_path
    for path in sorted(before.keys() | after.keys()):
        if path.rpartition("/")[2] == FILE and before.get(path) != after.get(path):
            yield f"{path}: no fix may change the settings"
        if path not in before and f"/{path}".count("/."):
            yield f"{path}: no fix may make a hidden file"
    hushed = [sum(len(_IGNORE.findall(file.text)) for file in skill.files) for skill in (change.before, change.after)]
    if hushed[1] > hushed[0]:
        yield "no fix may suppress a finding"


def _odd_bytes(change: Change) -> Iterator[str]:
    for old in change.touched:
        new = change.after.by_path.get(old.path)
        if new and old.text.startswith("\ufeff") != new.text.startswith("\ufeff"):
            yield f"{old.path}: the byte order mark came or went"
        if new and _ends(old.text) and _ends(new.text) - _ends(old.text):
            yield f"{old.path}: the line ends became others"


def _ends(text: str) -> set[str]:
    crlf = text.count("\r\n")
    return {end for end, count in (("\r\n", crlf), ("\n", text.count("\n") - crlf)) if count}


def _keys(before: Skill, after: Skill, told: str) -> Iterator[str]:
    """Return keys that came or went, but for a misspelt one, and of values that changed under a line that stands.

    Such a value may gain a word that is `told`, as a list of tools does.
    """
    was, now = before.frontmatter, after.frontmatter
    if was.error or now.error:
        return
    came, went = now.values.keys() - was.values.keys(), was.values.keys() - now.values.keys()
    yield from (f"SKILL.md: the frontmatter lost {visible(key)[:60]}" for key in sorted(went & KNOWN))
    for key in sorted(came - _OWN - {key_for(key) for key in went}):
        yield f"SKILL.md: the frontmatter has a new key: {visible(key)[:60]}"
    head = set(after.main.doc.lines[: now.end])
    for key in sorted(was.values.keys() & now.values.keys() - {_ROOM}):
        fresh = set(_words(now.values[key])) - set(_words(was.values[key]))
        stands = before.main.doc.line(was.lines.get(key, 0)) in head
        if was.values[key] != now.values[key] and stands and not (fresh and all(word in told for word in fresh)):
            yield f"SKILL.md: the frontmatter gives {visible(key)[:60]} another value in lines that came"


def _words(value: object) -> list[str]:
    return re.findall(r"\w+", str(value))
