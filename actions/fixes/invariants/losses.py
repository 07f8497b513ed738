"""Find statements that a change adds, removes without declaring it, or puts into another context."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from actions.fixes.invariants.change import Change
from actions.fixes.invariants.moved_statements import StillValid
from actions.fixes.invariants.statements import FRONTMATTER, Statement, split_statements
from actions.fixes.line_range import LineRange
from actions.skill import SkillFile


def find_losses(
    change: Change, valid: StillValid, drops: Sequence[str], rewrites: Sequence[str], takes_out: Sequence[str]
) -> Iterator[str]:
    """Yield an objection for each removed statement that the fix declares neither as dropped nor as rewritten.

    A statement in `drops` must still be valid elsewhere or also be in `takes_out`. A statement in `rewrites` must be
    replaced by another one. An entry of `drops` permits one removal per file, and an entry of `rewrites` or `takes_out`
    one removal in total.
    """
    dropped = {file.path: _count_names(drops) for file in change.changed_files}
    final, rewritten = Counter(map(_normalize, takes_out)), _count_names(rewrites)
    for hunk in change.hunks:
        for statement in hunk.removed:
            may_go = _use_permission(dropped[statement.file], statement) and (
                valid.is_valid(statement) or _use_permission(final, statement)
            )
            if not may_go and not (hunk.added and _use_permission(rewritten, statement)):
                yield f"{statement.file}: the fix loses this {statement.unit}: {statement.excerpt}"


def list_removals(change: Change, drops: Sequence[str], ranges: Sequence[LineRange]) -> tuple[str, ...]:
    """Return the dropped statements that are no longer valid anywhere, one entry for each place of a statement."""
    dropped = {file.path: _count_names(drops) for file in change.changed_files}
    valid, final = StillValid(change, ranges, drafted=True), _count_names(drops)
    gone = (
        s
        for s in change.removed_statements
        if _use_permission(dropped[s.file], s) and not valid.is_valid(s) and _use_permission(final, s)
    )
    return tuple(statement.text.strip() for statement in gone)


def find_additions(change: Change) -> Iterator[str]:
    """Yield an objection for each added statement that replaces no other one. Only reviewed fixes may add any."""
    more = (s for hunk in change.hunks for s in hunk.added[len(hunk.removed) :] if s.kind != FRONTMATTER)
    yield from (f"{s.file}: the fix adds this: {s.excerpt}" for s in more)


def find_new_contexts(change: Change) -> Iterator[str]:
    """Yield an objection for the first unchanged statement below each new heading, item or lead-in line."""
    added = {(s.file, s.text) for hunk in change.hunks for s in hunk.added}
    removed = {(s.file, s.text) for s in change.removed_statements}
    reported = set[str]()
    for was, now in change.unchanged_pairs:
        pairs = zip(was.context, now.context, strict=True) if len(was.context) == len(now.context) else ()
        known = {text for old, text in pairs if (now.file, old) in removed}
        fresh = {text for text in now.context if (now.file, text) in added} - known - set(was.context)
        if fresh - reported:
            yield f"{now.file}: the fix adds a line above this: {now.excerpt}"
        reported |= fresh


def _count_names(texts: Sequence[str]) -> Counter[str]:
    return _count_lines(tuple(texts)).copy()


@lru_cache(maxsize=4)  # a fix is checked when it is drafted and when it is applied
def _count_lines(texts: tuple[str, ...]) -> Counter[str]:
    total: Counter[str] = Counter()
    for text in texts:
        parsed = split_statements(SkillFile("named.md", text.encode("utf-8", "replace")))
        total.update(
            Counter(map(_normalize, text.split("\n"))) | Counter(_normalize(statement.text) for statement in parsed)
        )
    return total


def _use_permission(counts: Counter[str], statement: Statement) -> bool:
    """Use up one permission to remove a statement. Return False if there is none left."""
    counts[_normalize(statement.text)] -= 1
    return counts[_normalize(statement.text)] >= 0


def _normalize(text: str) -> str:
    return " ".join(text.split())
