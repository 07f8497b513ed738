"""Find removed statements that are still valid because the same words elsewhere also apply in their old place."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from actions.fixes.invariants.change import Change
from actions.fixes.invariants.prose import Place
from actions.fixes.invariants.statements import FRONTMATTER, HEADING, PROSE, Statement, split_statements
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.json_document import parse_json
from actions.skill import Skill, SkillFile
from actions.skill.references import links, missing, spans
from actions.skill.skill import MAIN
from actions.skill.text import letters
from actions.skill.types import find_type_places

_TEXT_KINDS = (PROSE, HEADING, FRONTMATTER)


class StillValid:
    """Decides which removed statements are still valid because the same words elsewhere also apply in their old place.

    These words must be in the same or a wider context, in a text to which an added reference points, or on lines that
    the finding names (`places`). A strategy's fix (not `drafted`) may also remove a type that is defined elsewhere, a
    reference to a missing file, or JSON text whose removal does not change the value of its file.
    """

    def __init__(self, change: Change, places: Sequence[Place], *, drafted: bool) -> None:
        self._before, self._after, self._places = change.before, change.after, places
        self._defined = frozenset() if drafted else _list_defined_elsewhere(change)
        self._dead = {} if drafted else _group_dead_references(change)
        self._same_values = frozenset() if drafted else _list_same_values(change)
        numbered = enumerate(s for file in self._after.files for s in split_statements(file))
        self._same = group_by_key((_get_sense(self._after, s), (n, s)) for n, s in numbered)
        self._hunk = {s: at for at, hunk in enumerate(change.hunks) for s in hunk.removed}
        added = [(at, new) for at, hunk in enumerate(change.hunks) for new in hunk.added]
        leads = ((at, s, p, to) for at, s in added for p, to in _list_targets(self._after, s))
        keys = dict.fromkeys(((key, p), to) for at, s, p, to in leads for key in (at, (s.file, s.context)))
        self._targets = group_by_key(keys)
        every, gone = (
            (s for file in change.changed_files for s in split_statements(file)),
            set(change.removed_statements),
        )
        self._lines = [
            Counter(_get_fence(self._before, s) for s in side) for side in (every, change.removed_statements)
        ]
        left = (s for file in change.before.files for s in split_statements(file) if places and s not in gone)
        named = {(file, number) for file, first, last in set(places) for number in range(first, last + 1)}
        self._named = group_by_key((s.key[:2], s) for s in left if (s.file, s.line) in named)
        self._reached: dict[tuple[str, str], int] = {}

    def is_valid(self, removed: Statement) -> bool:
        """Return whether a removed statement is still valid. Code is valid only if its whole fence is."""
        fence = _get_fence(self._before, removed)
        whole = removed.kind in _TEXT_KINDS or (fence is not None and self._lines[0][fence] == self._lines[1][fence])
        same = self._same.get(_get_sense(self._before, removed), ()) if whole else ()
        governed = not removed.ordered and any(self._governs(one, removed) for _, one in same)
        leads = governed or any(self._is_reached(removed, one, n) for n, one in same) or self._is_named(removed)
        return leads or self._is_obsolete(removed)

    def _is_obsolete(self, removed: Statement) -> bool:
        """Return whether a statement had no effect: redundant JSON, a type defined elsewhere, or a dead reference."""
        lines = [(removed.file, number) for number in range(removed.line, removed.end + 1)]
        return removed.file in self._same_values or any(
            at in self._defined or any(to in removed.text for to in self._dead.get(at, ())) for at in lines
        )

    def _governs(self, one: Statement, removed: Statement) -> bool:
        """Return whether a statement's context equals the removed one's, or is wider, up to the whole skill."""
        if one.file == removed.file:
            return one.context == removed.context[: len(one.context)]
        return one.file == MAIN and one.context in ((), (_get_title(self._after.main),))

    def _is_reached(self, removed: Statement, one: Statement, place: int) -> bool:
        """Return whether an added reference points to a statement. Numbered steps must keep their order."""
        title, mine = _get_title(self._after.by_path[one.file]), [_strip_hashes(text) for text in removed.context]
        rest = [_strip_hashes(text) for text in one.context if text != title]
        alike = rest == mine[len(mine) - len(rest) :]
        keys = (self._hunk.get(removed), *(() if removed.ordered else ((removed.file, removed.context),)))
        targets, heads = (
            [to for key in keys for to in self._targets.get((key, one.file), ())],
            set(map(letters, one.context)),
        )
        leads = any(to in heads if to else alike for to in targets)
        if not leads or (removed.ordered and place <= self._reached.get((removed.file, one.file), -1)):
            return False
        self._reached[removed.file, one.file] = place
        return True

    def _is_named(self, removed: Statement) -> bool:
        """Return whether the finding names other lines with the same statement that the change does not remove."""
        others = self._named.get(removed.key[:2], ())
        mine = [place for place in self._places if _is_in(removed, place)] if others else []
        return any(not any(_is_in(one, place) for place in mine) for one in others if mine)


def _list_same_values(change: Change) -> frozenset[str]:
    """Return the paths of the changed JSON files whose value stays the same."""
    pairs = ((old, change.after.by_path.get(old.path)) for old in change.changed_files if old.path.endswith(".json"))
    read = ((old.path, parse_json(old.raw), parse_json(new.raw)) for old, new in pairs if new)
    return frozenset(path for path, was, now in read if not (was.error or now.error) and was.value == now.value)


def _list_defined_elsewhere(change: Change) -> frozenset[tuple[str, int]]:
    """Return (file, line number) of the type definitions before the change that still exist elsewhere after it."""
    defined = {place.definition.key for place in find_type_places(change.after)}
    types = (p for p in find_type_places(change.before) if p.definition.key in defined)
    return frozenset((p.file.path, n) for p in types for n in range(p.definition.line, p.definition.line_end + 1))


def _group_dead_references(change: Change) -> Mapping[tuple[str, int], Sequence[str]]:
    """Map (file, line number) in changed files to the targets there that are missing files."""
    dead = (one for file in change.changed_files if file.is_markdown for one in missing(change.before, file))
    return group_by_key(((one.file, one.line), one.target) for one in dead)


def _is_in(statement: Statement, place: Place) -> bool:
    return statement.file == place[0] and place[1] <= statement.line <= place[2]


def _list_targets(skill: Skill, new: Statement) -> Iterator[tuple[str, str]]:
    """Yield (file, letters of the heading or "") for each reference in a statement."""
    file = skill.by_path[new.file]
    for line in range(new.line, new.end + 1) if file.is_markdown else ():
        for target, anchor in _group_references(file).get(line, ()):
            if (target or anchor) in new.text:
                yield (skill.resolve(target, file.path) if target else file.path) or "", letters(anchor)


@memoize
def _group_references(file: SkillFile) -> Mapping[int, Sequence[tuple[str, str]]]:
    """Map line numbers to the (target, anchor) pairs of the references on the line."""
    return group_by_key(dict.fromkeys((r.line, (r.target, r.anchor)) for r in (*links(file), *spans(file))))


def _get_sense(skill: Skill, statement: Statement) -> tuple[str, str]:
    """Return a statement's kind and its text for comparison: a heading without its level, for code the whole fence."""
    fence = _get_fence(skill, statement)
    text = _map_texts(skill.by_path[statement.file])[fence[1]] if fence else statement.text
    return statement.kind, _strip_hashes(text) if statement.kind == HEADING else text


def _get_fence(skill: Skill, statement: Statement) -> tuple[str, int] | None:
    """Return the file and first line of the fence that contains a line of code; None for other statements."""
    file = skill.by_path[statement.file]
    fence = file.doc.fence_at(statement.line) if file.is_markdown and statement.kind not in _TEXT_KINDS else None
    return (statement.file, fence.start) if fence else None


@memoize
def _map_texts(file: SkillFile) -> Mapping[int, str]:
    return {fence.start: "\n".join(file.doc.inside(fence)) for fence in file.doc.fences}


@memoize
def _get_title(file: SkillFile) -> str:
    """Return the line of the heading that covers a whole file; "" if there is none."""
    covering = (section.start for section in file.doc.sections[1:2] if section.end == len(file.doc.lines))
    return next((" ".join(file.doc.line(line).split()) for line in covering), "")


def _strip_hashes(text: str) -> str:
    return text.lstrip("#").strip()
