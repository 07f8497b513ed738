"""Exact search-and-replace edits by a judge: each text is found exactly once, inside the skill, and says what it does.

A draft is never trusted: it may bring in no hidden characters, no address on the net, no command that runs by itself,
and of the frontmatter it touches at most the description.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from actions.skill import Skill, SkillFile
from schemas.records import FileChange
from templates.filters import visible

Part = tuple[int, int, str]
"""A part of a file, from its first character to the one behind it, and what comes in its place."""
_HARMFUL = {
    "an address on the net": re.compile(r"[a-z][a-z0-9+.-]{0,30}://\S+|\bwww\.\S+", re.IGNORECASE),
    "a command that runs by itself": re.compile(r"!`[^`\n]*`|^\s*```!.*", re.MULTILINE),
    "a file that is read by itself": re.compile(r"(?<![\w`])@[\w~./-]+"),
}


class InvalidDraft(ValueError):  # noqa: N818 - read as "an unfit draft"
    """A draft that cannot be carried out; the message says why."""


def apply_replacements(edits: Sequence[Mapping[str, Any]], skill: Skill) -> dict[str, bytes]:
    """Give the files that edits (file, search, replace) change, with their new bytes. Raises Unfit."""
    parts: dict[str, list[Part]] = {}
    for edit in edits:
        file = skill.by_path.get(edit["file"])
        if file is None:
            raise InvalidDraft(f"{edit['file']} is no text file of the skill")
        parts.setdefault(file.path, []).append(_found(file, edit["search"], edit["replace"]))
    texts = {path: _joined(skill.by_path[path], found) for path, found in parts.items()}
    for path, text in texts.items():
        _ensure_harmless(skill.by_path[path], text)
    writes = {path: text.encode() for path, text in texts.items()}
    if not _keeps_head(skill, skill.with_files(writes)):
        raise InvalidDraft("in the frontmatter only the description may become another, as valid YAML")
    return writes


def _keeps_head(before: Skill, after: Skill) -> bool:
    lines = [skill.main.doc.lines[: skill.main.doc.body_start - 1] for skill in (before, after)]
    values = [repr({**skill.frontmatter.values, "description": ""}) for skill in (before, after)]  # `true` is not `1`
    kept = values[0] == values[1] and bool(after.frontmatter.text("description"))
    return lines[0] == lines[1] or (kept and not after.frontmatter.error)


def _found(file: SkillFile, search: str, new: str) -> Part:
    if "\r\n" in file.text and "\r" not in search:
        search, new = search.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    count = file.text.count(search)
    if count != 1:
        raise InvalidDraft(f"the search text {search[:60]!r} is found {count} times in {file.path}, not once")
    start = file.text.index(search)
    if any(visible(char) != char for char in set(new) - set(search) - {"\r"}):
        raise InvalidDraft(f"the text for {file.path} brings in characters that print nothing")
    return start, start + len(search), new


def _ensure_harmless(file: SkillFile, text: str) -> None:
    """Look at the whole text: a new word and an old one side by side may make what neither is alone."""
    for what, pattern in _HARMFUL.items():
        if set(pattern.findall(text)) - set(pattern.findall(file.text)):
            raise InvalidDraft(f"the text for {file.path} brings in {what}")


def _joined(file: SkillFile, parts: list[Part]) -> str:
    text, first = file.text, len(file.text)
    for start, end, new in sorted(parts, reverse=True):
        if end > first:
            raise InvalidDraft(f"two edits of {file.path} overlap")
        text, first = text[:start] + new + text[end:], start
    return text


def list_replacements(changes: Sequence[FileChange]) -> list[dict[str, str]]:
    """Give the edits that diffs of `fixes.diff_of` show, so that a draft can be fitted to a newer text."""
    return [{"file": change.file, "search": old, "replace": new} for change in changes for old, new in _hunks(change)]


def _hunks(change: FileChange) -> Iterator[tuple[str, str]]:
    for hunk in re.split(r"^@@[^\n]*@@\n", change.diff, flags=re.MULTILINE)[1:]:
        kept = re.split(r"(?<=\n)", re.sub(r"\n\\ No newline at end of file\n", "", hunk))
        old, new = ("".join(line[1:] for line in kept if line[:1] in marks) for marks in ((" ", "-"), (" ", "+")))
        yield old, new
