"""Apply the search-and-replace edits of a judge's draft.

Each search text must be in its file exactly once; an empty one creates a file. A draft is not trusted: it may not add
invisible characters, URLs or commands that Claude Code runs on its own. Of the frontmatter it may change only the
description.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from actions.review.quotes import flatten, strip_line_numbers
from actions.skill import Role, Skill, SkillFile
from actions.skill.paths import is_script_path, is_text_path, role_of
from schemas.vocabulary import UnitKind
from templates.filters import visible

if TYPE_CHECKING:  # `diagnose` has no state: its start-up need not load the records
    from schemas.records import FileChange

Part = tuple[int, int, str]
"""Start and end offset of a part of a file, and the text that replaces it."""
_HARMFUL = {
    "a URL": re.compile(r"[a-z][a-z0-9+.-]{0,30}://\S+|\bwww\.\S+", re.IGNORECASE),
    "a command that runs on its own (`!`)": re.compile(r"!`[^`\n]*`|^\s*```!.*", re.MULTILINE),
    "a file that is read on its own (`@path`)": re.compile(r"(?<![\w`])@[\w~./-]+"),
}


class InvalidDraft(ValueError):  # noqa: N818
    """A draft that cannot be applied; the message says which edit is wrong and what to write instead."""


def apply_replacements(edits: Sequence[Mapping[str, Any]], skill: Skill) -> dict[str, bytes]:
    """Return the new bytes of the files that edits (file, search, replace) change, by path. Raise InvalidDraft."""
    parts: dict[str, list[Part]] = {}
    created = {edit["file"]: SkillFile(edit["file"], b"") for edit in edits if _creates(edit, skill)}
    files = {**skill.by_path, **created}
    for edit in edits:
        file = files.get(edit["file"])
        if file is None:
            raise InvalidDraft(f"{edit['file']} is not a text file of the skill; use a path from the question")
        parts.setdefault(file.path, []).append(_locate(file, edit["search"], edit["replace"]))
    texts = {path: _replace(files[path], found) for path, found in parts.items()}
    for path, text in texts.items():
        _ensure_harmless(files[path], text)
    writes = {path: text.encode() for path, text in texts.items()}
    if not _keeps_frontmatter(skill, skill.with_files(writes)):
        raise InvalidDraft("in the frontmatter only the description may change, and it must stay valid YAML")
    return writes


def _creates(edit: Mapping[str, Any], skill: Skill) -> bool:
    """Return whether an edit, with an empty search text, creates a text file of the skill that is not a script."""
    path = edit["file"]
    is_inside = posixpath.normpath(path) == path and not path.startswith(("/", "../")) and path != ".."
    is_plain = is_text_path(path) and not is_script_path(path) and role_of(path) is not Role.APART
    is_free = skill.kind is UnitKind.SKILL and path not in skill.paths
    return not edit["search"] and is_inside and is_plain and is_free


def _keeps_frontmatter(before: Skill, after: Skill) -> bool:
    lines = [skill.main.doc.lines[: skill.main.doc.body_start - 1] for skill in (before, after)]
    values = [repr({**skill.frontmatter.values, "description": ""}) for skill in (before, after)]  # `true` is not `1`
    kept = values[0] == values[1] and bool(after.frontmatter.text("description"))
    return lines[0] == lines[1] or (kept and not after.frontmatter.error)


def _locate(file: SkillFile, search: str, new: str) -> Part:
    if "\r\n" in file.text and "\r" not in search:
        search, new = search.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    count = file.text.count(search)
    if count != 1:
        raise InvalidDraft(
            f"`search` {search[:60]!r} is in {file.path} {count} times; copy a text that is there exactly once"
        )
    start = file.text.index(search)
    if any(visible(char) != char for char in set(new) - set(search) - {"\r"}):
        raise InvalidDraft(f"`replace` for {file.path} has invisible characters; write visible ones only")
    return _trim(start, search, new)


def _trim(start: int, old: str, new: str) -> Part:
    """Return the part that an edit changes, without the text around it, which another edit may name too."""
    head = _count_common(old, new)
    tail = _count_common(old[head:][::-1], new[head:][::-1])
    return start + head, start + len(old) - tail, new[head : len(new) - tail]


def _count_common(one: str, other: str) -> int:
    """Return the number of characters with which both texts begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (left, right) in pairs if left != right), min(len(one), len(other)))


def _ensure_harmless(file: SkillFile, text: str) -> None:
    """Raise InvalidDraft for harmful text; search the whole file, because old and new text can be harmful together."""
    for what, pattern in _HARMFUL.items():
        if set(pattern.findall(text)) - set(pattern.findall(file.text)):
            raise InvalidDraft(f"the edits of {file.path} add {what}; leave it out")


def _replace(file: SkillFile, parts: list[Part]) -> str:
    text, after = file.text, (len(file.text) + 1, 0)
    for start, end, new in sorted(parts, reverse=True):
        if end > after[0] or (start, end) == after:
            raise InvalidDraft(f"two edits of {file.path} overlap; combine them into one")
        text, after = text[:start] + new + text[end:], (start, end)
    return text


def list_replacements(changes: "Sequence[FileChange]", skill: Skill) -> list[dict[str, str]]:
    """Return the edits that diffs contain, each with as much context as the current text allows.

    Each block of changed lines is one edit. Its context is shorter where another fix has changed the lines around it.
    """
    return [
        {"file": change.file, "search": old, "replace": new}
        for change in changes
        for block in _blocks(change)
        for old, new in [_fit(block, skill.by_path.get(change.file))]
    ]


def list_changed_lines(changes: "Sequence[FileChange]") -> list[tuple[str, str, str]]:
    """Return each block of changed lines of diffs as (file, old lines, new lines)."""
    return [(change.file, block.old, block.new) for change in changes for block in _blocks(change)]


def find_new_words(changes: "Sequence[FileChange]", path: str, quote: str) -> str:
    """Return the lines that changes write in place of a quote; "" if they keep it or only delete it."""
    words, blocks = strip_line_numbers(quote), [b for c in changes if c.file == path for b in _blocks(c)]
    sides = ((b, [flatten("".join((*b.before, part, *b.after))) for part in (b.old, b.new)]) for b in blocks)
    return next((block.new for block, (old, new) in sides if words in old and words not in new), "")


@dataclass(frozen=True)
class _Block:
    """Consecutive changed lines of a diff, and the unchanged lines around them up to the next block."""

    before: tuple[str, ...]
    old: str
    new: str
    after: tuple[str, ...]


def _fit(block: _Block, file: SkillFile | None) -> tuple[str, str]:
    """Return search text and replacement with the most context that is in a file exactly once."""
    sizes = range(max(len(block.before), len(block.after)), -1, -1)
    pairs = [(min(size, len(block.before)), min(other, len(block.after))) for size in sizes for other in (size, 0)]
    pairs += [(0, size) for size in sizes]
    texts = (
        (head + block.old + tail, head + block.new + tail)
        for front, back in sorted(dict.fromkeys(pairs), key=sum, reverse=True)
        for head, tail in [("".join(block.before[len(block.before) - front :]), "".join(block.after[:back]))]
    )
    first, *others = texts
    return next((pair for pair in (first, *others) if file and pair[0] and file.text.count(pair[0]) == 1), first)


def _blocks(change: "FileChange") -> Iterator[_Block]:
    for hunk in re.split(r"^@@[^\n]*@@\n", change.diff, flags=re.MULTILINE)[1:]:
        lines = [line for line in re.split(r"(?<=\n)", re.sub(r"\n\\ No newline at end of file\n", "", hunk)) if line]
        runs = [(is_same, tuple(run)) for is_same, run in groupby(lines, lambda line: line[:1] == " ")]
        for n, (is_same, run) in enumerate(runs):
            if not is_same:
                old, new = ("".join(line[1:] for line in run if line[:1] == mark) for mark in "-+")
                before, after = (runs[m][1] if 0 <= m < len(runs) else () for m in (n - 1, n + 1))
                yield _Block(tuple(line[1:] for line in before), old, new, tuple(line[1:] for line in after))
