"""What takes the force from a rule although its words still stand.

Another order, a sentence that says the opposite or that it holds no longer, a place that a compaction cuts off.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from actions.proof.change import Change
from actions.proof.rewording import essence, is_order, is_turned
from actions.proof.statements import FRONTMATTER, HEADING, Meaning, Statement, statements
from actions.skill import Skill, SkillFile
from actions.skill.budget import last_surviving_line
from actions.skill.paths import MAIN

_DISOWNS = re.compile(
    r"\b(?:ignore|disregard|skip|forget|overrides?|do not follow|don['’]t follow)\b.{0,40}"
    r"\b(?:above|below|previous|preceding|following)\b"
    r"|\b(?:above|below|previous|preceding|following)\b.{0,60}"
    r"\b(?:no longer|not apply|not hold|void|obsolete|optional|deprecated)\b"
    r"|\bno longer (?:appl(?:y|ies)|valid|needed|holds?|binding|in force)\b"
    r"|\b(?:rules?|instructions?|limits?|steps?|sections?) (?:is|are) "
    r"(?:void|obsolete|optional|deprecated|suspended|lifted)\b"
    r"|<(?:del|s|strike)>"
    r"|(?:忽略|无视|跳过).{0,12}(?:以上|上述|前面|以下|下述)|(?:以上|上述|前述|以下).{0,20}(?:不再|作废|无效|不适用)",
    re.IGNORECASE,
)
_FEW = 3
"""Words of substance that a sentence shares with its opposite, so that it is one."""


def undermined(change: Change) -> Iterator[str]:
    """Return each rule that lost its force."""
    yield from _reordered(change)
    yield from _disowned(change)
    yield from _contradicted(change)
    yield from _cut_off(change)


def _reordered(change: Change) -> Iterator[str]:
    """Return statements that stand in another order in their file: steps, rows, lines of code."""
    for file in change.touched:
        after = change.after.by_path.get(file.path)
        if after:
            old, new = _ordered(file, change.before), _ordered(after, change.after)
            for statement in _out_of_order(old, new):
                yield f"{file.path}: this stands in another order: {statement.text[:120]}"


def _ordered(file: SkillFile, skill: Skill) -> list[Statement]:
    """Return the statements whose order counts: not that of the frontmatter's keys."""
    return [s for s in statements(file, skill) if s.kind != FRONTMATTER]


def _out_of_order(old: Sequence[Statement], new: Sequence[Statement]) -> list[Statement]:
    """Return the statements of `new` that must move so that those of both stand in the order of `old`."""
    places = {key: place for place, (key, _) in enumerate(_numbered(old))}
    counts = [Counter(s.meaning for s in each) for each in (old, new)]
    common = [(places[key], s) for key, s in _numbered(new) if counts[0][s.meaning] == counts[1][s.meaning]]
    kept = _rising([place for place, _ in common])
    return [s for n, (_, s) in enumerate(common) if n not in kept]


def _numbered(said: Sequence[Statement]) -> Iterator[tuple[tuple[Meaning, int], Statement]]:
    """Return each statement with a key of its own: what it means, and for the how manieth time."""
    times: Counter[Meaning] = Counter()
    for statement in said:
        times[statement.meaning] += 1
        yield (statement.meaning, times[statement.meaning]), statement


def _rising(numbers: Sequence[int]) -> set[int]:
    """Return the indices of a longest rising part of `numbers`."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        place = bisect_left(tops, number)
        tops[place : place + 1], ends[place : place + 1] = [number], [index]
        before.append(ends[place - 1] if place else -1)
    found, index = set[int](), ends[-1] if ends else -1
    while index >= 0:
        found.add(index)
        index = before[index]
    return found


def _disowned(change: Change) -> Iterator[str]:
    for new in change.new:
        if not new.is_code and _DISOWNS.search(new.text):
            yield f"{new.file}: this takes force from other rules: {new.text[:120]}"


def _contradicted(change: Change) -> Iterator[str]:
    """Return new sentences that turn round what is still said; a copy of a rule counts with any number of words."""
    turned = [(new, essence(new.text)) for new in change.new if not new.is_code]
    if not any(words for _, words in turned):
        return
    fresh = {s.meaning for s in change.new}
    copies = {s.meaning for s in change.fewer}
    kept: dict[frozenset[str], list[Statement]] = {}
    for old in (s for file in change.after.files for s in statements(file, change.after)):
        if not old.is_code and old.meaning not in fresh:
            kept.setdefault(essence(old.text), []).append(old)
    for new, words in turned:
        for old in kept.get(words, []) if words else []:
            near = len(words) >= _FEW or old.meaning in copies or (old.kind == HEADING and "#" in new.text)
            likely = near and old.standing == new.standing
            if likely and is_turned(old.text, new.text):
                yield f"{new.file}: this contradicts {old.file}:{old.line}: {new.text[:120]}"
                break


def _cut_off(change: Change) -> Iterator[str]:
    """Return orders of SKILL.md that a compaction would leave standing before the change, and not after it."""
    known = {order.meaning for order in _beyond(change.before)}
    for order in _beyond(change.after):
        if order.meaning not in known:
            yield f"{MAIN}:{order.line}: a compaction would cut this off: {order.text[:120]}"


def _beyond(skill: Skill) -> list[Statement]:
    """Return the sentences with an order, in capitals or not, that stand beyond the cut and nowhere else."""
    last = last_surviving_line(skill)
    said = statements(skill.main, skill)
    if last >= len(skill.main.doc.lines):
        return []
    others = (s for file in skill.instructions if file.path != MAIN for s in statements(file, skill))
    elsewhere = {s.meaning for s in others} | {s.meaning for s in said if s.line <= last}
    return [s for s in said if s.line > last and is_order(s.text) and not s.is_code and s.meaning not in elsewhere]
