"""What a change takes away: each statement stands where it stood, token for token, or the fix has named it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from actions.proof.change import Change, Hunk
from actions.proof.statements import FRONTMATTER, HEADING, PROSE, Statement, statements
from actions.skill import SkillFile


def losses(change: Change, drops: Sequence[str] = (), rewrites: Sequence[str] = ()) -> Iterator[str]:
    """Return each statement that is gone from its place: `drops` may go, in place of `rewrites` something must stand.

    A text that names a statement does so once in each file.
    """
    names = {file.path: (_named(drops), _named(rewrites)) for file in change.touched}
    for hunk in change.hunks:
        for statement in hunk.gone:
            dropped, rewritten = names[statement.file]
            if not _take(dropped, statement) and not (hunk.new and _take(rewritten, statement)):
                yield f"{statement.file}: this is lost: {statement.text.strip()[:120]}"


def added(change: Change) -> Iterator[str]:
    """Return what is said beyond the places of what is gone: a fix that nobody reads says nothing more."""
    for hunk in change.hunks:
        for statement in hunk.new[len(hunk.gone) :]:
            if statement.kind != FRONTMATTER:
                yield f"{statement.file}: this is said more: {statement.text.strip()[:120]}"


def framed(change: Change) -> Iterator[str]:
    """Return what stands, and before which a new heading or a new lead-in came: it may say another thing there."""
    for hunk in change.hunks:
        if hunk.new and hunk.following and hunk.following.kind != HEADING and _opens(hunk):
            yield f"{hunk.following.file}: a new line stands over this: {hunk.following.text.strip()[:120]}"


def _opens(hunk: Hunk) -> bool:
    """Return whether more headings came than went, the last with nothing under it yet, or a line with a colon came."""
    headings = [sum(s.kind == HEADING for s in said) for said in (hunk.new, hunk.gone)]
    lasts = [said[-1].text.rstrip("*_` ") if said and said[-1].kind == PROSE else "" for said in (hunk.new, hunk.gone)]
    leads = [last.endswith((":", "：")) for last in lasts]
    return headings[0] > headings[1] or (leads[0] and not leads[1])


def _named(texts: Sequence[str]) -> Counter[str]:
    """Count what texts name: their lines, and what they say as Markdown."""
    total: Counter[str] = Counter()
    for text in texts:
        said = statements(SkillFile("named.md", text.encode("utf-8", "replace")))
        total += Counter(map(_words, text.split("\n"))) | Counter(_words(statement.text) for statement in said)
    return total


def _take(named: Counter[str], statement: Statement) -> bool:
    named[_words(statement.text)] -= 1
    return named[_words(statement.text)] >= 0


def _words(text: str) -> str:
    return " ".join(text.split())
