"""Fields that hold one value under several names: set from one source, stored in one breath, or described alike."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from actions.facts.dataflow.file_names import JSON
from actions.facts.dataflow.objects import Made, literals
from actions.facts.dataflow.orphans import alike, means_the_same, says_more
from actions.facts.dataflow.words import PUTS
from actions.facts.state.fields import state_blocks
from actions.skill.code import CodeFence, code_fences
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import statements
from actions.skill.stems import Stems

_SOURCE = re.compile(r"[A-Za-z_][\w.]*(?:\([\w.\[\]\"']{1,60}\))?$")
_WORKED_OUT = re.compile(r"^(?!new )[\w.]+\(\s*[^\s)'\"\d][^\n]*\)$|^[A-Za-z_]\w*\.(?:length|size)$")
"""What is worked out of something: written twice, it is kept twice."""
_FILLED = re.compile(r":\s*(?:\"(?:[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)+|[\u4e00-\u9fff]{2,4}|[^\s\"]+@[^\s\"]+)\"|\d{2,})")
"""A name, an address or a number in an example of JSON, which two keys seldom share by chance."""
CONSTANTS = frozenset("true false null none undefined now timestamp".split())
"""Values, in small letters, that many fields may have: no copies."""
_SPAN = r"`([A-Za-z_][\w.]*)`"
_AND = (
    r"\s*(?:、|，|,|\band\b|\bas well as\b|&|和|与|及|以及)\s*(?:again |also |once more |then )?(?:in(?:to)? |to "
    r"|as |under |the field |写?[到入进]?)?"
)
_SEVERAL = re.compile(rf"{_SPAN}(?:{_AND}{_SPAN})+")
_PUTS = re.compile(PUTS, re.IGNORECASE)
_INTO = re.compile(
    r"(?:\b(?:in|into|to|as|under|both|fields?)\s*(?:both |all of )?(?:the fields? )?|[入到进为在]\s*)$", re.IGNORECASE
)
_TOGETHER = re.compile(
    r"\bboth\b|\balso\b|\bas well\b|\bagain\b|\btwice\b|\bthree times\b|\bonce more\b|\bthe same (?:value|number"
    r"|content|text|data|figure)\b|\ball (?:of|three|four)\b"
    r"|同时|都|各存|一并|同样|内容相同|值相同|再存|又存|也",
    re.IGNORECASE,
)
_APART = re.compile(
    r"\brespectively\b|\beach its\b|\bin turn\b|与[^`，。]{1,12}分别|和[^`，。]{1,12}分别", re.IGNORECASE
)
_ROW = re.compile(
    r"^\s*(?:\|\s*|[-*+]\s+|\d+[.)]\s+)\**`(?:\w+\.)?(?P<name>[A-Za-z_]\w*)`\**\s*(?:\||[:：—–-])\s*(?P<says>[^"
    r"|]+)",
)
_SAME_AS = re.compile(
    r"\b(?:same (?:value |data |content )?as|copy of|duplicate of|mirrors?|identical (?:to|with)|equals?|repeats?"
    r"|again the|alias (?:for|of))\s+(?:the )?(?:field )?`"
    r"|[与同和]\s*`[^`]+`\s*(?:相同|一致|一样|同值)|(?:等同于|即|同)\s*`[^`]+`(?:的(?:副本|拷贝))?\s*[。；]?\s*$",
    re.IGNORECASE,
)
_NAMED = r"[`'\"]?(?:state\.)?"
_HOLDS = re.compile(
    rf"(?<!not )(?<!not the )\b(?:same (?:value |number |text )?as|copy of|duplicate of|mirrors?|identical (?:to"
    rf"|with)|equals?"
    rf"|alias (?:for|of)|another name (?:for|of))\s+(?:the )?(?:field )?{_NAMED}(?P<one>[A-Za-z_]\w*)"
    rf"|[与同和]\s?{_NAMED}(?P<other>[A-Za-z_]\w*)[`'\"]?\s?(?:相同|一致|一样|同值)"
    rf"|(?:等同于|等于|即|同)\s?{_NAMED}(?P<han>[A-Za-z_]\w*)",
    re.IGNORECASE,
)
_COUNT = re.compile(r"^(?:the )?(?:how many|number of|count of|total (?:number )?of|amount of)\s+", re.IGNORECASE)
_STEMS = Stems(*"both also well again twice three once same all 同时 都 各存 一并 同样 相同 再存 又存 也".split())
_FEWEST = 3


@dataclass(frozen=True)
class Copy:
    """The field `name` holds what `other` holds."""

    name: str
    other: str
    file: str
    line: int


def copies(skill: Skill) -> Iterator[Copy]:
    """Give the second field of each group."""
    for file in skill.instructions:
        for made in literals(file):
            yield from _in_literal(made)
        yield from _in_example(file)
        yield from _in_words(file)
        yield from _in_lists(file)
    yield from _in_declarations(skill)


def _in_declarations(skill: Skill) -> Iterator[Copy]:
    """Give the fields of the state whose comment or description says that they hold what another one holds."""
    for block in state_blocks(skill):
        names = {name for name, _ in block.fields}
        for name, line in block.fields if block.lang != "table" else ():
            text = skill.by_path[block.file].doc.line(line)
            match = _HOLDS.search(text[:500].partition(name)[2])
            other = (match["one"] or match["other"] or match["han"]) if match else ""
            if other in names and other != name:
                yield Copy(name, other, block.file, line)


def _in_literal(made: Made) -> Iterator[Copy]:
    groups: dict[str, list[tuple[str, int]]] = {}
    for member in made.members:
        if member.value.lower() not in CONSTANTS and (_SOURCE.match(member.value) or _WORKED_OUT.search(member.value)):
            groups.setdefault(member.value, []).append((member.name, member.line))
    for value, found in groups.items():
        (first, _), *rest = found
        if len(found) >= _FEWEST or (rest and (_WORKED_OUT.search(value) or alike(first, rest[0][0]))):
            yield Copy(rest[0][0], first, made.file, rest[0][1])


def _in_example(file: SkillFile) -> Iterator[Copy]:
    """Give the keys of a JSON example that hold one name, number or address under several keys."""
    for fence in code_fences(file, "{"):
        values = _FILLED.findall(fence.text) if fence.lang in JSON else []
        if len(values) > len(set(values)) and not file.doc.is_counterexample(fence.start):
            for record in _objects_in(fence.text):
                yield from _alike_in(file, fence, record)


def _alike_in(file: SkillFile, fence: CodeFence, record: dict[str, object]) -> Iterator[Copy]:
    groups: dict[str, list[str]] = {}
    for key, value in record.items():
        if _FILLED.fullmatch(f": {json.dumps(value, ensure_ascii=False)}"):
            groups.setdefault(str(value), []).append(key)
    for value, names in groups.items():
        told = means_the_same if value.isdigit() else says_more
        pairs = [(a, b) for a, b in combinations(names, 2) if told(a, b)]
        if pairs and (value.isdigit() or len(names) >= _FEWEST):
            first, other = pairs[0]
            lines = enumerate(fence.text.split("\n"), fence.start)
            yield Copy(other, first, file.path, next(n for n, line in lines if f'"{other}"' in line))


def _objects_in(text: str) -> Iterator[dict[str, object]]:
    """Give an example and the objects in it; none where it is no JSON."""
    try:
        open_: list[object] = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while open_:
        value = open_.pop()
        if isinstance(value, dict):
            yield value
        open_ += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _in_words(file: SkillFile) -> Iterator[Copy]:
    for said in statements(file, _STEMS):
        match = _SEVERAL.search(said.text)
        if match is None or _APART.search(said.text) or not _TOGETHER.search(said.text):
            continue
        before = said.text[: match.start()]
        if _PUTS.search(before) and _INTO.search(before) and not file.doc.is_counterexample(said.line):
            names = re.findall(_SPAN, match[0])
            if not any(name.endswith((".json", ".md", ".txt", ".yaml", ".csv")) for name in names):
                yield Copy(names[1], names[0], file.path, said.line)


def _in_lists(file: SkillFile) -> Iterator[Copy]:
    known: dict[str, tuple[str, int]] = {}
    for number, line in file.doc.prose:
        match = _ROW.match(line) if "`" in line else None
        if match is None or file.doc.is_counterexample(number):
            continue
        says = match["says"].strip()
        same = _SAME_AS.search(says)
        if same:
            other = re.search(r"`([^`]+)`", says[same.start() :])
            if other and other[1] != match["name"]:
                yield Copy(match["name"], other[1], file.path, number)
            continue
        meaning = _meaning(says)
        if meaning in known and number - known[meaning][1] < 30 and known[meaning][0] != match["name"]:
            yield Copy(match["name"], known[meaning][0], file.path, number)
        elif meaning:
            known[meaning] = (match["name"], number)


def _meaning(says: str) -> str:
    """Give what a description says first, without a purpose behind a comma; empty where that is not one quantity."""
    head = re.split(r"[,;:(，；：（。.]|\s[—–-]\s|\bfor the\b|\bthat the\b", says.lower())[0].strip(" *`")
    bare = _COUNT.sub("number of ", head)
    bare = re.sub(r"\s+(?:the \w+ )?(?:lists?|has|have|there are|are there|in all|in total)\b.*$", "", bare)
    counts = bare.startswith("number of ") or re.search(
        r"(?:总数|数量|条数|个数|总额|金额|路径|名称|日期|时间|等级|编号)$", bare
    )
    return bare if counts and len(bare) > 3 else ""
