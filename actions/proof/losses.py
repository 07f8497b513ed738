"""What a change takes away: each statement stands where it stood, token for token, or the fix has named it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from actions.proof.change import Change, Hunk
from actions.proof.statements import FRONTMATTER, HEADING, PROSE, Statement, statements
from actions.skill import SkillFile
from actions.skill.references import missing
from actions.skill.types import type_places


def losses(
    change: Change, drops: Sequence[str] = (), rewrites: Sequence[str] = (), *,
    drafted: bool = False, takes_out: bool = False,
) -> Iterator[str]:  # fmt: skip
    """Return each statement that is gone from its place: in place of `rewrites` something must stand.

    `drops` must stand elsewhere after the change, unless it `takes_out` what it names. A text names one statement, but
    what stands elsewhere one in each file.
    """
    dropped = {file.path: _named(drops) for file in change.touched}
    stands, final, rewritten = _standing(change, drafted), _named(drops if takes_out else ()), _named(rewrites)
    for hunk in change.hunks:
        for statement in hunk.gone:
            goes = _take(dropped[statement.file], statement) and (stands(statement) or _take(final, statement))
            if not goes and not (hunk.new and _take(rewritten, statement)):
                yield f"{statement.file}: this is lost: {statement.text.strip()[:120]}"


def taken_out(change: Change, drops: Iterable[str]) -> tuple[str, ...]:
    """Return what is dropped and stands nowhere after the change."""
    names, stands = _named(tuple(drops)), _standing(change, drafted=True)
    return tuple(dict.fromkeys(s.text.strip() for s in change.gone if names[_words(s.text)] and not stands(s)))


def _standing(change: Change, drafted: bool) -> Callable[[Statement], bool]:
    """Return what tells whether a statement that is gone from its place says nothing that the skill lacks now.

    It stands word for word somewhere, its type is defined elsewhere, or what it names is not there (no judge's draft).
    """
    said = {_sense(statement) for file in change.after.files for statement in statements(file)}
    defined = {place.definition.key for place in type_places(change.after)}
    types = (p for p in type_places(change.before) if p.definition.key in defined)
    kept = {(p.file.path, n) for p in types for n in range(p.definition.line, p.definition.line_end + 1)}
    files = (file for file in change.touched if file.is_markdown and not drafted)
    dead = [one for file in files for one in missing(change.before, file)]

    def stands(it: Statement) -> bool:
        within = range(it.line, it.end + 1)
        ends = (one.file == it.file and one.line in within and one.target in it.text for one in dead)
        return _sense(it) in said or any((it.file, number) in kept for number in within) or any(ends)

    return stands


def _sense(statement: Statement) -> tuple[bool, str]:
    """Return what a statement says wherever it stands: a heading on any level, a word of code only as code."""
    prose = statement.kind in (PROSE, HEADING)
    return prose, _words(statement.text.lstrip("#") if prose else statement.text)


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
