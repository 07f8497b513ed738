"""Passages that stand twice, in the same or nearly the same words, across files or within one: prose, tables, fences.

A line is a candidate when another line begins or ends with the same 40 characters; from there the run is followed as
long as the lines are alike, over one line that differs. Linear: a line that stands more than 12 times tells nothing.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from actions.facts.docs.authority import AUTHORITY
from actions.facts.own import is_workflow
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.text import CJK, sentences, strip_list_mark, vocabulary, words

_EDGE = 40
_LEAST_LINE = 16
_CANDIDATES = 12
_ALIKE = 0.8
_LEAST_WORDS = 40
_FEWEST_WORDS = 25
_SENTENCES = 3
_CODE_WORDS = 90
_LONGEST = 4000
_BACK = 6
_MOST = 100_000
"""Pairs of lines that are followed in one skill; the busiest real ones need a thirtieth of it."""
_STEPS = ((1, 1), (1, 2), (2, 1), (2, 2))
_TEMPLATE = frozenset({"markdown", "md", "text", "txt"})
_DATA = _TEMPLATE | frozenset({"", "json", "jsonc", "yaml", "yml", "toml"})
_DOCUMENTS = frozenset({"json", "jsonc", "json5", "toml", "yaml", "yml", "xml"})
_STATE = re.compile(r"[\"']?(?:status|state|phase|updated_?at)[\"']?\s*[:=]", re.IGNORECASE)
_CARD, _SAME_PARTS = 3, 0.6
"""Headings that two cards of one kind share, and which part of all their headings that is."""
_MUCH = 80
"""Words that are worth a file which both roles read."""
_AGENTS = frozenset({"roles", "agents", "subagents", "personas", "reviewers", "prompts"})
_PSEUDO = frozenset({"js", "javascript", "ts", "typescript", "py", "python"})


@dataclass(frozen=True)
class Passage:
    """Lines `start` to `end` of `file` stand in `other` from line `at` to `at_end`; `words` is what both share.

    Within one file, `at` is the earlier place. `code` tells that the passage stands in a fence.
    """

    file: str
    start: int
    end: int
    other: str
    at: int
    at_end: int
    words: int
    code: bool


_Line = tuple[int, str]
_Run = list[tuple[int, int]]
_Place = tuple[int, int]
"""The index of a text and of one of its lines."""


def passages(skill: Skill) -> tuple[Passage, ...]:
    """Give every passage of 40 words, or of three sentences and 25 words, that stands twice in the instructions.

    Code that calls or computes counts from 90 words on, and only in a skill that drives work of its own.
    """
    found = skill.memo.get("passages")
    if found is None:
        found = skill.memo["passages"] = tuple(_all(skill))
    return cast(tuple[Passage, ...], found)


def between_files(skill: Skill) -> tuple[Passage, ...]:
    """Give the passages that two files hold, the longest first: `other` is the place to keep, specs before phases
    before SKILL.md before references. Lines that an earlier passage covers are not told again.
    """
    found = skill.memo.get("passages between files")
    if found is None:
        turned = [_turned(skill, p) for p in passages(skill) if p.file != p.other and not _are_alternatives(skill, p)]
        found = skill.memo["passages between files"] = _apart(sorted(turned, key=lambda p: (-p.words, p.file, p.start)))
    return cast(tuple[Passage, ...], found)


def within_files(skill: Skill) -> tuple[Passage, ...]:
    """Give the passages that one file holds twice, the longest first, each place once."""
    found = skill.memo.get("passages within files")
    if found is None:
        inside = [p for p in passages(skill) if p.file == p.other and not p.code and not _is_one_document(skill, p)]
        found = skill.memo["passages within files"] = _apart(sorted(inside, key=lambda p: (-p.words, p.file, p.start)))
    return cast(tuple[Passage, ...], found)


def is_for_agents(path: str) -> bool:
    """Tell whether a file is read by a sub-agent of its own, by its folder or name."""
    *folders, name = path.lower().split("/")
    return not _AGENTS.isdisjoint(folders) or any(word in name for word in ("agent", "persona", "prompt", "reviewer"))


def _are_alternatives(skill: Skill, p: Passage) -> bool:
    """Tell whether each of the two files is read alone, so that neither can keep the passage for the other.

    Such are role files of sub-agents, unless they share much, and cards of one folder with the same headings.
    """
    if is_for_agents(p.file) and is_for_agents(p.other):
        return p.words < _MUCH
    return are_cards(skill.by_path[p.file], skill.by_path[p.other])


def are_cards(one: SkillFile, other: SkillFile) -> bool:
    """Tell whether two references are cards of one kind: of one folder, with the same headings."""
    titles, others = _titles(one), _titles(other)
    alike = len(titles & others) >= max(_CARD, _SAME_PARTS * len(titles | others))
    return (
        alike
        and one.role is other.role is Role.REFERENCE
        and posixpath.dirname(one.path) == posixpath.dirname(other.path)
    )


def _titles(file: SkillFile) -> frozenset[str]:
    return frozenset(section.title.lower() for section in file.doc.sections if section.level >= 2)


def _is_one_document(skill: Skill, p: Passage) -> bool:
    """Tell whether both places stand in one sample of data, which cannot refer to itself, or show one
    record at two moments."""
    doc = skill.by_path[p.file].doc
    fence = doc.fence_at(p.start)
    if fence is None or fence.lang not in _DOCUMENTS:
        return False
    states = sum('"status"' in doc.line(n) for n in range(p.start, p.end + 1))
    if fence.start <= p.at <= fence.end or 2 * states > p.end - p.start:
        return True
    other = doc.fence_at(p.at)
    if other is None or other.lang not in _DOCUMENTS:
        return False
    mine, theirs = ({doc.line(n).strip() for n in range(f.start, f.end + 1)} for f in (fence, other))
    return any(map(_STATE.match, mine - theirs)) and any(map(_STATE.match, theirs - mine))


def _turned(skill: Skill, p: Passage) -> Passage:
    if AUTHORITY.get(skill.by_path[p.file].role, 9) >= AUTHORITY.get(skill.by_path[p.other].role, 9):
        return p
    return Passage(p.other, p.at, p.at_end, p.file, p.start, p.end, p.words, p.code)


def _apart(found: list[Passage]) -> tuple[Passage, ...]:
    covered: set[tuple[str, int]] = set()
    kept: list[Passage] = []
    for p in found:
        lines = {(p.file, n) for n in range(p.start, p.end + 1)}
        if 2 * len(lines & covered) < len(lines):
            covered |= lines
            kept.append(p)
    return tuple(kept)


def size(text: str) -> int:
    """Give the length of a text in words; two Han characters are about one."""
    count = len(words(text))
    return count if text.isascii() else count - len(CJK.findall(text)) // 2


@dataclass(frozen=True)
class _Text:
    """The lines of a file that may be compared, and its fences' lines that hold programs."""

    file: SkillFile
    lines: list[_Line]
    program: frozenset[int]


def _all(skill: Skill) -> Iterator[Passage]:
    own = is_workflow(skill)
    texts = [_text(file, own) for file in skill.instructions]
    tried: dict[tuple[int, int, int], int] = {}
    for (f, i), places in sorted(_candidates(texts).items()):
        for g, j in sorted(places):
            if tried.get((f, g, i - j), -1) < i:
                run = _run(texts[f].lines, i, texts[g].lines, j, same=f == g)
                tried.update({(f, g, a - b): a for a, b in run})
                passage = _passage(texts[f], texts[g], run)
                if passage:
                    yield passage


def _candidates(texts: list[_Text]) -> dict[_Place, set[_Place]]:
    """Give for each line the earlier ones that begin or end like it; a beginning with too many tells nothing."""
    candidates: dict[_Place, set[_Place]] = {}
    for places in _edges(texts):
        if len(places) <= _CANDIDATES:
            for k, place in enumerate(places[1:], 1):
                candidates.setdefault(place, set()).update(places[:k])
    return candidates


def _edges(texts: list[_Text]) -> Iterator[list[_Place]]:
    """Give the places of each beginning and end that several lines have, in order."""
    first: dict[str, int] = {}
    again: dict[str, list[int]] = {}
    places = [
        (f, i) for f, text in enumerate(texts) for i, (_, line) in enumerate(text.lines) if len(line) >= _LEAST_LINE
    ]
    for at, (f, i) in enumerate(places):
        line = texts[f].lines[i][1]
        for edge in (line[:_EDGE], line[-_EDGE:]) if len(line) > _EDGE else (line,):
            known = first.setdefault(edge, at)
            if known != at:
                again.setdefault(edge, [known]).append(at)
    return ([places[at] for at in ats] for ats in again.values())


def _text(file: SkillFile, own: bool) -> _Text:
    """Leave out programs; in a skill that only explains something, also its pseudo-code and data."""
    doc, hidden, program = file.doc, set[int](), set[int]()
    for fence in doc.fences:
        if fence.lang not in _DATA:
            (program if own and fence.lang in _PSEUDO else hidden).update(range(fence.start, fence.end + 1))
        elif not own and fence.lang not in _TEMPLATE:
            hidden.update(range(fence.start, fence.end + 1))
    lines = [place for place in doc.body if place[0] not in hidden] if hidden else doc.body
    return _Text(file, lines, frozenset(program))


def _run(mine: list[_Line], i: int, theirs: list[_Line], j: int, same: bool) -> _Run:
    """Follow two places up and down as long as their lines are alike; within one file the two must not meet."""
    if not _alike(mine[i][1], theirs[j][1]):
        return []
    run = [(i, j)]
    for way, most in ((-1, _BACK), (1, _LONGEST)):
        a, b = i, j
        while len(run) < most:
            step = _step(mine, a, theirs, b, way)
            if step is None or (same and not (step[1] < i and step[0] > j)):
                break
            a, b = step
            run.append(step)
    return sorted(run)


def _step(mine: list[_Line], i: int, theirs: list[_Line], j: int, way: int) -> tuple[int, int] | None:
    """Give the next two lines that are alike, over one that differs."""
    for x, y in _STEPS:
        a, b = i + way * x, j + way * y
        if 0 <= a < len(mine) and 0 <= b < len(theirs) and _alike(mine[a][1], theirs[b][1]):
            return a, b
    return None


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    if abs(len(one) - len(other)) > len(one) // 2:
        return False
    a, b = vocabulary(one), vocabulary(other)
    return min(len(a), len(b)) >= 4 and len(a & b) >= _ALIKE * len(a | b)


def _passage(text: _Text, other: _Text, run: _Run) -> Passage | None:
    run = _trimmed(text.lines, run)
    if not run:
        return None
    said = [strip_list_mark(text.lines[i][1]) for i, _ in run if not text.lines[i][1].startswith("#")]
    total = sum(map(size, said))
    start, end = text.lines[run[0][0]][0], text.lines[run[-1][0]][0]
    code = sum(text.lines[i][0] in text.program for i, _ in run) * 2 > len(run)
    least = _CODE_WORDS if code else _LEAST_WORDS
    if total < least and (code or total < _FEWEST_WORDS or _count_sentences(said) < _SENTENCES):
        return None
    at, at_end = (other.lines[j][0] for j in (run[0][1], run[-1][1]))
    return Passage(text.file.path, start, end, other.file.path, at, at_end, total, code)


def _trimmed(lines: list[_Line], run: _Run) -> _Run:
    """Cut the brackets, rulers and headings off the ends of a run."""
    says = [k for k, (i, _) in enumerate(run) if not lines[i][1].startswith("#") and size(lines[i][1]) >= 3]
    return run[says[0] : says[-1] + 1] if says else []


def _count_sentences(texts: list[str]) -> int:
    return sum(size(sentence) >= 5 for text in texts for sentence in sentences(text))
