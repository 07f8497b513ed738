"""Sentences that ask to put whole file contents into a prompt, English and Chinese."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.model.rules import force_of
from actions.model.skill import SkillFile
from actions.model.text import sentences, strip_list_mark

_ENGLISH = re.compile(
    r"\b(?:paste|concatenate|embed|inline|include|insert|dump|copy|put)\s+(?:the\s+)?"
    r"(?:(?:full|entire|complete|whole|raw)\s+(?:\w+\s+)?(?:contents?|texts?|source|bod(?:y|ies))|(?:contents?|text))\s+of\s+"
    r"(?P<object>[^.;:,]{3,80}?)\s+(?:in|into|inside)\s+"
    r"(?P<where>(?:the|its|each|every|their|that|a|one)\s+(?:[\w'’-]+\s+){0,4}?prompts?)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:将|把)(?P<object>[^，。；：]{1,30}?)的?(?:全部|完整|所有)?(?:内容|全文|原文)(?:全部|完整|一并|原样)?"
    r"(?:拼接|粘贴|嵌入|放入|写入|附加|传入|注入|复制)(?:到|进|至|在)?(?P<where>[^，。；：]{0,20}?(?:提示词|提示|[Pp]rompt))(?:中|里)?"
)
_WHOLE = re.compile(r"\b(?:full|entire|complete|whole|raw|all|every|each)\b|全部|完整|所有|全文|原文|每", re.IGNORECASE)
_SHORT = re.compile(r"\b(?:prompt|persona|template|rubric|instruction|system|excerpt|snippet|diff|error)|模板|角色|指令", re.IGNORECASE)
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


def pastings(file: SkillFile) -> Iterator[Pasting]:
    """Give the sentences of a file's prose that ask for whole contents in a prompt, without those that forbid it."""
    if not any(word in file.text for word in ("rompt", "提示")):
        return
    for number, line in file.doc.prose:
        if len(line) > 2000 or ("rompt" not in line and "提示" not in line):
            continue
        for sentence in sentences(strip_list_mark(line)):
            match = _ENGLISH.search(sentence) or _CHINESE.search(sentence)
            if match and _WHOLE.search(match[0]) and not _SHORT.search(match["object"]) and force_of(sentence) != "never":
                chinese = match.re is _CHINESE
                yield Pasting(file.path, number, sentence, match[0], match["object"], match["where"], chinese)
