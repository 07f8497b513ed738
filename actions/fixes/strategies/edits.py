"""Edit lines of a file without changing any other byte, such as line endings or a byte order mark."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from actions.fixes.invariants.change import Change
from actions.fixes.strategies.strategy import Draft
from actions.grouping import group_by_key
from actions.skill import Skill, SkillFile
from actions.skill.text import estimate_tokens


class Edit(msgspec.Struct, frozen=True):
    """An edit that replaces the lines from `start` to `end` (counted from 1, inclusive) with `lines`.

    If `end` is `start - 1`, the lines are inserted before `start`.
    """

    start: int
    end: int
    lines: Sequence[str]


def apply_edits(file: SkillFile, edits: Iterable[Edit]) -> bytes:
    """Return the file's bytes after the edits, which must not overlap. Line numbers refer to the unedited file."""
    lines = _split_lines(file.text)
    newline = "\r\n" if sum(line.endswith("\r\n") for line in lines) * 2 > len(lines) else "\n"
    for edit in sorted(edits, key=lambda e: (e.start, e.end), reverse=True):
        new = [line + newline for line in edit.lines]
        at_end = edit.end >= len(lines) or edit.start > len(lines)
        if at_end and new and lines and not lines[-1].endswith("\n"):  # the new last line has no newline either
            if edit.start > len(lines):
                lines[-1] += newline
            new[-1] = new[-1].removesuffix(newline)
        lines[edit.start - 1 : edit.end] = new
    return "".join(lines).encode("utf-8")


def draft_line_changes(
    skill: Skill, lines: Mapping[tuple[str, int], str], description: str, rationale: str, impact: str
) -> Draft:
    """Return a draft that replaces lines. `lines` maps (path, line number) to the new text.

    The token limit of the draft is the estimated growth of the lines.
    """
    edits = group_by_key((path, Edit(number, number, [line])) for (path, number), line in sorted(lines.items()))
    writes = {path: apply_edits(skill.by_path[path], file_edits) for path, file_edits in edits.items()}
    growth = sum(len(line) - len(skill.by_path[path].doc.line(number)) for (path, number), line in lines.items())
    limit = estimate_tokens(max(growth, 0)) + len(writes)  # the estimate of each file is rounded
    return Draft(writes, description, rationale, impact, limit, rewrites=RemovedStatements(skill, writes, lines))


class RemovedStatements(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The statements that a draft removes at the given places, which are (path, line number) pairs.

    The statements are computed on first use, because a scan only needs to know which findings can be fixed.
    """

    skill: Skill
    writes: Mapping[str, bytes | None]
    places: Collection[tuple[str, int]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._removed_texts)

    @cached_property
    def _removed_texts(self) -> tuple[str, ...]:
        removed = Change(self.skill, self.skill.with_files(self.writes)).removed_statements
        return tuple(s.text for s in removed if any((s.file, n) in self.places for n in range(s.line, s.end + 1)))


def _split_lines(text: str) -> list[str]:
    """Split a text after each line feed, but not at other line separators, unlike `splitlines`."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


def get_indent(line: str) -> str:
    """Return the leading white space of a line."""
    return line[: len(line) - len(line.lstrip())]
