"""Apply the search-and-replace edits of a judge's draft.

Each search text must be in its file exactly once; an empty one creates a file. A draft is not trusted. It may not add
invisible characters, ways to reach the network, or commands that Claude Code runs on its own, and in the frontmatter it
may change only the description.
"""

import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from actions.skill import Role, Skill, SkillFile
from actions.skill.harmful import find_harmful_text
from actions.skill.paths import get_role, is_script_path, is_text_path
from schemas.vocabulary import UnitKind
from templates.filters import visible

Part = tuple[int, int, str]
"""Start and end offset of a part of a file, and the replacement."""


class InvalidDraft(ValueError):  # noqa: N818
    """A draft that cannot be applied. The message says which edit is wrong and what to write instead."""


def apply_replacements(edits: Sequence[Mapping[str, Any]], skill: Skill) -> dict[str, bytes]:
    """Apply edits (file, search, replace) to a skill. Return the new bytes of the changed files by path.

    Raises InvalidDraft if an edit cannot be applied.
    """
    parts: dict[str, list[Part]] = {}
    created = {edit["file"]: SkillFile(edit["file"], b"") for edit in edits if _is_creation(edit, skill)}
    files = {**skill.by_path, **created}
    for edit in edits:
        file = files.get(edit["file"])
        if file is None:
            raise InvalidDraft(f"{edit['file']} is not a text file of the skill; use a path from the question")
        parts.setdefault(file.path, []).append(_locate_edit(file, edit["search"], edit["replace"]))
    texts = {path: _replace_parts(files[path], file_parts) for path, file_parts in parts.items()}
    for path, text in texts.items():
        _ensure_harmless(files[path], text, skill)
    writes = {path: text.encode() for path, text in texts.items()}
    if not _keeps_frontmatter(skill, skill.with_files(writes)):
        raise InvalidDraft("only the description may change in the frontmatter, which must stay valid YAML")
    return writes


def _is_creation(edit: Mapping[str, Any], skill: Skill) -> bool:
    """Return whether an edit creates a text file in a skill: its search text is empty, and the path is valid and new.

    Scripts, and files in folders that are not part of a run, cannot be created.
    """
    path = edit["file"]
    is_inside = posixpath.normpath(path) == path and not path.startswith(("/", "../")) and path != ".."
    is_plain = is_text_path(path) and not is_script_path(path) and get_role(path) is not Role.UNRELATED
    is_new = skill.kind is UnitKind.SKILL and path not in skill.paths
    return not edit["search"] and is_inside and is_plain and is_new


def _keeps_frontmatter(before: Skill, after: Skill) -> bool:
    """Return whether the frontmatter is the same, except for its description."""
    lines = [skill.main.doc.lines[: skill.main.doc.body_start - 1] for skill in (before, after)]
    values = [repr({**skill.frontmatter.values, "description": ""}) for skill in (before, after)]  # `true` is not `1`
    are_equal = values[0] == values[1] and bool(after.frontmatter.text("description"))
    return lines[0] == lines[1] or (are_equal and not after.frontmatter.error)


def _locate_edit(file: SkillFile, search: str, new: str) -> Part:
    """Return the part of a file that an edit changes. Raise InvalidDraft if `search` is not there exactly once."""
    if "\r\n" in file.text and "\r" not in search:
        search, new = search.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    count = file.text.count(search)
    if count != 1:
        raise InvalidDraft(
            f"`search` {search[:60]!r} is in {file.path} {count} times; copy a text that occurs exactly once"
        )
    start = file.text.index(search)
    if any(visible(char) != char for char in set(new) - set(search) - {"\r"}):
        raise InvalidDraft(f"`replace` for {file.path} has invisible characters; write visible ones only")
    # The text around the change is left out, because another edit may also contain it.
    kept_start, kept_end = count_unchanged(search, new)
    return start + kept_start, start + len(search) - kept_end, new[kept_start : len(new) - kept_end]


def count_unchanged(old: str, new: str) -> tuple[int, int]:
    """Return the length of the common start and the length of the common end of two texts, in characters."""
    kept_start = _count_common_prefix(old, new)
    return kept_start, _count_common_prefix(old[kept_start:][::-1], new[kept_start:][::-1])


def _count_common_prefix(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (left, right) in pairs if left != right), min(len(first), len(second)))


def _ensure_harmless(file: SkillFile, text: str, skill: Skill) -> None:
    """Raise InvalidDraft if the edited text of a file is harmful.

    The whole file is searched, because old text and new text can be harmful in combination.
    """
    for addition in find_harmful_text(file.text, text, [other.text for other in skill.files]):
        raise InvalidDraft(f"the edits of {file.path} add {addition}; leave it out")


def _replace_parts(file: SkillFile, parts: list[Part]) -> str:
    """Return the text of a file with parts replaced. Raise InvalidDraft if they overlap."""
    text, next_part = file.text, (len(file.text) + 1, 0)
    for start, end, new in sorted(parts, reverse=True):
        if end > next_part[0] or (start, end) == next_part:
            raise InvalidDraft(f"two edits of {file.path} overlap; combine them into one")
        text, next_part = text[:start] + new + text[end:], (start, end)
    return text
