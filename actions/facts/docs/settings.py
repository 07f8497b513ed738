"""Limits, times, amounts and defaults that a skill sets: in prose, tables, pseudo-code, data files and scripts.

Only what is surely a setting is read: a key of two words or more, one of which says that it is a limit or a default,
with one value behind it: `max_rounds: 5`, `MAX_ROUNDS = 5`, `| Max rounds | 5 |`, `**Max rounds**: 5`, `--max-rounds N
(default: 5)`, `at most 5 review rounds`, `最大轮数：5`. Times, sizes and shares are brought to one unit.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import cast

from actions.facts.own import is_workflow
from actions.skill.document import Document
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.stems import Stems
from actions.skill.text import plain

_NUMBER = (
    r"(?P<sign>[$€£¥￥]?)\s*(?P<number>\d[\d,]{0,15}(?:\.\d{1,6})?)(?P<thousands>[kK]\b)?"
    r"\s?(?P<unit>%|％|[A-Za-zµ]{1,12}\b|[\u4e00-\u9fff]{1,2})?"
)
_LABEL = re.compile(
    r"[\s>]*(?:[-*+•]\s+|\d{1,3}[.)]\s+|\|\s*)?(?:(?:export|const|let|var|static|final|readonly)\s+)*[`*\"'_]{0,4}"
    r"(?P<key>--[a-z][\w-]{2,40}|[A-Za-z][\w \-]{3,50}?|[\u4e00-\u9fff]{3,14})[`*\"'_]{0,4}"
    rf"\s*(?:[:：=|]|:\s*\w{{2,10}}\s*=)\s*[`*\"'_]{{0,4}}(?:[<>≤≥]=?\s*)?{_NUMBER}(?P<rest>.*)$"
)
_BOLD = re.compile(
    r"\*\*(?P<key>[A-Za-z][\w \-]{3,50}|[\u4e00-\u9fff]{3,14})(?:\*\*\s*[:：]|[:：]\*\*)"
    rf"\s*[`\"']?(?:[<>≤≥]=?\s*)?{_NUMBER}(?P<rest>.*)$"
)
_PHRASE = re.compile(
    r"\b(?:max(?:imum)?(?: of)?|at most|up to|no more than|limited to|limit of|capped at|cap of)\s+"
    r"(?P<number>\d[\d,]{0,15})\s+"
    r"(?P<noun>[a-z]{3,20}[ -](?!per\b|and\b|for\b|from\b|with\b|each\b|\w+ing\b)[a-z]{3,20})\b",
    re.IGNORECASE,
)
_FLAG = re.compile(
    r"(?<![\w-])(?P<key>--[a-z][a-z0-9-]{2,40})\b(?P<between>[^\n]{0,100}?)\bdefaults?\b\s*(?:[:=]|is|to|of)?\s*"
    + _NUMBER
)
_ARGUMENT = re.compile(
    r"add_argument\(\s*(?:[\"']-\w[\"']\s*,\s*)?[\"'](?P<key>--[a-z][\w-]{2,40})[\"'](?P<between>[^)]{0,300}?)\bdefault\s*=\s*"
    r"(?P<number>\d[\d_]{0,15}(?:\.\d{1,6})?)\s*[,)]"
)
_ENDS = re.compile(r"^[`*\"'_]{0,4}\s*(?:$|\.\s|[,;|)（(#。；，]|//|—|–\s|-\s|(?:per|for each|total|in total|each)\b)")
_DIGITS = re.compile(r"[\d\W]+")
_DIGIT = re.compile(r"\d")
_ASIDE = re.compile(r"[(（#|。]|//|\.\s")
_NEXT = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`*])|(?<=[。！？；])")
_RANGE = re.compile(r"^\s*(?:[-–~/x×:.+*]\s?\d|to\s+\d|or\s+\d|至|到|～|\+)")
_WORDS = Stems(
    *"max min limit threshold timeout budget interval default ttl batch chunk quota retr most cap up".split(),
    *"deadline 最大 最多 最小 最少 上限 下限 超时 阈值 限制 间隔 预算 重试 期限 时限".split(),
)
_CHINESE = re.compile(r"最大|最多|最小|最少|上限|下限|超时|阈值|限制|间隔|预算|重试|期限|时限")
_MOST = 1000
_LIMITS = frozenset("max min threshold timeout deadline budget interval ttl batch chunk quota".split())
_EVENTS = frozenset("exceeded exceed reached reach error hit".split())
_SAME = {"maximum": "max", "limit": "max", "cap": "max", "minimum": "min", "retries": "retry", "tries": "try"}
_EMPTY = frozenset("the a an of number count total allowed value default custom in for n num int".split())
_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ms", "millisecond", "毫秒"), ("s", 0.001)),
    **dict.fromkeys(("s", "sec", "second", "秒"), ("s", 1.0)),
    **dict.fromkeys(("m", "min", "minute", "分钟", "分"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hour", "小时"), ("s", 3600.0)),
    **dict.fromkeys(("d", "day", "天"), ("s", 86400.0)),
    "kb": ("byte", 1e3), "mb": ("byte", 1e6), "gb": ("byte", 1e9), "kib": ("byte", 1024.0), "mib": ("byte", 1048576.0),
    **dict.fromkeys(("%", "％", "percent"), ("share", 0.01)),
    **dict.fromkeys(("$", "usd", "美元"), ("usd", 1.0)),
    **dict.fromkeys(("€", "eur", "欧元"), ("eur", 1.0)),
    **dict.fromkeys(("£", "gbp"), ("gbp", 1.0)),
    **dict.fromkeys(("¥", "￥", "元", "cny", "rmb"), ("cny", 1.0)),
}  # fmt: skip
_QUALIFIERS = re.compile(
    r"\b(?:if|when|unless|mode|tier|level|profile|preset|quick|fast|deep|standard|lite|full|small|medium|large|simple|complex"
    r"|dev|prod|production|staging|test|tests|override|e\.g|example|sample|increase|raise|reduce|lower|extended|optional|otherwise"
    r"|fallback|first|second|initial|instead|for|each|per)\b"
    r"|模式|级别|等级|如果|例如|示例|每",
    re.IGNORECASE,
)
_STAGE = re.compile(r"\b(?:phase|stage|step|part|round)\s*\d|阶段|步骤", re.IGNORECASE)
_CODE = frozenset({"", *"js javascript ts typescript py python json jsonc yaml yml toml markdown md text".split()})


@dataclass(frozen=True)
class Setting:
    """A key's value at a place. `unit` is `s`, `byte`, `share`, a currency, or empty for a plain number.

    `scope` holds the line and headings that tie the value to a case; `stage` is the numbered section.
    `amount` is number and unit as they are written, at `column` of the line.
    """

    key: frozenset[str]
    value: float
    unit: str
    file: str
    line: int
    text: str
    scope: frozenset[str]
    stage: str
    amount: str
    column: int


def settings(skill: Skill) -> tuple[Setting, ...]:
    """Give every setting of the skill's instructions, data files of its specs, and scripts."""
    found = skill.memo.get("settings")
    if found is None:
        found = skill.memo["settings"] = tuple(_all(skill))
    return cast(tuple[Setting, ...], found)


def _all(skill: Skill) -> Iterator[Setting]:
    own = is_workflow(skill)
    for file in skill.files:
        if file.is_instruction:
            yield from islice(_of_document(file, own), _MOST)
        elif file.role in (Role.SCRIPT, Role.SPEC) and not file.is_markdown:
            yield from islice(_of_program(file), _MOST)


def _of_document(file: SkillFile, own: bool) -> Iterator[Setting]:
    doc = file.doc
    for number, line in _may_set(file):
        if number < doc.body_start:
            continue
        fence = doc.fence_at(number)
        if fence and (not own or fence.lang not in _CODE):
            continue
        if line.count("|") > 2 and _columns(line) > 1:
            continue
        for match in _matches(line, prose=fence is None):
            setting = _setting(file, number, line, match)
            if setting and not doc.is_counterexample(number):
                yield setting


def _of_program(file: SkillFile) -> Iterator[Setting]:
    script = file.role is Role.SCRIPT
    for number, line in _may_set(file):
        match = _LABEL.match(line)
        if match and (not script or match["key"].isupper()):
            setting = _setting(file, number, line, match)
            if setting:
                yield setting
    if "add_argument(" in file.text:
        number, at = 1, 0
        for match in _ARGUMENT.finditer(file.text):
            number += file.text.count("\n", at, match.start())
            at = match.start()
            key = _key(match["key"])
            if len(key) > 1:
                value = float(match["number"].replace("_", ""))
                text = f"{match['key']} default={match['number']}"
                yield Setting(key, value, "", file.path, number, text, frozenset(), "", match["number"], -1)


def _may_set(file: SkillFile) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in _WORDS.lines(file) if len(line) <= 600 and _DIGIT.search(line))


def _columns(line: str) -> int:
    return sum(cell.strip(" `*").replace(",", "").replace(".", "").isdigit() for cell in line.split("|"))


def _matches(line: str, prose: bool) -> Iterator[re.Match[str]]:
    label = _LABEL.match(line) or (_BOLD.search(line) if "**" in line else None)
    if label:
        yield label
    elif prose and (":" in line or "：" in line):
        yield from filter(None, (_LABEL.match(line, found.end()) for found in _NEXT.finditer(line)))
    if prose:
        yield from _PHRASE.finditer(line)
    if "--" in line and "default" in line:
        yield from _FLAG.finditer(line)


def _setting(file: SkillFile, number: int, line: str, match: re.Match[str]) -> Setting | None:
    parts = match.groupdict()
    noun = parts.get("noun")
    key = _key("max " + noun) if noun else _key(parts["key"])
    rest = line[match.end("number") :]
    if _RANGE.match(rest) or not _is_setting(key, parts):
        return None
    unit = (parts.get("sign") or parts.get("unit") or "").lower()
    unit = unit if unit in _UNITS else unit.removesuffix("s")
    kind, factor = as_unit(unit)
    if not kind:
        kind, factor = _unit_of_key(parts.get("key") or "")
    if any(map(str.isdigit, _ASIDE.split(parts.get("rest") or "", maxsplit=1)[0])):
        return None
    if "rest" in parts and not _ENDS.match(parts["rest"]) and not (parts["unit"] and len(parts["rest"]) < 40):
        return None
    value = float(match["number"].replace(",", "")) * factor * (1000 if parts.get("thousands") else 1)
    start = match.start("sign") if parts.get("sign") else match.start("number")
    end = (
        match.end("unit")
        if parts.get("unit") and unit in _UNITS
        else match.end("thousands" if parts.get("thousands") else "number")
    )
    amount = line[start:end]
    scope = scope_of(_sentence_at(line, start), parts.get("key") or parts.get("noun") or "", file.doc, number)
    stage = stage_of(file.doc, number)
    return Setting(key, value, kind, file.path, number, match[0].strip(), scope, stage, amount, start)


def _sentence_at(line: str, place: int) -> str:
    """Give the sentence of a line that holds a place."""
    ends = [0, *(found.end() for found in _NEXT.finditer(line)), len(line)]
    return next(line[first:last] for first, last in pairwise(ends) if place < last)


def as_unit(word: str) -> tuple[str, float]:
    """Give the kind of a unit and its factor; an empty kind for a word that is none."""
    low = word.lower()
    return _UNITS.get(low if low in _UNITS else low.removesuffix("s"), ("", 1.0))


def stage_of(doc: Document, number: int) -> str:
    """Give the title of the numbered section that holds a line; empty without one."""
    titles = [section.title for section in doc.headings_over(number)]
    return next((title for title in reversed(titles) if _STAGE.search(title)), "")


def scope_of(line: str, key: str, doc: Document, number: int) -> frozenset[str]:
    """Give what ties a value to a case: headings and the line itself, without numbers, where they name one."""
    beside = line.replace(key, " ")
    titles = [section.title for section in doc.headings_over(number)]
    told = [title for title in titles[1:] if _QUALIFIERS.search(title)]
    if _QUALIFIERS.search(beside):
        told.append(_DIGITS.sub("", plain(beside)))
    return frozenset(text.lower() for text in told)


def _is_setting(key: frozenset[str], parts: dict[str, str | None]) -> bool:
    if parts.get("noun"):
        return len(key) > 2
    named = parts.get("key") or ""
    if not _EVENTS.isdisjoint(key) or "--" in (parts.get("between") or ""):
        return False
    if named.startswith("--"):
        return len(key) > 1 and (not _LIMITS.isdisjoint(key) or "between" in parts)
    if _CHINESE.search(named):
        return len(named) >= 4
    return len(key) > 1 and not _LIMITS.isdisjoint(key)


def _key(text: str) -> frozenset[str]:
    """Give the words of an identifier or phrase, without those that name no thing: `MAX_ROUNDS` = `maximum rounds`."""
    if not text.isascii():
        return frozenset({text, "中文"})
    words = _PARTS.findall(text)
    low = [_SAME.get(word.lower(), word.lower()) for word in words]
    kept = [
        word if word in _LIMITS or word.endswith("ss") else word.removesuffix("s") for word in low if word not in _EMPTY
    ]
    return frozenset(word for word in kept if word not in ("ms", "sec", "second", "minute", "m"))


_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def _unit_of_key(key: str) -> tuple[str, float]:
    last = key.lower().replace("-", "_").rsplit("_", 1)[-1]
    return (
        _UNITS.get(last if last == "ms" else last.removesuffix("s"), ("", 1.0))
        if "_" in key or last == "ms"
        else ("", 1.0)
    )
