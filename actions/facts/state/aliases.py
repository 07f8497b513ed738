"""Names that can only mean a field which was given another one: a key that later steps ask for, a value of a file."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from actions.facts.dataflow.artifacts import Mode, artifact_uses
from actions.facts.dataflow.file_names import base, names_in, normal
from actions.facts.dataflow.orphans import alike
from actions.facts.dataflow.words import PUTS
from actions.facts.own import is_own
from actions.skill.code import code_fences
from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.statements import Statement, paragraphs, statements
from actions.skill.stems import Stems

_SPAN = re.compile(r"`([A-Za-z_]\w{1,40})`")
_PUTS = re.compile(rf"{PUTS}|\bnote\b|登记|记下", re.IGNORECASE)
_KEY = re.compile(
    r"(?:\b(?:(?P<loose>the|its|their|his|her|under|with)|per|by|each|every|one|same|an?|of an?|of one)\s"
    r"|[按每][一]?[个条位份]?\s?|同一个?\s?)"
    r"`(?P<name>[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)`"
)
_IDENTIFIES = re.compile(r"(?:_|(?<=[a-z])(?=[A-Z]))(?:id|no|nr|num|number|code|key|ref|tag)$", re.IGNORECASE)
"""A name of what tells one record from another."""
_WITH = re.compile(r"`[\w./-]{1,80}\.\w{2,5}`\s*(?:with\b|[:：]|has\b|holds?\b)")
_DATA = Stems("json", "csv", "yaml", "yml", "jsonl", "tsv")
_LOADED = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_]\w{0,40})\s*=\s*(?:await\s+)?(?:JSON\.parse\(|json\.loads?\(|yaml\.\w+\()?"
    r"(?:Read|open|read\w*|load\w*)\([^\n]{0,20}?[`\"'](?P<path>[^`\"'\n]{1,120}\.(?:json|ya?ml))"
)
_TAKEN = re.compile(
    r"^\s*(?:(?:const|let|var)\s+)?(?P<alias>[A-Za-z_]\w{0,40})\s*=\s*(?P<from>[A-Za-z_]\w{0,40})"
    r"(?:\.(?P<dot>[A-Za-z_]\w{2,40})|\[[\"'](?P<key>\w{3,40})[\"']\])\s*;?\s*$"
)
_ANY = frozenset("data result results items value values list content name text body rows entries output".split())
_JSON = frozenset({"json", "jsonc", "json5"})
_JSON_KEY = re.compile(r"\"([A-Za-z_]\w{1,40})\"\s*:")
_WORD = re.compile(r"\w+")
_COMPOUND = re.compile(r"_|[a-z][A-Z]")
_FEWEST, _MOST, _ABOVE = 2, 10, 5


@dataclass(frozen=True)
class Alias:
    """At `line` a value goes by the name `other`, which is called `name` where it is made."""

    name: str
    other: str
    file: str
    line: int


def aliases(skill: Skill) -> Iterator[Alias]:
    """Give the second names that prose has for the key of a record, and pseudo-code for a value of a file."""
    for file in skill.instructions:
        yield from _keys(skill, file)
    yield from _of_shapes(skill)
    yield from _taken(skill)


def _of_shapes(skill: Skill) -> Iterator[Alias]:
    """Give the names by which a passage that reads a data file calls what its example calls otherwise.

    Neither name stands in any other line, and both may mean one value.
    """
    shapes = {path: keys for file in skill.instructions for path, keys in _shapes(file)}
    reads = (
        {(use.file, use.line): base(use.name) for use in artifact_uses(skill) if use.mode is Mode.READ}
        if shapes
        else {}
    )
    for file in skill.instructions if reads else ():
        for start, end, text in paragraphs(file):
            path = next((reads[file.path, n] for n in range(start, end + 1) if (file.path, n) in reads), "")
            names = [name for name in _SPAN.findall(text) if _COMPOUND.search(name) and path in shapes][:_MOST]
            strange = [n for n in names if n not in shapes[path] and _lines_with(skill, n) == 1][:_MOST]
            idle = [key for key in shapes[path] if strange and _lines_with(skill, key) == 1][:_MOST] if strange else []
            yield from (Alias(key, n, file.path, start) for n in strange for key in idle if alike(n, key))


def _shapes(file: SkillFile) -> Iterator[tuple[str, list[str]]]:
    """Give the data files that JSON examples show, each named in one of the lines above, with all their keys."""
    for fence in code_fences(file, '":'):
        if fence.lang in _JSON and not file.doc.is_counterexample(fence.start):
            above = (
                name
                for n in range(fence.start - 1, fence.start - _ABOVE, -1)
                for *_, name in names_in(file.doc.line(n))
            )
            path = next(above, None)
            if path:
                yield base(normal(path)), list(dict.fromkeys(_JSON_KEY.findall(fence.text)))


def _keys(skill: Skill, file: SkillFile) -> Iterator[Alias]:
    """Give the keys that nothing makes, below a record of which a single field is never asked for again."""
    for said, fields in islice(_records(file), _MOST):
        later = (match for n, line in file.doc.prose if n > said.line for match in _asked(n, line))
        asked = list(islice((found for found in later if found[1] not in fields), _MOST))
        idle = [name for name in fields if asked and _lines_with(skill, name) == 1]
        idle = [name for name in idle if _IDENTIFIES.search(name)] or idle
        if len(idle) == 1 and not file.doc.is_counterexample(said.line):
            one = _IDENTIFIES.search(idle[0])
            lost = ((n, name) for n, name, sure in asked if (sure or one) and _lines_with(skill, name) == 1)
            yield from (Alias(idle[0], name, file.path, n) for n, name in lost)


def _asked(number: int, line: str) -> Iterator[tuple[int, str, bool]]:
    """Give the keys that a line asks for, and whether its words are those for a key; else their own name tells it."""
    for match in _KEY.finditer(line):
        if not match["loose"] or _IDENTIFIES.search(match["name"]):
            yield number, match["name"], not match["loose"]


def _records(file: SkillFile) -> Iterator[tuple[Statement, list[str]]]:
    """Give the sentences that put several fields down in a data file."""
    for said in statements(file, _DATA):
        fields = list(dict.fromkeys(_SPAN.findall(said.text)))
        put = _PUTS.search(said.text) or _WITH.search(said.text)
        if len(fields) >= _FEWEST and put and any(True for _ in names_in(said.text)):
            yield said, fields[:_MOST]


def _lines_with(skill: Skill, name: str) -> int:
    """Count the lines of a skill that name something; a plain word counts as well."""
    return _spread(skill)[name.lower()]


@once
def _spread(skill: Skill) -> Counter[str]:
    """Give the number of lines that name each word, in small letters; those of a README and its like do not count."""
    lines = (line for file in skill.files if file.role is not Role.DOC for line in file.doc.lines)
    return Counter(word for line in lines for word in set(_WORD.findall(line.lower())))


def _taken(skill: Skill) -> Iterator[Alias]:
    """Give the variables of other files that hold one value of one data file under two further names."""
    found: dict[tuple[str, str], dict[str, Alias]] = {}
    for file in skill.instructions:
        for fence in filter(is_own, code_fences(file, ".json", ".yaml", ".yml")):
            loaded = {m["name"]: base(normal(m["path"])) for m in _LOADED.finditer(fence.text)}
            for number, line in enumerate(fence.text.split("\n"), fence.start) if loaded else ():
                match = _TAKEN.match(line[:200])
                if match and match["from"] in loaded:
                    field, alias = match["dot"] or match["key"], match["alias"]
                    if field not in _ANY and field.lower() not in alias.lower():
                        home = found.setdefault((loaded[match["from"]], field), {})
                        home.setdefault(alias, Alias(field, alias, file.path, number))
    for names in found.values():
        if len(names) >= _FEWEST and len({item.file for item in names.values()}) >= _FEWEST:
            yield from list(names.values())[:1]
