"""What goes from its place and holds there all the same: it stands where the reader of that place reads it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from actions.fixes.invariants.change import Change
from actions.fixes.invariants.prose import Place
from actions.fixes.invariants.statements import FRONTMATTER, HEADING, PROSE, Statement, split_statements
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.skill import Skill, SkillFile
from actions.skill.references import links, missing, spans
from actions.skill.skill import MAIN
from actions.skill.text import letters
from actions.skill.types import type_places

_TEXT = (PROSE, HEADING, FRONTMATTER)


def holding(change: Change, places: Sequence[Place], *, drafted: bool) -> Callable[[Statement], bool]:
    """Return what tells whether a statement that is gone from its place still holds.

    The same words stand in a place that governs the old one, that a new reference in its stead leads to, or that the
    finding names beside it (`places`). Of what no judge drafted its type may be defined elsewhere, or its file be dead.
    """
    found, forced = _Elsewhere(change, places), (lambda _: False) if drafted else _forced(change)
    return lambda it: found.holds(it) or forced(it)


def _forced(change: Change) -> Callable[[Statement], bool]:
    defined = {place.definition.key for place in type_places(change.after)}
    types = (p for p in type_places(change.before) if p.definition.key in defined)
    kept = {(p.file.path, n) for p in types for n in range(p.definition.line, p.definition.line_end + 1)}
    lost = (one for file in change.touched if file.is_markdown for one in missing(change.before, file))
    dead = group_by_key(((one.file, one.line), one.target) for one in lost)

    def holds(it: Statement) -> bool:
        within = [(it.file, number) for number in range(it.line, it.end + 1)]
        return any(at in kept or any(target in it.text for target in dead.get(at, ())) for at in within)

    return holds


class _Elsewhere:
    """The places of the same words after a change, and which of them hold for a place before it."""

    def __init__(self, change: Change, places: Sequence[Place]) -> None:
        self._before, self._after, self._places = change.before, change.after, places
        said = enumerate(s for file in self._after.files for s in split_statements(file))
        self._said = group_by_key((_sense(self._after, s), (n, s)) for n, s in said)
        self._hunk = {s: at for at, hunk in enumerate(change.hunks) for s in hunk.gone}
        came = [(at, new) for at, hunk in enumerate(change.hunks) for new in hunk.new]
        ways = {((k, p), to): 0 for at, s in came for p, to in _ways(self._after, s) for k in (at, (s.file, s.under))}
        self._ways = group_by_key(ways)
        every, gone = (s for file in change.touched for s in split_statements(file)), set(change.gone)
        self._lines = [Counter(_fence(self._before, s) for s in said) for said in (every, change.gone)]
        left = (s for file in change.before.files for s in split_statements(file) if places and s not in gone)
        told = {(file, number) for file, first, last in set(places) for number in range(first, last + 1)}
        self._named = group_by_key((s.key[:2], s) for s in left if (s.file, s.line) in told)
        self._reached: dict[tuple[str, str], int] = {}

    def holds(self, it: Statement) -> bool:
        """Return whether what is gone stands in another place that counts; code only with all of its fence."""
        fence = _fence(self._before, it)
        whole = it.kind in _TEXT or (fence is not None and self._lines[0][fence] == self._lines[1][fence])
        same = self._said.get(_sense(self._before, it), ()) if whole else ()
        governed = not it.ordered and any(self._governs(one, it) for _, one in same)
        return governed or any(self._is_sent(it, one, n) for n, one in same) or self._is_named(it)

    def _governs(self, one: Statement, it: Statement) -> bool:
        """Return whether a statement stands under the same as another did or under fewer, or over all of the skill."""
        if one.file == it.file:
            return one.under == it.under[: len(one.under)]
        return one.file == MAIN and one.under in ((), (_title(self._after.main),))

    def _is_sent(self, it: Statement, one: Statement, place: int) -> bool:
        """Return whether a reference that came leads to a statement; the steps of a list keep their order there."""
        title, mine = _title(self._after.by_path[one.file]), [_bare(text) for text in it.under]
        rest = [_bare(text) for text in one.under if text != title]
        alike = rest == mine[len(mine) - len(rest) :]
        keys = (self._hunk.get(it), *(() if it.ordered else ((it.file, it.under),)))
        ways, heads = [to for key in keys for to in self._ways.get((key, one.file), ())], set(map(letters, one.under))
        led = any(to in heads if to else alike for to in ways)
        if not led or (it.ordered and place <= self._reached.get((it.file, one.file), -1)):
            return False
        self._reached[it.file, one.file] = place
        return True

    def _is_named(self, it: Statement) -> bool:
        """Return whether the finding names another place where the same stands and stood."""
        others = self._named.get(it.key[:2], ())
        mine = [place for place in self._places if _is_in(it, place)] if others else []
        return any(not any(_is_in(one, place) for place in mine) for one in others if mine)


def _is_in(it: Statement, place: Place) -> bool:
    return it.file == place[0] and place[1] <= it.line <= place[2]


def _ways(skill: Skill, new: Statement) -> Iterator[tuple[str, str]]:
    """Return the files to which a statement leads, each with the letters of a heading in it, "" for the whole."""
    file = skill.by_path[new.file]
    for line in range(new.line, new.end + 1) if file.is_markdown else ():
        for target, anchor in _leading(file).get(line, ()):
            if (target or anchor) in new.text:
                yield (skill.resolve(target, file.path) if target else file.path) or "", letters(anchor)


@memoize
def _leading(file: SkillFile) -> Mapping[int, Sequence[tuple[str, str]]]:
    """Return where the references of each line lead: target and anchor, each once."""
    return group_by_key(dict.fromkeys((r.line, (r.target, r.anchor)) for r in (*links(file), *spans(file))))


def _sense(skill: Skill, it: Statement) -> tuple[str, str]:
    """Return what a statement says on any level of headings; of code all that its fence says."""
    fence = _fence(skill, it)
    text = _texts(skill.by_path[it.file])[fence[1]] if fence else it.text
    return it.kind, _bare(text) if it.kind == HEADING else text


def _fence(skill: Skill, it: Statement) -> tuple[str, int] | None:
    file = skill.by_path[it.file]
    fence = file.doc.fence_at(it.line) if file.is_markdown and it.kind not in _TEXT else None
    return (it.file, fence.start) if fence else None


@memoize
def _texts(file: SkillFile) -> Mapping[int, str]:
    return {fence.start: "\n".join(file.doc.inside(fence)) for fence in file.doc.fences}


@memoize
def _title(file: SkillFile) -> str:
    """Return the heading over all of a file; empty without one."""
    over = (section.start for section in file.doc.sections[1:2] if section.end == len(file.doc.lines))
    return next((" ".join(file.doc.line(line).split()) for line in over), "")


def _bare(text: str) -> str:
    return text.lstrip("#").strip()
