"""Render a skill for a judge: an index with token counts, then the text files with numbered lines.

Every question about a version of a skill has the same text. The index names the parts that are not shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from actions.skill import Role, Skill, SkillFile
from actions.skill.references import find_links, find_spans
from actions.skill.text import estimate_tokens
from schemas.vocabulary import UnitKind
from templates.filters import visible

_MAX_TOTAL_CHARS = 400_000
"""Maximum number of characters of all files. A Han character counts as three because it takes as many tokens."""
_MAX_PART_CHARS = 30_000
"""Maximum number of characters of the instructions and scripts in one question."""
_MAX_LINE_CHARS = 2_000
_MAX_NOTED = 8
"""Maximum number of hidden parts to list in a note to the user."""
_INDEX_LIMITS = 60, 300, 200
"""Maximum numbers of index entries for non-text files and excluded folders, for sections, and for text files.

Together they take at most a tenth of the whole text.
"""
_WHEN_READ = {
    Role.MAIN: "read whole as soon as it is used",
    Role.SCRIPT: "script",
    Role.ASSET: "asset",
    Role.DOC: "for people, not for a run",
    Role.UNRELATED: "no part of a run",
}
"""Describes when a run reads a file, by the file's role."""


class SkillView(msgspec.Struct, frozen=True):
    """What a question shows of a skill: the rendered text, the last shown line of each file, and what is hidden."""

    text: str
    shown: Mapping[str, int]
    hidden: tuple[str, ...]

    def shows_exactly(self, file: SkillFile) -> bool:
        """Return whether the view shows the whole file unchanged. Only such a file can be copied from the view."""
        is_whole = self.shown.get(file.path) == len(file.doc.lines)
        return (
            is_whole
            and all(len(line) <= _MAX_LINE_CHARS for line in file.doc.lines)
            and visible(file.text) == file.text
        )

    def shows(self, path: str, line: int | None) -> bool:
        """Return whether the view shows a line of a file. If `line` is None, the first line is meant."""
        return (line or 1) <= self.shown.get(path, 0)


class Part(msgspec.Struct, frozen=True):
    """The files of a large skill that are read in one question, and the text of these files except SKILL.md."""

    paths: tuple[str, ...]
    text: str


def view_skill(skill: Skill) -> SkillView:
    """Render the files of a skill for a model, up to the size limit.

    The order is SKILL.md, instructions in the order of their references, scripts, assets. SKILL.md is cut if it is too
    large. Any other file is shown completely or not at all.
    """
    return _build_view(skill, sort_by_load_order(skill))


def view_main(skill: Skill) -> SkillView:
    """Render SKILL.md with an index of all files."""
    return _build_view(skill, [skill.main])


def split_skill(skill: Skill) -> list[Part]:
    """Split a large skill into parts that are read one after the other. Only instructions and scripts are included.

    Returns an empty list if the skill is read as a whole. The first part is SKILL.md, possibly with other files.
    Consecutive small files are joined into one part.
    """
    sources = [file for file in sort_by_load_order(skill) if file.is_instruction or file.role is Role.SCRIPT]
    if sum(_count_chars(file.text) for file in sources) <= _MAX_PART_CHARS:
        return []
    groups: list[list[SkillFile]] = [[skill.main]]
    for file in sources:
        if file is not skill.main:
            if sum(_count_chars(other.text) for other in (*groups[-1], file)) > _MAX_PART_CHARS:
                groups.append([])
            groups[-1].append(file)
    last_lines = view_skill(skill).shown
    shown_groups = [group for files in groups if (group := [file for file in files if last_lines[file.path]])]
    if len(shown_groups) == 1:
        return []
    return [Part(tuple(file.path for file in group), _render_files(skill, group)) for group in shown_groups]


def _render_files(skill: Skill, files: Sequence[SkillFile]) -> str:
    """Return the text of files except SKILL.md."""
    return "\n\n".join(
        _render_file(file, list(_number_lines(file, _MAX_TOTAL_CHARS))) for file in files if file is not skill.main
    )


def _build_view(skill: Skill, chosen: Sequence[SkillFile]) -> SkillView:
    """Render an index of the skill and the chosen files, up to the size limit."""
    files = sort_by_load_order(skill)
    parts: list[str] = []
    shown: dict[str, int] = {}
    chars_left = _MAX_TOTAL_CHARS
    for file in files:
        lines = list(_number_lines(file, chars_left)) if file in chosen else []
        is_whole = file in chosen and len(lines) == len(file.doc.lines)
        if is_whole or file is skill.main:
            parts.append(_render_file(file, lines))
            chars_left -= _count_chars(parts[-1])
        shown[file.path] = len(lines) if is_whole or file is skill.main else 0
    index = "\n".join(_build_index(skill, files, shown))
    return SkillView("\n\n".join((index, *parts)), shown, tuple(_describe_hidden_text(files, shown)))


def _render_file(file: SkillFile, lines: Sequence[str]) -> str:
    return "\n".join((f"=== {_join_lines(file.path)}", *lines))


def note_hidden(judge: str, view: SkillView) -> tuple[str, ...]:
    """Return a note that lists the text that was not shown to a judge. Returns () if all of it was shown."""
    hidden = "; ".join(_truncate(view.hidden, _MAX_NOTED, "and {} more"))
    return (f"not shown to {judge}, because the skill is too long: {hidden}",) if hidden else ()


def sort_by_load_order(skill: Skill) -> list[SkillFile]:
    """Return the text files in the order of a run: SKILL.md, its references in order, scripts, assets, the rest."""
    positions = {path: position for position, path in enumerate(_list_referenced_files(skill))}
    roles = (Role.SCRIPT, Role.ASSET, Role.DOC)
    instructions = {file.path for file in skill.instructions}
    unrelated = tuple(f"{folder}/" for folder in skill.unrelated_folders)
    files = [file for file in skill.files if file is skill.main or not file.path.startswith(unrelated)]

    def make_key(file: SkillFile) -> tuple[int, int, str]:
        other = 0 if file.path in instructions else len(roles)
        group = roles.index(file.role) + 1 if file.role in roles else other
        return group, positions.get(file.path, len(positions)), file.path

    return sorted(files, key=make_key)


def _list_referenced_files(skill: Skill) -> list[str]:
    """Return the referenced files in order: first the references of SKILL.md, then the references of these files."""
    paths = [skill.main.path]
    for path in paths:  # the list grows while it is read
        file = skill.by_path[path]
        if file.is_markdown:
            references = sorted((*find_links(file), *find_spans(file)), key=lambda reference: reference.line)
            targets = (skill.resolve(reference.target, path) or "" for reference in references if reference.target)
            paths += dict.fromkeys(target for target in targets if target in skill.by_path and target not in paths)
    return paths


def _build_index(skill: Skill, files: Sequence[SkillFile], shown: Mapping[str, int]) -> Iterator[str]:
    yield f"Name and description, which every session pays: {skill.listing_tokens:,} tokens"
    for file in files[: _INDEX_LIMITS[2]]:
        hidden = "" if shown[file.path] == len(file.doc.lines) else ", not shown"
        if hidden and shown[file.path]:
            hidden = f", not shown after line {shown[file.path]}"
        kind = _WHEN_READ.get(Role.MAIN if file is skill.main else file.role, "read where it is named")
        yield f"{_join_lines(file.path)}: {estimate_tokens(len(file.text)):,} tokens, {kind}{hidden}"
        if file is skill.main:
            yield from _truncate(list(_describe_sections(file)), _INDEX_LIMITS[1], "  and {} more sections")
    yield from _truncate(files[_INDEX_LIMITS[2] :], 0, "and {} more text files, shown only if their text is below")
    others = [f"{_join_lines(file.path)}: {_join_lines(file.reason)}" for file in skill.opaque]
    unrelated = skill.unrelated_folders.items() if skill.kind is UnitKind.SKILL else ()
    others += [f"{_join_lines(path)}/: {count} files, no part of a run, not shown" for path, count in unrelated]
    yield from _truncate(others, _INDEX_LIMITS[0], "and {} more files that are not text")


def _truncate(lines: Sequence[Any], limit: int, note: str) -> list[str]:
    """Return the first lines, and a line with the number of omitted lines."""
    return [*lines[:limit], note.format(len(lines) - limit)] if len(lines) > limit else list(lines)


def _describe_sections(file: SkillFile) -> Iterator[str]:
    """Yield an index entry for each section that is not empty: its lines, its size and its title."""
    sections = file.doc.sections
    ends = [*(section.start - 1 for section in sections[1:]), len(file.doc.lines)]
    for section, end in zip(sections, ends, strict=True):
        text = "\n".join(file.doc.lines[section.start - 1 : end])
        if text.strip():
            tokens, title = estimate_tokens(len(text)), _join_lines(section.title)[:80]
            yield f"  lines {section.start} to {end}: {tokens:,} tokens, {title}"


def _describe_hidden_text(files: Sequence[SkillFile], shown: Mapping[str, int]) -> Iterator[str]:
    """Yield a description of each text that is not shown. `shown` maps each file to its last shown line."""
    for file in files:
        name, lines, last = _join_lines(file.path), file.doc.lines, shown[file.path]
        if last < len(lines):
            tokens = estimate_tokens(sum(map(len, lines[last:])))
            hidden = f"lines {last + 1} to {len(lines)} of " if last else ""
            yield f"{hidden}{name} ({tokens:,} tokens)"
        if long := sum(len(line) > _MAX_LINE_CHARS for line in lines[:last]):
            yield f"the rest of {long} line{'s' * (long != 1)} of {name} after {_MAX_LINE_CHARS:,} characters"


def _number_lines(file: SkillFile, limit: int) -> Iterator[str]:
    """Yield the lines of a file with their numbers, until they exceed `limit` characters."""
    for number, line in enumerate(file.doc.lines, 1):
        note = f" […{len(line) - _MAX_LINE_CHARS} more]" if len(line) > _MAX_LINE_CHARS else ""
        text = f"{number}| {visible(line[:_MAX_LINE_CHARS])}{note}"
        limit -= _count_chars(text)
        if limit < 0:
            return
        yield text


def _count_chars(text: str) -> int:
    """Return the size of a text with a line break. A Han character counts as three."""
    return (len(text) if text.isascii() else len(text.encode())) + 1


def _join_lines(text: str) -> str:
    return " ".join(visible(text).split())
