"""Fixed mappings of a skill, key -> words: literals in pseudo-code, tables, data files; and those that stand twice."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import cast

from actions.facts.own import is_workflow
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.tables import is_row, is_ruler
from actions.skill.text import plain, words

_OPEN = re.compile(
    r"^\s*(?:(?:export|const|let|var)\s+)*([^\W\d]\w*)(?:\s*:\s*[\w<>\[\], |]{1,60})?\s*=\s*\{\s*(?://.*|#.*)?$"
)
_ENTRY = re.compile(
    r"^\s*(?:[\"']([^\"'\n]{1,60})[\"']|([\w\u3400-\u9fff][\w\u3400-\u9fff-]{0,60}))\s*:\s*(\S.*?),?\s*(?://.*|#.*)?$"
)
_FIXED = re.compile(r"^(?:[\"'\[{\d-]|true|false|null|None)")
_PSEUDO = frozenset({"", "js", "javascript", "ts", "typescript", "py", "python"})
_LEAST_KEYS = 4
_MOST = 100
_MOST = 200
"""Literals and sources that are compared, each with each; far above the busiest real skill."""
_SAME_KEYS = 0.8
_SAME_WORDS = 0.8


@dataclass(frozen=True)
class Mapping:
    """A mapping of lines `start` to `end`. `kind` is `code`, `table` or `data`; `name` a variable, heading or path."""

    kind: str
    name: str
    file: str
    start: int
    end: int
    entries: tuple[tuple[str, frozenset[str]], ...]


@dataclass(frozen=True)
class HardCoded:
    """`literal` repeats `source`; `whole` tells that all of it stands there."""

    literal: Mapping
    source: Mapping
    whole: bool


def hard_coded(skill: Skill) -> tuple[HardCoded, ...]:
    """Give each literal of pseudo-code whose four keys and more, with their words, a table or data file holds."""
    found = skill.memo.get("hard_coded")
    if found is None:
        found = skill.memo["hard_coded"] = tuple(_all(skill)) if is_workflow(skill) else ()
    return cast(tuple[HardCoded, ...], found)


def _all(skill: Skill) -> Iterator[HardCoded]:
    found = (m for file in skill.instructions if "= {" in file.text for m in _literals(file))
    literals = list(islice(found, _MOST))
    if not literals:
        return
    sources = list(islice((m for file in skill.files for m in _sources(file)), _MOST))
    for literal in literals:
        same = [s for s in sources if _repeats(literal, s)]
        if same:
            source = min(same, key=lambda s: (skill.by_path[s.file].role is not Role.SPEC, s.file != literal.file))
            yield HardCoded(literal, source, _is_whole(literal, source))


def _literals(file: SkillFile) -> Iterator[Mapping]:
    for fence in file.doc.fences:
        if fence.lang in _PSEUDO:
            numbered = file.doc.code(fence)
            for k, (_, line) in enumerate(numbered):
                match = _OPEN.match(line) if line.rstrip().endswith("{") or "= {" in line else None
                if match:
                    yield from _literal(file, match[1], numbered, k)


def _literal(file: SkillFile, name: str, lines: list[tuple[int, str]], first: int) -> Iterator[Mapping]:
    entries: list[tuple[str, frozenset[str]]] = []
    start = lines[first][0]
    for k in range(first + 1, len(lines)):
        number, line = lines[k]
        if line.strip().startswith("}"):
            if len(entries) >= _LEAST_KEYS:
                yield Mapping("code", name, file.path, start, number, tuple(entries))
            return
        match = _ENTRY.match(line)
        if match is None or not _FIXED.match(match[3]) or "${" in match[3]:
            return
        entries.append((plain(match[1] or match[2]), frozenset(words(match[3]))))


def _sources(file: SkillFile) -> Iterator[Mapping]:
    if file.is_instruction:
        yield from _tables(file)
    elif file.path.endswith(".json") and file.role in (Role.SPEC, Role.ASSET):
        yield from _data(file)


def _tables(file: SkillFile) -> Iterator[Mapping]:
    entries: dict[str, frozenset[str]] = {}
    start = last = 0
    for number, line in (*file.doc.prose, (len(file.doc.lines) + 9, "")):
        if number != last + 1 or not is_row(line):
            if len(entries) >= _LEAST_KEYS:
                name = file.doc.section_at(start).title
                yield Mapping("table", name, file.path, start, last, tuple(entries.items()))
            entries, start = {}, number
        if is_row(line) and not is_ruler(line):
            key, _, rest = line.strip().strip("|").partition("|")
            entries[plain(key)] = frozenset(words(rest))
        last = number


def _data(file: SkillFile) -> Iterator[Mapping]:
    try:
        data = json.loads(file.text)
    except (ValueError, RecursionError):
        return
    if isinstance(data, dict) and len(data) >= _LEAST_KEYS:
        entries = tuple((plain(key), frozenset(words(str(value)))) for key, value in data.items())
        yield Mapping("data", file.path, file.path, 1, len(file.doc.lines), entries)


def _repeats(literal: Mapping, source: Mapping) -> bool:
    there = dict(source.entries)
    shared = [(said, there[key]) for key, said in literal.entries if key in there]
    if len(shared) < max(_LEAST_KEYS, _SAME_KEYS * len(literal.entries)):
        return False
    told = sum(len(said) for said, _ in shared)
    return told >= len(shared) and sum(len(said & held) for said, held in shared) >= _SAME_WORDS * told


def _is_whole(literal: Mapping, source: Mapping) -> bool:
    there = dict(source.entries)
    return all(key in there and said <= there[key] for key, said in literal.entries)
