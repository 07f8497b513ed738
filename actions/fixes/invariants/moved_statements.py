"""Find removed statements that are still valid, because the same text also occurs elsewhere and still applies."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from actions.fixes.invariants.change import Change
from actions.fixes.invariants.statements import FRONTMATTER, HEADING, PROSE, Statement, split_statements
from actions.fixes.line_range import LineRange
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.json_document import parse_json
from actions.skill import Skill, SkillFile
from actions.skill.references import find_links, find_missing_targets, find_spans
from actions.skill.skill import MAIN
from actions.skill.text import normalize_name
from actions.skill.types import find_type_places

_TEXT_KINDS = (PROSE, HEADING, FRONTMATTER)


class StillValid:
    """Decides which removed statements are still valid, because the same text also occurs elsewhere and still applies.

    The other occurrence must be in the same or a wider context, in a part that an added reference points to, or on
    lines that the finding names (`ranges`). A strategy's fix (not `drafted`) may also remove a type that is defined
    elsewhere, a reference to a missing file, or JSON text that does not affect the value of its file.
    """

    def __init__(self, change: Change, ranges: Sequence[LineRange], *, drafted: bool) -> None:
        self._before, self._after, self._ranges = change.before, change.after, ranges
        self._defined_elsewhere = frozenset() if drafted else _list_defined_elsewhere(change)
        self._dead_references = {} if drafted else _group_dead_references(change)
        self._equivalent_json = frozenset() if drafted else _find_equivalent_json(change)
        self._by_comparison_key = _group_by_comparison_key(change.after)
        self._hunk_numbers = {s: number for number, hunk in enumerate(change.hunks) for s in hunk.removed}
        self._added_targets = _group_added_targets(change)
        old = (s for file in change.changed_files for s in split_statements(file))
        self._fence_lines = Counter(_get_fence(change.before, s) for s in old)
        self._removed_fence_lines = Counter(_get_fence(change.before, s) for s in change.removed_statements)
        self._kept_in_ranges = _group_kept_statements(change, ranges)
        self._last_reached: dict[tuple[str, str], int] = {}

    def is_valid(self, removed: Statement) -> bool:
        """Return whether a removed statement is still valid. Code is compared only if its whole fence was removed."""
        fence = _get_fence(self._before, removed)
        is_whole_fence = fence is not None and self._fence_lines[fence] == self._removed_fence_lines[fence]
        is_comparable = removed.kind in _TEXT_KINDS or is_whole_fence
        equal = self._by_comparison_key.get(_get_comparison_key(self._before, removed), ()) if is_comparable else ()
        return (
            (not removed.ordered and any(self._covers(statement, removed) for _, statement in equal))
            or any(self._is_reached(removed, statement, number) for number, statement in equal)
            or self._is_kept_in_ranges(removed)
            or self._is_obsolete(removed)
        )

    def _is_obsolete(self, removed: Statement) -> bool:
        """Return whether a removed statement is redundant JSON, a type defined elsewhere, or a dead reference."""
        lines = [(removed.file, number) for number in range(removed.line, removed.end + 1)]
        dead_targets = (target for line in lines for target in self._dead_references.get(line, ()))
        return (
            removed.file in self._equivalent_json
            or not self._defined_elsewhere.isdisjoint(lines)
            or any(target in removed.text for target in dead_targets)
        )

    def _covers(self, statement: Statement, removed: Statement) -> bool:
        """Return whether the context of a statement is the same as, or wider than, that of the removed statement.

        The widest context is SKILL.md as a whole.
        """
        if statement.file == removed.file:
            return statement.context == removed.context[: len(statement.context)]
        return statement.file == MAIN and statement.context in ((), (_get_title(self._after.main),))

    def _is_reached(self, removed: Statement, statement: Statement, number: int) -> bool:
        """Return whether an added reference points to `statement`. Numbered steps must keep their order.

        `number` is the position of the statement among all statements after the change.
        """
        title = _get_title(self._after.by_path[statement.file])
        old_context = [_strip_hashes(text) for text in removed.context]
        new_context = [_strip_hashes(text) for text in statement.context if text != title]
        has_same_context = new_context == old_context[len(old_context) - len(new_context) :]
        keys: list[object] = [self._hunk_numbers.get(removed)]
        if not removed.ordered:
            keys.append((removed.file, removed.context))
        headings = set(map(normalize_name, statement.context))
        targets = (heading for key in keys for heading in self._added_targets.get((key, statement.file), ()))
        if not any(heading in headings if heading else has_same_context for heading in targets):
            return False
        files = removed.file, statement.file
        if removed.ordered and number <= self._last_reached.get(files, -1):
            return False
        self._last_reached[files] = number
        return True

    def _is_kept_in_ranges(self, removed: Statement) -> bool:
        """Return whether the finding names other lines on which the same statement is kept."""
        kept = self._kept_in_ranges.get(removed.key[:2], ())
        own = [lines for lines in self._ranges if _is_within(removed, lines)] if kept else []
        return bool(own) and any(not any(_is_within(statement, lines) for lines in own) for statement in kept)


def _group_by_comparison_key(skill: Skill) -> Mapping[tuple[str, str], Sequence[tuple[int, Statement]]]:
    numbered = enumerate(s for file in skill.files for s in split_statements(file))
    return group_by_key((_get_comparison_key(skill, s), (number, s)) for number, s in numbered)


def _group_added_targets(change: Change) -> Mapping[tuple[object, str], Sequence[str]]:
    """Map (key, path) to the headings of the file at this path that added statements refer to.

    The heading "" means the whole file. Each reference has two keys: the number of its hunk, and the file and context
    of its statement.
    """
    targets: dict[tuple[tuple[object, str], str], None] = {}
    for number, hunk in enumerate(change.hunks):
        for statement in hunk.added:
            for path, heading in _list_targets(change.after, statement):
                for key in (number, (statement.file, statement.context)):
                    targets[(key, path), heading] = None
    return group_by_key(targets)


def _group_kept_statements(
    change: Change, ranges: Sequence[LineRange]
) -> Mapping[tuple[str, str], Sequence[Statement]]:
    """Map (kind, text) to the statements in `ranges` that the change does not remove."""
    if not ranges:
        return {}
    removed = set(change.removed_statements)
    lines = {(file, number) for file, first, last in set(ranges) for number in range(first, last + 1)}
    kept = (s for file in change.before.files for s in split_statements(file) if s not in removed)
    return group_by_key((s.key[:2], s) for s in kept if (s.file, s.line) in lines)


def _find_equivalent_json(change: Change) -> frozenset[str]:
    """Return the paths of the changed JSON files that still have the same value."""
    pairs = ((old, change.after.by_path.get(old.path)) for old in change.changed_files if old.path.endswith(".json"))
    read = ((old.path, parse_json(old.raw), parse_json(new.raw)) for old, new in pairs if new)
    return frozenset(path for path, was, now in read if not (was.error or now.error) and was.value == now.value)


def _list_defined_elsewhere(change: Change) -> frozenset[tuple[str, int]]:
    """Return (file, line number) of the type definitions before the change that still exist elsewhere after it."""
    defined = {place.definition.key for place in find_type_places(change.after)}
    types = (p for p in find_type_places(change.before) if p.definition.key in defined)
    return frozenset((p.file.path, n) for p in types for n in range(p.definition.line, p.definition.line_end + 1))


def _group_dead_references(change: Change) -> Mapping[tuple[str, int], Sequence[str]]:
    """Map (file, line number) in changed files to the references on the line that lead to missing files."""
    dead = (
        link for file in change.changed_files if file.is_markdown for link in find_missing_targets(change.before, file)
    )
    return group_by_key(((link.file, link.line), link.target) for link in dead)


def _is_within(statement: Statement, lines: LineRange) -> bool:
    return statement.file == lines.file and lines.first <= statement.line <= lines.last


def _list_targets(skill: Skill, new: Statement) -> Iterator[tuple[str, str]]:
    """Yield (file, letters of the heading or "") for each reference in a statement."""
    file = skill.by_path[new.file]
    for line in range(new.line, new.end + 1) if file.is_markdown else ():
        for target, anchor in _group_references(file).get(line, ()):
            if (target or anchor) in new.text:
                yield (skill.resolve(target, file.path) if target else file.path) or "", normalize_name(anchor)


@memoize
def _group_references(file: SkillFile) -> Mapping[int, Sequence[tuple[str, str]]]:
    return group_by_key(dict.fromkeys((r.line, (r.target, r.anchor)) for r in (*find_links(file), *find_spans(file))))


def _get_comparison_key(skill: Skill, statement: Statement) -> tuple[str, str]:
    """Return the kind of a statement and the text to compare.

    For a heading, this is the text without its level. For a line of code, it is the text of the whole fence.
    """
    fence = _get_fence(skill, statement)
    text = _map_texts(skill.by_path[statement.file])[fence[1]] if fence else statement.text
    return statement.kind, _strip_hashes(text) if statement.kind == HEADING else text


def _get_fence(skill: Skill, statement: Statement) -> tuple[str, int] | None:
    """Return the file and first line of the fence that contains a line of code, or None for other statements."""
    file = skill.by_path[statement.file]
    fence = file.doc.fence_at(statement.line) if file.is_markdown and statement.kind not in _TEXT_KINDS else None
    return (statement.file, fence.start) if fence else None


@memoize
def _map_texts(file: SkillFile) -> Mapping[int, str]:
    return {fence.start: "\n".join(file.doc.lines_inside(fence)) for fence in file.doc.fences}


@memoize
def _get_title(file: SkillFile) -> str:
    """Return the heading line of the section that covers a whole file, or "" if there is none."""
    covering = (section.start for section in file.doc.sections[1:2] if section.end == len(file.doc.lines))
    return next((" ".join(file.doc.line(line).split()) for line in covering), "")


def _strip_hashes(text: str) -> str:
    return text.lstrip("#").strip()
