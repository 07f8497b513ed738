"""Sentences that ask to put whole file contents into a prompt, English and Chinese."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.memo import once
from actions.skill.rules import force_of
from actions.skill.skill import SkillFile
from actions.skill.stems import Stems
from actions.skill.text import sentences, strip_list_mark

_ENGLISH = re.compile(
    r"\b(?:paste|concatenate|embed|inline|include|insert|dump|copy|put)\s+(?:the\s+)?"
    r"(?:(?:full|entire|complete|whole|raw)\s+(?:\w+\s+)?(?:contents?|texts?|source|bod(?:y|ies))|(?:contents?"
    r"|text))\s+of\s+"
    r"(?P<object>[^.;:,]{3,80}?)\s+(?:in|into|inside)\s+"
    r"(?P<where>(?:the|its|each|every|their|that|a|one)\s+(?:[\w'’-]+\s+){0,4}?prompts?)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:将|把)(?P<object>[^，。；：]{1,30}?)的?(?:全部|完整|所有)?(?:内容|全文|原文)(?:全部|完整|一并|原样)?"
    r"(?:拼接|粘贴|嵌入|放入|写入|附加|传入|注入|复制)(?:到|进|至|在)?(?P<where>[^，。；：]{0,20}?(?:提示词|提示"
    r"|[Pp]rompt))(?:中|里)?"
)
_PROMPT = Stems("prompt", "提示")
_WHOLE = re.compile(r"\b(?:full|entire|complete|whole|raw|all|every|each)\b|全部|完整|所有|全文|原文|每", re.IGNORECASE)
_SHORT = re.compile(
    r"\b(?:prompt|persona|template|rubric|instruction|system|excerpt|snippet|diff|error)|模板|角色|指令", re.IGNORECASE
)
_SEVERAL = re.compile(r"\b(?:all|every|each|both)\b|\bfiles\b|(?<!s)s\s*$|所有|每|各|全部|多个", re.IGNORECASE)


@dataclass(frozen=True)
class Pasting:
    """A sentence at `line` that puts the contents of `subject` into `where`; `text` is the clause that says so."""

    file: str
    line: int
    sentence: str
    text: str
    subject: str
    where: str
    chinese: bool

    @property
    def several(self) -> bool:
        """Whether it speaks of more than one file."""
        return bool(_SEVERAL.search(self.subject))


@once
def pastings(file: SkillFile) -> tuple[Pasting, ...]:
    """Give the sentences of a file's prose that ask for whole contents in a prompt, without those that forbid it."""
    return tuple(_pastings(file))


def _pastings(file: SkillFile) -> Iterator[Pasting]:
    for number, line in _PROMPT.prose(file):
        if len(line) > 2000:
            continue
        for sentence in sentences(strip_list_mark(line)):
            match = _ENGLISH.search(sentence) or _CHINESE.search(sentence)
            if (
                match
                and _WHOLE.search(match[0])
                and not _SHORT.search(match["object"])
                and force_of(sentence) != "never"
            ):
                chinese = match.re.pattern == _CHINESE.pattern
                yield Pasting(file.path, number, sentence, match[0], match["object"], match["where"], chinese)


_PASSED = re.compile(
    r"\b(?P<verb>pass|send|forward|hand|feed|give)\s+(?:on\s+|over\s+)?(?:the\s+)?(?P<full>full|entire|complete"
    r"|whole|raw|unabridged)\s+"
    r"(?P<what>outputs?|results?|responses?|transcripts?|reports?|conversation|analys[ie]s|answers?)\s+(?:of|from)\s+"
    r"(?P<object>[^.;:,]{3,60}?)\s+(?:on\s+|over\s+)?(?:in)?to\s+(?P<where>(?:the|its|each|every|all|phase|step"
    r"|a)\s*[^.;:,]{0,50})",
    re.IGNORECASE,
)
_PASSED_CHINESE = re.compile(
    r"(?P<verb>将|把)(?P<object>[^，。；：]{1,30}?)的?(?P<full>完整|全部|所有)的?(?P<what>输出|结果|报告|回答"
    r"|分析|对话)"
    r"(?:全部|原样)?(?P<to>传递给|传给|交给|发送给|转发给)(?P<where>[^，。；：]{1,20})"
)


_PASSES = Stems(*"pass send forward hand feed give 传 交 发".split())
_ALL_OF_IT = Stems(*"full entire complete whole raw unabridged 完整 全部 所有".split())


def passings(file: SkillFile) -> Iterator[Pasting]:
    """Give the sentences that pass a whole output on, without those that forbid it. `text` is the clause."""
    for number, line in _ALL_OF_IT.prose(file, _PASSES):
        if len(line) > 2000:
            continue
        for sentence in sentences(strip_list_mark(line)):
            match = _PASSED.search(sentence) or _PASSED_CHINESE.search(sentence)
            if match and force_of(sentence) != "never":
                chinese = match.re.pattern == _PASSED_CHINESE.pattern
                subject = (
                    match["object"] + ("的" if chinese else "") + match["what"]
                    if chinese
                    else f"the {match['what']} of {match['object']}"
                )
                yield Pasting(file.path, number, sentence, match[0], subject, match["where"], chinese)
