"""Numbers with what they measure: in sentences, tables, configuration and constants, in any words.

`at most five attempts`, `| Retries | 5 |`, `MAX_RETRIES = 5`, `retries: 5` and `重试不超过 5 次` are one quantity.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from actions.facts.docs.senses import senses, stem
from actions.facts.docs.settings import Setting, as_unit, scope_of, stage_of
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import statements_at
from actions.skill.stems import Gated, Stems
from actions.skill.tables import table_rows

_WORDS = {
    word: value
    for value, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)
} | {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}  # fmt: skip
_HAN = dict(zip("一二三四五六七八九十两", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2), strict=True))
_NUMBER = re.compile(
    r"(?P<sign>[$€£¥￥]?)(?<![A-Za-z0-9_.:/#-])(?P<minus>(?:minus\s|[-−–](?=\d)|零下\s?)?)"
    rf"(?P<number>\d+(?:,\d{{3}})*(?:\.\d+)?|\b(?:{'|'.join(_WORDS)})\b"
    rf"|[二三四五六七八九十两]+(?=[次个天日月年倍遍轮小分秒页字行张份]))"
    r"(?![A-Za-z0-9_/:.]*\d)(?P<gap>[\s`*-]{0,3})(?P<unit>(?:working|business|calendar)[ -]days?|°\s?[CF]|℃|%|％"
    r"|per cent|[A-Za-zµ]{1,14}"
    r"|个?工作日|个月|个?小时|分钟|毫秒|万元|公里|公斤|平方米|像素|[\u4e00-\u9fff])?",
    re.IGNORECASE,
)
_NUMBER_WORDS = Stems(*_WORDS)
_WORD_FOR_NUMBER = Gated(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE, _NUMBER_WORDS)
_DIGIT = re.compile(r"[\d二三四五六七八九十两]")
_LABEL_BEFORE = re.compile(
    r"(?:\b(?:steps?|phases?|stages?|sections?|chapters?|lines?|pages?|fig(?:ure)?|tables?|rules?|no|nr|numbers?"
    r"|version|v|levels?"
    r"|tiers?|python|exit|code|status|http|port|issues?|parts?|rows?|columns?|questions?|cases?|art(?:icle)?"
    r"|items?|class|type|option"
    r"|round|between|top|first|last|next|other|these|those|the|rfc|iso)\.?\s*|[第~≈约近]\s?)$",
    re.IGNORECASE,
)
_RANGE = re.compile(r"^\s*(?:[-–—~/x×+]\s?\d|(?:to|or|and|through)\s+(?:\d|\w+\s+\w+\b(?<=\d))|至|到|～|[、]\d)")
_RANGE_BEFORE = re.compile(r"(?:\d\s*(?:[-–—~/x×]|to|or|and|至|到|、|,)|\bbetween)\s*$", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[;,()（），。；、]|:\s(?=(?:a|an|the)\s)|\s[-–—]\s|\b(?:and|then|but|while|whereas)\b|->|→", re.IGNORECASE
)
_CASE = re.compile(
    r"\b(?:if|unless|otherwise|fallback|except|example|e\.g|such as|instead|mode|quick|deep|draft|sample|optional"
    r"|typical\w*|usual\w*"
    r"|about|around|roughly|approximately|small|large|short|long|simple|complex|tiny|big|first|second|third|extra"
    r"|additional|another"
    r"|initial\w*|final|increase|reduce|raise|lower|extend)\b|如果|除非|例如|比如|否则|模式|大约|左右|首次|第一"
    r"|第二|初次|特殊|额外",
    re.IGNORECASE,
)
_OPENING = re.compile(r"(?:for|in|on|during|at|with|under)\s+([^,;.:]{3,40})", re.IGNORECASE)
_LEAST = re.compile(
    r"\b(?:at least|minimum|min|no (?:fewer|less)|more than|over|above|from)\b|至少|不少于|不低于|最少|下限|以上",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(?:at most|maximum|max|up to|no (?:more|longer|later)|not exceed|less than|under|below|within|limit\w*"
    r"|cap(?:ped)?)\b"
    r"|不超过|至多|最多|上限|以内|之内|封顶",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"\b(?:of )?(?:at most|up to|no more than|a maximum of)\s*$|(?:不超过|至多|最多)\s*$", re.IGNORECASE
)
_ENDS = re.compile(r"\s*(?:[,.;:()，。；：]|$)")
"""A bare number with a bound before it and an end behind it counts what its clause names."""
_SPANNED = re.compile(
    r"`(?P<key>-{0,2}[A-Za-z]\w*(?:[_-]\w+)+)`\s*(?:\w+\s+)?(?:=|:|at|to|is|of|为|是|＝"
    r"|：)\s*`?(?P<number>-?\d[\d,]*(?:\.\d+)?)\b"
    r"(?!\s*[-–]\d)"
)
_ASSIGNED = re.compile(
    r"^\s*(?:(?:export|const|let|var|static|final|readonly)\s+)*[\"']?(?P<key>[A-Za-z][\w-]*)[\"']?\s*(?::\s*\w+\s*)?"
    r"[:=]\s*(?P<number>-?\d[\d_,]*(?:\.\d+)?)\s*[,;]?\s*(?:(?:#|//).*)?$"
)
_CONSTANT = re.compile(r"[^=:]*[A-Z]")
"""Part of each line that gives a constant its value."""
_DATA = frozenset({"yaml", "yml", "toml", "ini"})
_COUNTED = re.compile(r"([A-Za-z]{3,14}s) (?:per|in|of|for|at|on)\b")
"""The things that a row of a table counts: "guests per slot"."""
_OPERATOR = re.compile(r"(?P<least>[>≥]=?)|(?P<most>[<≤]=?)|(?P<equal>={2,3}|!=)")
_HOLLOW = frozenset(
    "c f temperatur 温度 term period deadlin tim durat interval degree percent cent shar second minut hour day"
    " week month year work".split()
)
"""What a number with its unit says already."""
_SAME_KIND = {"time": "try", "次": "try", "attempt": "try", "℃": "°c", "日": "天"}
_LONGEST_LABEL = 40
_STAGE = re.compile(
    r"\b(?:phase|step|stage|level|tier|round)\s+(?:\d+|[a-e])\b|第\s*[\d一二三四五六七八九十]+\s*(?:步|阶段|轮|级)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Quantity:
    """A number at a place. `kind` is a unit or the thing counted; `near` is what its clause speaks of, `wide` what its
    sentence does. `key` is an identifier that the number is the value of. `bound` is -1 for a least, 1 for a most.
    """

    setting: Setting
    kind: str
    near: frozenset[str]
    wide: frozenset[str]
    case: frozenset[str]
    unit: int
    bound: int = 0
    key: str = ""


@dataclass(frozen=True)
class _Found:
    """A number as it is written, the word of its unit, both together, and the clause around them."""

    clause: str
    number: str
    word: str
    amount: str
    key: str = ""
    minus: bool = False


@once
def quantities(skill: Skill) -> tuple[Quantity, ...]:
    """Give the quantities of the instructions and of the data files of the specs."""
    return tuple(q for file in skill.instructions for q in (*_in_prose(file), *_in_tables(file), *_in_data(file)))


def _in_prose(file: SkillFile) -> Iterator[Quantity]:
    for said in statements_at(file, _with_number(file)):
        text = said.text
        if (
            text.startswith("|")
            or len(text) > 600
            or not (_DIGIT.search(text) or _WORD_FOR_NUMBER.search(text))
            or file.doc.is_counterexample(said.line)
        ):
            continue
        spanned = list(_SPANNED.finditer(text))
        for match in spanned:
            key, number = match["key"], match["number"]
            yield _quantity(file, said.line, said.unit, text, _Found(key, number, _suffix(key), number, key))
        taken = {match.start("number") for match in spanned}
        for match in _NUMBER.finditer(text):
            if match.start("number") not in taken and not _is_name(text, match):
                found = _measured(file, said.line, said.unit, text, match)
                if found:
                    yield found


def _with_number(file: SkillFile) -> set[int]:
    """Give the lines of prose in which a number may stand."""
    words = {number for number, _ in _NUMBER_WORDS.prose(file)}
    return words | {number for number, line in file.doc.prose if _DIGIT.search(line)}


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Tell whether a number names a place, a version or the end of a range, and measures nothing."""
    before, after = text[: match.start()], text[match.end("number") :]
    return bool(_LABEL_BEFORE.search(before[-24:]) or _RANGE.match(after) or _RANGE_BEFORE.search(before[-12:]))


def _measured(file: SkillFile, line: int, unit: int, text: str, match: re.Match[str]) -> Quantity | None:
    word = (match["sign"] or match["unit"] or "").lower().strip()
    if not word and _LIMITS.search(text[: match.start("number")]) and _ENDS.match(text[match.end() :]):
        start, end = _clause_at(text, match.start("number"))
        return _quantity(file, line, unit, text, _Found(text[start:end], match["number"], "", match[0].strip()))
    if not word or word == "bit" or (word.isascii() and word.isalpha() and not senses(word) and not as_unit(word)[0]):
        return None
    start, end = _clause_at(text, match.start("number"))
    if text[start - 1 : start] in ("(", "（") and not senses(text[start:end].replace(match[0].strip(), " ")) - _HOLLOW:
        start = _clause_at(text, start - 1)[0]
    found = _Found(text[start:end], match["number"], word, match[0].strip(), minus=bool(match["minus"]))
    return _quantity(file, line, unit, text, found)


def _clause_at(text: str, place: int) -> tuple[int, int]:
    cuts = [0, *(found.end() for found in _CLAUSE.finditer(text)), len(text)]
    start = max(cut for cut in cuts if cut <= place)
    end = min((found.start() for found in _CLAUSE.finditer(text, place)), default=len(text))
    return start, end


def _quantity(file: SkillFile, line: int, unit: int, text: str, found: _Found) -> Quantity:
    kind, factor = _kind(found.word)
    value = (-1 if found.minus else 1) * _value(found.number) * factor
    hollow = _HOLLOW | senses(found.number) | {kind}
    near = senses(f"{_topic(text)} {found.clause.replace(found.amount, ' ')}") - hollow
    wide = senses(text.replace(found.amount, " ")) - hollow
    scope, stage = scope_of("", "", file.doc, line), _stage_in(text) or stage_of(file.doc, line)
    column = file.doc.line(line).find(found.amount)
    setting = Setting(near, value, kind, file.path, line, text, scope, stage, found.amount, column)
    clause = found.clause.replace("_", " ")
    key = found.key.lower().replace("-", "_").strip("_")
    return Quantity(setting, kind, near, wide, _case(clause) | _case_of(text), unit, _bound(clause), key)


def _stage_in(text: str) -> str:
    """Give the phase or step that a statement names itself; empty without one."""
    named = _STAGE.search(text)
    return named[0].lower() if named else ""


def _bound(clause: str) -> int:
    operator = _OPERATOR.search(clause)
    if operator and operator.lastgroup != "equal":
        return -1 if operator["least"] else 1
    return -1 if _LEAST.search(clause) else 1 if _MOST.search(clause) else 0


def _case(clause: str) -> frozenset[str]:
    operator = _OPERATOR.search(clause)
    equal = {"equal"} if operator and operator["equal"] else set()
    return frozenset(found.lower() for found in _CASE.findall(clause)) | equal


def _case_of(text: str) -> frozenset[str]:
    """Give what a whole sentence is bound to by its first words, such as "For far houses"."""
    opening = _OPENING.match(text)
    return senses(opening[1]) if opening else frozenset()


def _topic(text: str) -> str:
    """Give the label before the first colon of a statement."""
    head, mark, _ = text.replace("：", ":").partition(":")
    return head if mark and len(head) <= _LONGEST_LABEL and not _CLAUSE.search(head) else ""


def _kind(word: str) -> tuple[str, float]:
    kind, factor = as_unit(_SAME_KIND.get(word, word))
    if kind:
        return kind, factor
    low = word.replace(" ", "").replace("-", "").removeprefix("个")
    low = _SAME_KIND.get(low, low)
    if re.fullmatch(r"(?:working|business)days?|工作日", low):
        return "working day", 1.0
    return _SAME_KIND.get(stem(low), stem(low)), 1.0


def _value(number: str) -> float:
    low = number.lower().replace(",", "").replace("_", "")
    if low in _WORDS:
        return float(_WORDS[low])
    if low[0] in _HAN:
        return float(_han(low))
    return float(low) if low.count(".") < 2 else 0.0


def _han(text: str) -> int:
    tens, mark, ones = text.partition("十")
    if mark:
        return _HAN.get(tens, 1) * 10 + _HAN.get(ones, 0)
    return _HAN.get(text[-1], 0)


def _in_tables(file: SkillFile) -> Iterator[Quantity]:
    for row in table_rows(file):
        yield from _in_row(file, row.line, row.cells[0][1], row.cells[1:])


def _in_row(file: SkillFile, line: int, name: str, cells: Iterable[tuple[str, str]]) -> Iterator[Quantity]:
    for title, cell in cells:
        match = _NUMBER.fullmatch(re.sub(r"^(?:[<>≤≥=]+|over|below|at most|up to)\s*", "", cell.strip("`* ")))
        if match:
            text = f"{name} {title}: {cell}"
            word = (match["sign"] or match["unit"] or "").lower().strip()
            found = _Found(f"{name} {title}", match["number"], word, match[0].strip(), name)
            yield _quantity(file, line, -line, text, found)
            counted = "" if word else _COUNTED.match(name.strip("`* "))
            if counted:
                yield _quantity(file, line, -line, text, replace(found, word=counted[1].lower()))


def _in_data(file: SkillFile) -> Iterator[Quantity]:
    for fence in file.doc.fences:
        for number, line in file.doc.code(fence):
            match = _ASSIGNED.match(line) if fence.lang in _DATA or ("=" in line and _CONSTANT.match(line)) else None
            if match and (fence.lang in _DATA or match["key"].isupper()) and not file.doc.is_counterexample(number):
                key = match["key"]
                found = _Found(key, match["number"], _suffix(key), match["number"], key)
                yield _quantity(file, number, -number, line.strip(), found)


def _suffix(key: str) -> str:
    last = key.lower().replace("-", "_").rsplit("_", 1)[-1]
    return last if "_" in key and as_unit(last)[0] else ""
