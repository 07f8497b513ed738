"""Numbers of steps that a numbered list does not have, and letters of an appendix that is not there."""

import re
from collections.abc import Iterator

from actions.facts.references.missing import Kind, Missing
from actions.skill.skill import Skill, SkillFile
from actions.skill.stems import Stems

_SENT = re.compile(
    r"\b(?:go|goes|return|returns|skip|jump|continue|proceed|back|repeat|redo"
    r"|restart)\b(?: \w+){0,3}? (?P<word>step) (?P<number>\d{1,2})\b(?!\.\d)"
    r"|(?:回到|返回|跳到|跳转到|转到|重复|重做|进入)\s*(?:第\s*(?P<nth>\d{1,2})\s*步|步骤\s*(?P<han>\d{1,2}))",
    re.IGNORECASE,
)
_TITLED = re.compile(r"\b(?:step|步骤)\s*(\d{1,2})\b|第\s*(\d{1,2})\s*步", re.IGNORECASE)
_APPENDIX = re.compile(r"\b(?P<word>Appendix|Annex) (?P<letter>[A-Z]|\d{1,2})\b")
_STEPS, _APPENDICES = Stems("step", "步"), Stems("appendix", "annex")
_FEWEST = 3


def missing_steps(skill: Skill) -> Iterator[Missing]:
    """Give each step or appendix that a line sends to and that is not there, where others of its kind are."""
    for file in skill.instructions:
        for number, line in _STEPS.prose(file):
            for match in _SENT.finditer(line[:2000]):
                value = int(match["number"] or match["nth"] or match["han"])
                if _is_beyond(file, number, value):
                    yield Missing(Kind.STAGE, f"step {value}", file.path, number, True)
        yield from _beyond_titles(file)
    yield from _appendices(skill)


def _beyond_titles(file: SkillFile) -> Iterator[Missing]:
    """Give each step `第九步` that a line sends to and that comes after the last of the file's titled steps."""
    titles = (match for section in file.doc.sections if (match := _NTH.match(section.title)))
    last = max((_number(match[1]) for match in titles), default=0)
    for number, line in _STEPS.prose(file) if last >= _FEWEST else ():
        for match in _SENT_HAN.finditer(line[:2000]):
            if _number(match[1]) > last and not line.lstrip().startswith("#"):
                yield Missing(Kind.STAGE, match[0], file.path, number, True)


def _number(text: str) -> int:
    """Give the value of `7` and of `十二`."""
    if text.isdigit():
        return int(text)
    tens, mark, ones = text.rpartition("十")
    return (_DIGITS.index(tens) if tens else 1) * 10 * bool(mark) + (_DIGITS.index(ones) if ones else 0)


_DIGITS = "零一二三四五六七八九"
_HAN_NUMBER = r"(\d{1,2}|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_NTH = re.compile(rf"\s*第\s*{_HAN_NUMBER}\s*步")
_SENT_HAN = re.compile(
    rf"(?:回到|返回|跳到|跳转到|转到|重复|重做|进入|参考|参照|参见|见|按照?)\s*第\s*{_HAN_NUMBER}\s*步"
)


def _is_beyond(file: SkillFile, number: int, value: int) -> bool:
    """Tell whether the numbered list around a line, and every title of the file, end before a step."""
    section = file.doc.section_at(number)
    items = {line: step for line, step in file.doc.numbered if section.start <= line <= section.end}
    if number not in items or any(_TITLED.search(other.title) for other in file.doc.sections):
        return False
    return len(items) >= _FEWEST and value > max(items.values())


def _appendices(skill: Skill) -> Iterator[Missing]:
    titles = [section.title for file in skill.files if file.is_markdown for section in file.doc.sections]
    known = {match.group().lower() for title in titles if (match := _APPENDIX.search(title))}
    for file in skill.instructions if known else ():
        for number, line in _APPENDICES.prose(file):
            for match in _APPENDIX.finditer(line):
                if (
                    not line.startswith("#")
                    and match.group().lower() not in known
                    and not any(match.group() in p for p in skill.paths)
                ):
                    yield Missing(Kind.STAGE, match.group(), file.path, number, False)
