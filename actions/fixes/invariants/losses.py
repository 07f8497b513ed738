"""What a change takes away: each statement stands where it stood, token for token, or the fix has named it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from actions.fixes.invariants.change import Change
from actions.fixes.invariants.moved_statements import holding
from actions.fixes.invariants.prose import Place
from actions.fixes.invariants.statements import FRONTMATTER, Statement, split_statements
from actions.skill import SkillFile


def find_losses(
    change: Change, holds: Callable[[Statement], bool], drops: Sequence[str], rewrites: Sequence[str],
    takes_out: Sequence[str],
) -> Iterator[str]:  # fmt: skip
    """Return each statement that is gone from its place: in place of `rewrites` something must stand.

    `drops` must hold after the change, but for those that it `takes_out` for good. A text names one statement, but of
    what holds one in each file.
    """
    dropped = {file.path: _named(drops) for file in change.touched}
    final, rewritten = Counter(map(_words, takes_out)), _named(rewrites)
    for hunk in change.hunks:
        for statement in hunk.gone:
            goes = _take(dropped[statement.file], statement) and (holds(statement) or _take(final, statement))
            if not goes and not (hunk.new and _take(rewritten, statement)):
                yield f"{statement.file}: this is lost: {statement.text.strip()[:120]}"


def list_removals(change: Change, drops: Sequence[str], places: Sequence[Place]) -> tuple[str, ...]:
    """Return what a draft drops and what holds nowhere after the change, each as often as it goes."""
    dropped = {file.path: _named(drops) for file in change.touched}
    holds, final = holding(change, places, drafted=True), _named(drops)
    gone = (s for s in change.gone if _take(dropped[s.file], s) and not holds(s) and _take(final, s))
    return tuple(statement.text.strip() for statement in gone)


def find_additions(change: Change) -> Iterator[str]:
    """Return what is said beyond the places of what is gone: a fix that nobody reads says nothing more."""
    more = (s for hunk in change.hunks for s in hunk.new[len(hunk.gone) :] if s.kind != FRONTMATTER)
    yield from (f"{s.file}: this is said more: {s.text.strip()[:120]}" for s in more)


def find_new_contexts(change: Change) -> Iterator[str]:
    """Return what stands, and over which something new came, unless it came for what is gone: it may say another thing.

    A new heading, a new line that leads to it, another item that it is a part of.
    """
    came = {(s.file, s.text) for hunk in change.hunks for s in hunk.new}
    went = {(s.file, s.text) for s in change.gone}
    told = set[str]()
    for was, now in change.standing:
        pairs = zip(was.under, now.under, strict=True) if len(was.under) == len(now.under) else ()
        known = {text for old, text in pairs if (now.file, old) in went}
        fresh = {text for text in now.under if (now.file, text) in came} - known - set(was.under)
        if fresh - told:
            yield f"{now.file}: a new line stands over this: {now.text.strip()[:120]}"
        told |= fresh


def _named(texts: Sequence[str]) -> Counter[str]:
    return _counted(tuple(texts)).copy()


@lru_cache(maxsize=4)  # a fix is proven when it is drafted and when it is applied
def _counted(texts: tuple[str, ...]) -> Counter[str]:
    """Count what texts name: their lines, and what they say as Markdown."""
    total: Counter[str] = Counter()
    for text in texts:
        said = split_statements(SkillFile("named.md", text.encode("utf-8", "replace")))
        total.update(Counter(map(_words, text.split("\n"))) | Counter(_words(statement.text) for statement in said))
    return total


def _take(named: Counter[str], statement: Statement) -> bool:
    named[_words(statement.text)] -= 1
    return named[_words(statement.text)] >= 0


def _words(text: str) -> str:
    return " ".join(text.split())
