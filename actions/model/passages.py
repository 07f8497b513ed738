"""Passages that stand twice, in the same or nearly the same words: across files or within one. Prose, tables and fences.

A line is a candidate when another line begins or ends with the same 40 characters; from there the run is followed as
long as the lines are alike, over one line that differs. Linear: each line meets at most eight candidates.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from actions.model.own import is_workflow
from actions.model.skill import Skill, SkillFile
from actions.model.text import CJK, sentences, strip_list_mark, words

_EDGE = 40
_LEAST_LINE = 16
_CANDIDATES = 8
_ALIKE = 0.8
_LEAST_WORDS = 40
_FEWEST_WORDS = 25
_SENTENCES = 3
_CODE_WORDS = 90
_LONGEST = 4000
_STEPS = ((1, 1), (1, 2), (2, 1), (2, 2))
_DATA = frozenset({"", "markdown", "md", "text", "txt", "json", "jsonc", "yaml", "yml", "toml"})
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


def passages(skill: Skill) -> tuple[Passage, ...]:
    """Give every passage of 40 words, or of three sentences and 25 words, that stands twice in the instructions.

    Code that calls or computes counts from 90 words on, and only in a skill that drives work of its own.
    """
    found = skill.memo.get("passages")
    if found is None:
        found = skill.memo["passages"] = tuple(_all(skill))
    return cast(tuple[Passage, ...], found)


def size(text: str) -> int:
    """Give the length of a text in words; two Han characters are about one."""
    count = len(words(text))
    return count - len(CJK.findall(text)) // 2


@dataclass(frozen=True)
class _Text:
    """The lines of a file that may be compared, and its fences' lines that hold programs."""

    file: SkillFile
    lines: list[_Line]
    program: frozenset[int]


def _all(skill: Skill) -> Iterator[Passage]:
    own = is_workflow(skill)
    texts = [_text(file, own) for file in skill.instructions]
    edges: dict[str, list[tuple[int, int]]] = {}
    for f, text in enumerate(texts):
        tried: dict[tuple[int, int], int] = {}
        for i, (_, line) in enumerate(text.lines):
            if len(line) < _LEAST_LINE:
                continue
            for key in {line[:_EDGE], line[-_EDGE:]}:
                places = edges.setdefault(key, [])
                for g, j in places:
                    if tried.get((g, i - j), -1) < i and not (g == f and j >= i):
                        run = _run(text.lines, i, texts[g].lines, j, same=f == g)
                        tried.update({(g, a - b): a for a, b in run})
                        passage = _passage(text, texts[g], run)
                        if passage:
                            yield passage
                if len(places) < _CANDIDATES:
                    places.append((f, i))


def _text(file: SkillFile, own: bool) -> _Text:
    """Leave out programs: all of them in a skill that explains a library, else those that are not pseudo-code."""
    doc, hidden, program = file.doc, set[int](), set[int]()
    for fence in doc.fences:
        if fence.lang not in _DATA:
            (program if own and fence.lang in _PSEUDO else hidden).update(range(fence.start, fence.end + 1))
        elif not own:
            hidden.update(range(fence.start, fence.end + 1))
    lines = [
        (n, text)
        for n, line in enumerate(doc.lines, 1)
        if n >= doc.body_start and (text := line.strip()) and n not in hidden
    ]
    return _Text(file, lines, frozenset(program))


def _run(mine: list[_Line], i: int, theirs: list[_Line], j: int, same: bool) -> _Run:
    """Follow two places up and down as long as their lines are alike; within one file the two must not meet."""
    if not _alike(mine[i][1], theirs[j][1]):
        return []
    run = [(i, j)]
    for way in (-1, 1):
        a, b = i, j
        while len(run) < _LONGEST:
            steps = ((a + way * x, b + way * y) for x, y in _STEPS)
            step = next((s for s in steps if _fits(mine, theirs, *s)), None)
            if step is None or (same and not (step[1] < i and step[0] > j)):
                break
            a, b = step
            run.append(step)
    return sorted(run)


def _fits(mine: list[_Line], theirs: list[_Line], a: int, b: int) -> bool:
    return 0 <= a < len(mine) and 0 <= b < len(theirs) and _alike(mine[a][1], theirs[b][1])


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    if abs(len(one) - len(other)) > len(one) // 2:
        return False
    a, b = frozenset(words(one)), frozenset(words(other))
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
