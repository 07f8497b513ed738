"""What a change puts round rules that stand, so that they say another thing.

A heading or a lead-in over them, a line that goes over into them, another depth, an end of the program before them.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from actions.proof.change import Change
from actions.proof.statements import FRONTMATTER, HEADING, PROSE, Meaning, Statement, statements
from actions.skill import SkillFile

_OPEN = re.compile(r"[^.!?:。！？：|>`*_\s][`*_\s]*$")
_LEAD_IN = re.compile(r"[:：][`*_\s]*$")
_APART = re.compile(r"\s*(?:[-*+•>]\s|\||\d+[.)、]|#{1,6}\s)")
_ENDS = re.compile(
    r"\s*(?:exit\b|return\s*;?\s*$|sys\.exit\(|process\.exit\(|raise SystemExit|quit\b|if\s*\(?\s*(?:false|0)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Texts:
    """A file before and after a change, what both say, and what is new in the skill."""

    old: SkillFile
    new: SkillFile
    was: tuple[Statement, ...]
    now: tuple[Statement, ...]
    fresh: frozenset[Meaning]


def framed(change: Change) -> Iterator[str]:
    """Return each rule that something new stands round."""
    fresh = frozenset(s.meaning for s in change.new)
    for old in change.touched:
        new = change.after.by_path.get(old.path)
        if new:
            texts = _Texts(old, new, statements(old, change.before), statements(new, change.after), fresh)
            told = (*_reheaded(texts), *_led(texts), *_deeper(texts))
            yield from (f"{new.path}: {why}: {statement.text[:120]}" for why, statement in told)


def _reheaded(texts: _Texts) -> Iterator[tuple[str, Statement]]:
    """Return the first that stands under a new heading while its own is still there."""
    if not texts.new.is_markdown:
        return
    titles = {s.line: s for s in texts.now if s.kind == HEADING}
    own = {s.meaning: texts.old.doc.section_at(s.line).title for s in texts.was}
    kept = {section.title for section in texts.new.doc.sections}
    for statement in texts.now:
        over, title = titles.get(texts.new.doc.section_at(statement.line).start), own.get(statement.meaning)
        if over and over.meaning in texts.fresh - own.keys() and statement.kind != HEADING and title in kept:
            yield "this stands under a new heading", statement
            return


def _led(texts: _Texts) -> Iterator[tuple[str, Statement]]:
    """Return what a new line before it goes over into, or ends before."""
    for first, second in pairwise(texts.now):
        if second.meaning not in texts.fresh and second.line > first.line and first.meaning in texts.fresh:
            if _leads(texts.new, first, second) and not _was_led(texts.old, second, texts.was):
                yield "a new line goes over into this", second
            if _ends_before(texts.new, first, second):
                yield "the program ends before this", second


def _deeper(texts: _Texts) -> Iterator[tuple[str, Statement]]:
    """Return what stands deeper, or less deep, below its neighbour than before."""
    stays = _once(texts.was) & _once(texts.now)
    depths = _steps(texts.old, _by_line(texts.was), stays)
    places = {s.meaning: s for s in texts.now}
    for pair, step in _steps(texts.new, _by_line(texts.now), stays).items():
        if depths.get(pair, step) != step:
            yield "this stands at another depth", places[pair[1]]


def _leads(file: SkillFile, first: Statement, second: Statement) -> bool:
    """Return whether a line of prose ends within a sentence that the next line goes on, or with a colon."""
    if first.kind != PROSE or second.kind == HEADING:
        return False
    line, following = file.doc.line(first.line), file.doc.line(second.line)
    if _LEAD_IN.search(line):
        return True
    within = second.kind == PROSE and second.line == first.line + 1 and _OPEN.search(line)
    return bool(within and not _APART.match(line) and not _APART.match(following))


def _was_led(file: SkillFile, drawn: Statement, was: tuple[Statement, ...]) -> bool:
    """Return whether the line before a statement went over into it already."""
    for first, second in pairwise(was):
        if second.meaning == drawn.meaning and first.line < second.line:
            return first.kind == PROSE and bool(
                _LEAD_IN.search(line := file.doc.line(first.line)) or _OPEN.search(line)
            )
    return not any(s.meaning == drawn.meaning for s in was)


def _ends_before(file: SkillFile, first: Statement, second: Statement) -> bool:
    """Return whether a line of code ends the program, or branches never, and one no less deep follows."""
    line, following = file.doc.line(first.line), file.doc.line(second.line)
    same = first.is_code and first.kind == second.kind
    return same and bool(_ENDS.match(line)) and _depth(following) >= _depth(line)


def _once(said: tuple[Statement, ...]) -> set[Meaning]:
    return {meaning for meaning, count in Counter(s.meaning for s in said).items() if count == 1}


def _by_line(said: tuple[Statement, ...]) -> dict[int, Statement]:
    """Return the first statement of each line below the frontmatter."""
    return {s.line: s for s in reversed(said) if s.kind != FRONTMATTER}


def _steps(file: SkillFile, said: dict[int, Statement], known: set[Meaning]) -> dict[tuple[Meaning, Meaning], int]:
    """Return for neighbouring lines whether the second stands deeper (1), less deep (-1) or as deep as the first."""
    steps = {}
    for number, statement in said.items():
        following = said.get(number + 1)
        spans = file.doc.line(number).count("`") % 2  # what a template holds is not indented with its line
        if following and not spans and {statement.meaning, following.meaning} <= known:
            change = _depth(file.doc.line(number + 1)) - _depth(file.doc.line(number))
            steps[statement.meaning, following.meaning] = (change > 0) - (change < 0)
    return steps


def _depth(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())
