"""What prose says outright of the fields of a state: another name for one, no shape at all, a leftover of debugging."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.state.idle import is_passing
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import paragraphs, statements
from actions.skill.stems import Gated, Stems

_SPAN = re.compile(r"`(?:\w+\.)?([A-Za-z_]\w*)`")
_CALLED = re.compile(
    r"\b(?:call(?:s|ed)(?: it)?|named|spelled|spelt|written as|appears as|goes by|known as|becomes|it is"
    r"|is then)\s+`(?:\w+\.)?([A-Za-z_]\w*)`"
    r"|(?:叫做?|称为?|写作|写成|记作|命名为|名为|改叫|用的是)\s*`(?:\w+\.)?([A-Za-z_]\w*)`"
)
_ELSEWHERE = re.compile(
    r"\bin (?:the |our |its )?(?:\w+ )?(?:report|summary|letter|table|mail|message|output|step|phase|list|next"
    r"|other|later|final)\w*\b|\b(?:elsewhere|later)\b"
    r"|\bthe \w+ (?:calls|names)\b|\bphase \d|\bstep \d|时|[中里]叫|步|阶段|别处|另一处",
    re.IGNORECASE,
)
_SHAPELESS = Gated(
    r"\b(?:keys?|fields?|state|structure|shape|properties)\b[^.;]{0,40}\b(?:made up|make up|invent\w*|whatever"
    r"|as (?:they|it) comes?|freely|any (?:keys?|fields?)|free[- ]form|varies|vary)\b"
    r"|\b(?:invents?|makes? up|adds? (?:whatever|any)|whatever)\s+(?:keys?|fields?|properties)\b|\b(?:may"
    r"|can) hold (?:whatever|anything)\b"
    r"|\bno (?:fixed |set |defined )?(?:schema|structure|shape|format|fixed fields)\b"
    r"|(?:字段|键|结构|格式)[^。；]{0,16}(?:随意|自由|随时|自行|任意|想加就加|不固定|不限|按需)|(?:随意|自由|随时|自行|任意)[^。；]{0,6}(?:增加|添加|新增"
    r"|加)[^。；]{0,4}(?:字段|键)"
    r"|没有(?:固定|统一)的?(?:结构|格式|字段)",
    re.IGNORECASE,
    "key field state structure shape propert hold schema format fixed 字段 键 结构 格式",
    "made make invent whatever come freely any free varies vary no anything 随 自 任 想 不固定 不限 按需 没有",
)
_HOME = re.compile(r"\bstate\b|状态|\b(?:run|session) record\b|`[\w./-]+\.(?:json|ya?ml)`", re.IGNORECASE)
_KEPT_ABOVE = 10
_DEBUG = re.compile(r"\b(?:only |just )?for debugging\b|\bdebugging (?:only|aid)\b|调试", re.IGNORECASE)
_NAMES = Stems(
    *"call named spel written appears goes known becomes then it 叫 称 写作 写成 记作 命名 名为 用的是".split()
)
_SHAPES = Stems(*"key field state structure shape propert schema format hold 字段 键 结构 格式".split())
_LEFTOVERS = Stems(*"debug cache cached tmp temp temporary scratch dump verbose trace 调试".split())


@dataclass(frozen=True)
class Said:
    """What is said of the field `name`, and of `other`, if two are named."""

    name: str
    other: str
    file: str
    line: int


def renamed(skill: Skill) -> Iterator[Said]:
    """Give each paragraph, entry or row that says that a field has another name elsewhere."""
    for file in skill.instructions:
        for line, _, text in paragraphs(file, _NAMES):
            names = list(dict.fromkeys(_SPAN.findall(text)))
            found = _CALLED.search(text)
            called = (found[1] or found[2]) if found else ""
            told = called in names[1:] and _ELSEWHERE.search(text) and _looks_like_data(names)
            if told and not file.doc.is_counterexample(line):
                yield Said(called, names[0], file.path, line)


def _looks_like_data(names: list[str]) -> bool:
    return all(re.search(r"_|[a-z][A-Z]", name) or name.islower() for name in names) and any(
        re.search(r"_|[a-z][A-Z]", name) for name in names
    )


def shapeless(skill: Skill) -> Iterator[Said]:
    """Give each sentence that says that the state has no fixed fields."""
    for file in skill.instructions:
        for said in statements(file, _SHAPES):
            bad_example = file.doc.is_counterexample(said.line)
            if not bad_example and _SHAPELESS.search(said.text) and _is_about_state(file, said.line):
                yield Said("", "", file.path, said.line)


def leftovers(skill: Skill) -> Iterator[Said]:
    """Give each field that the prose lists beside others of a state, for debugging or passing, and names once."""
    for file in skill.instructions:
        for number, line in _LEFTOVERS.prose(file):
            names = [match for match in _SPAN.finditer(line) if _is_leftover(line, match)]
            if names and _is_about_state(file, number) and not file.doc.is_counterexample(number):
                alone = [m[1] for m in names if sum(_count(other, m[1]) for other in skill.files) == 1]
                yield from (Said(name, "", file.path, number) for name in alone[:1])


def _is_leftover(line: str, span: re.Match[str]) -> bool:
    after = line[span.end() : span.end() + 60]
    before = line[max(0, span.start() - 50) : span.start()]
    debug = _DEBUG.search(after.split("`")[0]) or _DEBUG.search(re.split(r"[`,，;；]", before)[-1])
    return is_passing(span[1]) or bool(debug)


def _count(file: SkillFile, name: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", file.text)) if name in file.text else 0


def _is_about_state(file: SkillFile, number: int) -> bool:
    """Tell whether the line, its heading or the prose just above names the state or the file that holds it."""
    section = file.doc.section_at(number)
    start = max(section.start, number - _KEPT_ABOVE)
    nearby = [file.doc.prose_at.get(n, "") for n in range(start, number + 3)]
    nearby.append(file.doc.prose_at.get(section.end, ""))
    return any(_HOME.search(line) for line in nearby)
