"""Values of a spec or reference that the skill's pseudo-code types in again: limits, rates, grades."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.own import is_own
from actions.skill.code import CodeFence, code_fences
from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile

_NUMBER = re.compile(r"(?<![\w.$\[])\d+(?:\.\d+)?(?![\w.\]]*\d|[A-Za-z_\]])")
_LABEL = re.compile(r"[\"']([A-Za-z\u3400-\u9fff][\w\u3400-\u9fff -]{0,30})[\"']|\b([A-Za-z_]\w+)\s*:\s*(?=-?\d)")
_COMPARED = re.compile(r"[<>]=?|[*]|\bmin\(|\bmax\(|:\s*-?\d|\b[A-Z][A-Z_]{2,}\s*=\s*-?\d")
_STRING = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_COMMENT = re.compile(r"\s(?://|#).*$")
_COMMON = frozenset({0.0, 1.0, 2.0, 10.0, 24.0, 60.0, 100.0, 1000.0, 3600.0})
"""Numbers that stand in any code: counters, and factors of time and share."""
_FEWEST, _WITH_LABELS = 3, 2
_MOST_LINES, _MOST_TEXTS = 40, 60
_PROSE = 900


@dataclass(frozen=True)
class Typed:
    """Lines `start` to `end` of `file` type in `values`, which `source` holds from line `at` on."""

    file: str
    start: int
    end: int
    values: tuple[str, ...]
    source: str
    at: int


@dataclass(frozen=True)
class _Source:
    file: SkillFile
    line: int
    text: str
    numbers: frozenset[float]


def typed_values(skill: Skill) -> Iterator[Typed]:
    """Give the code whose values, three or two with their names, all stand in one place of another file's prose."""
    sources = [source for file in skill.files for source in _sources(file)][:_MOST_TEXTS] if _has_code(skill) else []
    for file in skill.instructions if sources else ():
        others = [source for source in sources if _may_hold(source.file, file)]
        held = frozenset[float]().union(*(source.numbers for source in others)) - _COMMON
        for fence in code_fences(file):
            typed = held.intersection(map(float, _NUMBER.findall(fence.text))) if held else ()
            if len(typed) >= _WITH_LABELS and is_own(fence) and not file.doc.is_counterexample(fence.start):
                yield from _of_fence(file, fence, others)


def _may_hold(source: SkillFile, file: SkillFile) -> bool:
    """Tell whether a file is the place for values of another; of two references each may stand for itself."""
    return source is not file and not (source.role is file.role is Role.REFERENCE)


def _of_fence(file: SkillFile, fence: CodeFence, sources: list[_Source]) -> Iterator[Typed]:
    lines = [
        (n, bare)
        for n, line in enumerate(fence.text.split("\n")[:_MOST_LINES], fence.start)
        for bare in [_COMMENT.sub("", line)]
        if _COMPARED.search(bare)
    ]
    values = [
        (n, value)
        for n, line in lines
        for value in _NUMBER.findall(_STRING.sub(" ", line))
        if float(value) not in _COMMON
    ]
    labels = {a or b for _, line in lines for a, b in _LABEL.findall(line)}
    distinct = {float(value) for _, value in values}
    for source in sources if len(distinct) >= _WITH_LABELS else ():
        named = sum(label.replace("_", " ").lower() in source.text.lower() for label in labels)
        enough = len(distinct) >= _FEWEST or named >= _WITH_LABELS
        if distinct <= source.numbers and enough:
            shown = tuple(dict.fromkeys(value for _, value in values))
            yield Typed(file.path, values[0][0], values[-1][0], shown, source.file.path, _place(source, distinct))
            return


def _place(source: _Source, values: set[float]) -> int:
    """Give the first of the fewest lines of a source that hold all values."""
    held = [(n, _numbers(line) & values) for n, line in enumerate(source.text.split("\n"), source.line)]
    held = [(n, found) for n, found in held if found]
    spans: list[tuple[int, int]] = []
    for i, (start, _) in enumerate(held):
        missing = set(values)
        for end, found in held[i:]:
            missing -= found
            if not missing:
                spans.append((end - start, start))
                break
    return min(spans, default=(0, source.line))[1]


@once
def _sources(file: SkillFile) -> tuple[_Source, ...]:
    if file.role not in (Role.SPEC, Role.REFERENCE, Role.ASSET) or file.path.endswith((".py", ".js", ".ts", ".sh")):
        return ()
    if not file.is_markdown:
        return (_Source(file, 1, file.text, _numbers(file.text)),) if len(file.text) < 4 * _PROSE else ()
    return tuple(_of_sections(file))


def _of_sections(file: SkillFile) -> Iterator[_Source]:
    """Give the tables and short prose of each section."""
    own: dict[int, list[tuple[int, str]]] = {}
    for number, line in file.doc.prose:
        own.setdefault(file.doc.section_at(number).start, []).append((number, line))
    for lines in own.values():
        text = "\n".join(line for _, line in lines if not line.startswith("#"))
        if len(text) <= _PROSE and any(map(str.isdigit, text)):
            first = next((n for n, line in lines if not line.startswith("#")), lines[0][0])
            yield _Source(file, first, text, _numbers(text))


def _has_code(skill: Skill) -> bool:
    """Tell whether a fence of the skill's own computes or compares."""
    fences = (fence for file in skill.instructions for fence in code_fences(file))
    return any(_COMPARED.search(fence.text) and _NUMBER.search(fence.text) and is_own(fence) for fence in fences)


def _numbers(text: str) -> frozenset[float]:
    found = re.findall(r"(?<![\w.])\d+(?:\.\d+)?|(?<=[\u3400-\u9fff])\d+(?:\.\d+)?", text)
    return frozenset(float(value) for value in found)
