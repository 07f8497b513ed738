"""Lists in a data file that each use of a skill makes longer: declared empty, added to, and never cut."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.context.growth import ENDS, HISTORY, cuts
from actions.facts.own import is_own
from actions.skill.code import code_fences
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import statements
from actions.skill.stems import Stems

_DECLARED = re.compile(r"(?:^|[\"'])(?P<name>[A-Za-z_]\w{1,40})[\"']?\s*:\s*\[\s*\]")
_FILE = re.compile(r"[`\"'](?P<path>[\w${}./-]{1,120}\.(?:json|ya?ml))[`\"']")
_ADDS = re.compile(
    r"\b(?:add|append|push|record|put|store|write|note)s?\b[^.;]{0,160}\b(?:to|in|into|under|at the end of)\b|(?:往|向"
    r"|在)[^。；]{0,30}(?:里|中)?[^。；]{0,12}(?:加|追加|记|写|添)"
    r"|(?:追加|加|记|写|添)[^。；]{0,20}(?:到|进|入)",
    re.IGNORECASE,
)
_ADDING = Stems(*"add append push record put store write note 加 追加 记 写 添".split())
_EVER = re.compile(
    r"\b(?:each|every|any|whenever|all)\b|\bnever (?:\w+ ){0,3}(?:out|removed?|deleted?|cleared?|cut|dropped"
    r"|trimmed)\b|\b(?:grows|for ever|forever)\b"
    r"|每|凡|从不|永不|一直|只增|都(?:要)?(?:加|记|写)|报一|用户(?:说|报|给)",
    re.IGNORECASE,
)
_CUTS = re.compile(
    r"\b(?:archiv\w+|mov(?:e|es|ed) (?:the )?(?:old|rest|older)|drops? (?:the )?(?:old|oldest|older)"
    r"|new (?:month|year|season|week|file)|rotat\w+|clos(?:e|es) the"
    r"|(?:delete|remove|take)s? (?:it|them|the entr\w+|done|old))\b|归档|移到|清理旧|删掉旧|换月|换年|每月一个"
    r"|只留|合计",
    re.IGNORECASE,
)
_FIELDS = Stems("field", "keys", "字段", "键")
_HAS = re.compile(r"\b(?:fields|keys)\b|字段|键")
_SPAN = re.compile(r"`([A-Za-z_]\w{1,40})`")
_LOADED = re.compile(
    r"^[ \t]*(?:(?:const|let"
    r"|var)\s+)?(?P<name>[a-z]\w{0,40})\s*=\s*(?:await\s+)?(?:JSON\.parse\(\s*)?(?:json\.)?(?:load|read|open"
    r"|parse)\w*\(\s*(?:(?:Read|open)\()?[\"'`](?P<path>[\w${}./-]{1,120}\.(?:json|ya?ml))",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class KeptList:
    """At `line` the list `name` of the data file `path` gets longer."""

    file: SkillFile
    line: int
    name: str
    path: str

    @property
    def is_history(self) -> bool:
        """Whether the name tells of a record of what happened."""
        return self.name.lower() in HISTORY


def kept_lists(skill: Skill) -> Iterator[KeptList]:
    """Give the lists that nothing keeps short, each at the first place where it grows."""
    told: set[str] = set()
    for file in skill.instructions:
        for found in (*_in_code(file), *_in_prose(skill, file)):
            if found.name not in told and not _is_cut(skill, found):
                told.add(found.name)
                yield found


def _is_cut(skill: Skill, found: KeptList) -> bool:
    """Tell whether a line that names the list, or stands beside the place where it grows, takes old entries out."""
    near = found.file.doc.lines[max(0, found.line - 3) : found.line + 2]
    named = [line for file in skill.instructions for line in file.doc.lines if found.name in line]
    named = [line.replace(found.name, "_") for line in named]
    return any(map(cuts, named)) or any(map(_CUTS.search, (*near, *named)))


def _in_code(file: SkillFile) -> Iterator[KeptList]:
    """Give the lists of what a fence loads from a data file, adds to and saves again."""
    for fence in filter(is_own, code_fences(file, ".push(", ".append(", "+=")):
        for loaded in _LOADED.finditer(fence.text):
            name, path = loaded["name"], loaded["path"]
            grows = re.compile(
                rf"(?<![\w.]){name}(?:\.|\[[\"'])(?P<list>\w+)(?:[\"']\])?(?:\.(?:push|append)\(|\s*\+=\s*[\[a-z])"
            )
            saved = re.search(rf"\b(?:save|write|dump|store)\w*\([^\n]*\b{name}\b", fence.text, re.IGNORECASE)
            for number, line in enumerate(fence.text.split("\n"), fence.start) if saved else ():
                match = grows.search(line)
                passing = match and any(fence.blocks_over(number)) and ENDS.search(match["list"])
                if match and not passing and not file.doc.is_counterexample(number):
                    yield KeptList(file, number, match["list"], path)


def _in_prose(skill: Skill, file: SkillFile) -> Iterator[KeptList]:
    declared = _declared(skill)
    for said in statements(file, _ADDING) if declared else ():
        name = next((name for name in declared if f"`{name}`" in said.text), None)
        if name and _ADDS.search(said.text) and _EVER.search(said.text) and not file.doc.is_counterexample(said.line):
            yield KeptList(file, said.line, name, declared[name])


@once
def _declared(skill: Skill) -> dict[str, str]:
    """Give the lists that the example of a data file shows empty, or that are named among its fields, with the file."""
    return {**dict(_named_fields(skill)), **dict(_shown_empty(skill))}


def _named_fields(skill: Skill) -> Iterator[tuple[str, str]]:
    """Give the plurals among the fields that a sentence gives a data file."""
    for file in skill.instructions:
        for said in statements(file, _FIELDS):
            named = _FILE.search(said.text)
            fields = _SPAN.findall(said.text, named.end()) if named and _HAS.search(said.text, named.end()) else []
            if named and len(fields) > 1:
                yield from ((name, named["path"]) for name in fields if name.endswith("s") and not ENDS.search(name))


def _shown_empty(skill: Skill) -> Iterator[tuple[str, str]]:
    for file in skill.instructions:
        path, at = "", 0
        shows = ("[]" in file.text or "[ ]" in file.text) and (".json" in file.text or ".y" in file.text)
        for number, line in enumerate(file.doc.lines, 1) if shows else ():
            named = _FILE.search(line) if ".json" in line or ".y" in line else None
            if named:
                path, at = named["path"], number
            if path and number - at <= 4 and "[" in line:
                yield from ((match["name"], path) for match in _DECLARED.finditer(line))
