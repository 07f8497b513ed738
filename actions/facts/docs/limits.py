"""Limits in whole sentences, such as "A draft has at most 40 entries": two that differ in the number alone clash."""

import re
from collections.abc import Iterator

from actions.facts.docs.settings import Setting, as_unit, scope_of, stage_of
from actions.skill.rules import force_of
from actions.skill.skill import Skill, SkillFile
from actions.skill.stems import Stems
from actions.skill.text import CJK, plain, sentences, strip_list_mark, words

_LIMIT = re.compile(
    r"\b(?:at (?:most|least)|up to|no (?:more|fewer|less|longer) than|maximum|minimum|max|min"
    r"|under|below|above|over|within"
    r"|exceed|limit(?:ed)?|timeout|retry|wait)\b|最多|至多|不超过|至少|上限|下限|以内|超时|重试",
    re.IGNORECASE,
)
_WORDS = Stems(
    *"most least up more fewer less longer max min under below above over within exceed limit timeout retry".split(),
    *"wait 最多 至多 不超过 至少 上限 下限 以内 超时 重试".split(),
)
_NUMBER = re.compile(
    r"(?P<sign>[$€£¥￥]?)(?<![\w.:/-])(?P<number>\d[\d,]*(?:\.\d+)?)(?![\w/:]*\d)\s?(?P<unit>%|[A-Za-z]{1,12}|[\u4e00-\u9fff]{1,2})?"
)
_DIGIT = re.compile(r"\d")
_HOLLOW = frozenset(
    "a an the is are be has have had may must should can will shall it its this that of in to and or with for as by at"
    " most least up no more fewer less than not do does".split()
)
_FEWEST_WORDS, _FEWEST_HAN, _LONGEST = 3, 6, 240


def limits(skill: Skill) -> Iterator[Setting]:
    """Give the sentences of the instructions that set one number as a limit or a duty, keyed by their other words."""
    for file in skill.instructions:
        for number, line in _WORDS.prose(file):
            if "|" not in line and _DIGIT.search(line) and _LIMIT.search(line):
                yield from _of_line(file, number, line)


def _of_line(file: SkillFile, number: int, line: str) -> Iterator[Setting]:
    if file.doc.is_counterexample(number):
        return
    for sentence in sentences(strip_list_mark(line)):
        found = list(_NUMBER.finditer(sentence)) if len(sentence) <= _LONGEST and _LIMIT.search(sentence) else []
        if len(found) != 1:
            continue
        match = found[0]
        kind, factor = as_unit(match["sign"] or match["unit"] or "")
        key = _key(sentence, match, measured=bool(kind))
        if key:
            amount = match[0].strip() if kind else match["number"]
            value = float(match["number"].replace(",", "")) * factor
            scope = scope_of(sentence, "", file.doc, number)
            stage = stage_of(file.doc, number)
            column = line.find(sentence) + match.start("number")
            yield Setting(key, value, kind, file.path, number, sentence, scope, stage, amount, column)


def _key(sentence: str, match: re.Match[str], *, measured: bool) -> frozenset[str] | None:
    """Give the words beside the number; None where too few are left to be sure that two sentences mean one thing."""
    end = match.end() if measured else match.end("number")
    rest = plain(sentence[: match.start()] + " " + sentence[end:])
    han = CJK.findall(rest)
    if han:
        return frozenset({rest}) if len(han) >= _FEWEST_HAN else None
    told = frozenset(word for word in words(rest) if word not in _HOLLOW)
    direction = "least" if re.search(r"least|minimum|no (?:fewer|less)", sentence, re.IGNORECASE) else "most"
    enough = len(told) >= _FEWEST_WORDS - (force_of(sentence) is not None or "most" in sentence)
    return told | {f"at {direction}"} if enough else None
