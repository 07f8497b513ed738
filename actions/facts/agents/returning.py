"""Sentences that make a sub-agent return a whole text, in its prompt or about it, English and Chinese."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.skill.code import agent_calls
from actions.skill.rules import force_of
from actions.skill.skill import SkillFile
from actions.skill.stems import Stems
from actions.skill.text import sentences

_ENGLISH = re.compile(
    r"\b(?P<verb>returns?|reply with|replies with|respond with|sends? back|reports? back"
    r"|(?:gives?|hands?) (?:me |us )?back)\s+"
    r"(?:me\s+)?(?P<whose>the|its|their|your|a|all(?: of)? the)?\s*"
    r"(?P<full>full|complete|entire|whole|verbatim|raw|unabridged)\s+(?P<what>(?:\w+\s+)?"
    r"(?:contents?|texts?|reports?|source(?: code)?|code|analys[ie]s|transcripts?|outputs?|documents?|documentation"
    r"|findings|results|files?))\b"
    r"(?!\s+(?:path|name|paths|names|list|size|count|url|schema|object))",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?P<verb>返回)(?:[^，。；、\s]{1,10}的)?(?P<full>完整|全部|所有|整个)的?"
    r"(?P<what>[^，。；\s]{0,6}?(?:内容|报告|分析(?!报告)|源码|代码|文本|输出|结果|文档|原文|正文))(?!路径|列表|清单)"
)
_AGENT = re.compile(
    r"\b(?:sub-?agents?|agents?|reviewers?|explorers?|workers?|researchers?)\b|代理|智能体", re.IGNORECASE
)
_RETURNS = Stems("return", "reply", "replies", "respond", "back", "返回")
_AGENT_WORDS = Stems(*"agent reviewer explorer worker researcher 代理 智能体".split())
_WHOLE = Stems(*"full complete entire whole verbatim raw unabridged 完整 全部 所有 整个".split())


@dataclass(frozen=True)
class FullReturn:
    """A request at `line`: `text` is the clause, `what` the thing that is returned whole."""

    file: str
    line: int
    text: str
    verb: str
    what: str
    chinese: bool
    sentence: str


def full_returns(file: SkillFile) -> list[FullReturn]:
    """Give the requests of a file for whole texts, without those that forbid them."""
    found = {(item.line, item.text): item for item in (*_in_prompts(file), *_in_prose(file))}
    return sorted(found.values(), key=lambda item: item.line)


def _in_prompts(file: SkillFile) -> Iterator[FullReturn]:
    for _, call in agent_calls(file):
        for number in range(call.line, call.line_end + 1):
            yield from _of(file, number, file.doc.line(number))


def _in_prose(file: SkillFile) -> Iterator[FullReturn]:
    for number, line in _WHOLE.prose(file, _RETURNS, _AGENT_WORDS):
        if len(line) <= 2000 and _AGENT.search(line):
            yield from _of(file, number, line)


def _of(file: SkillFile, number: int, line: str) -> Iterator[FullReturn]:
    for sentence in sentences(line[:2000]):
        match = _ENGLISH.search(sentence) or _CHINESE.search(sentence)
        if match and force_of(sentence) != "never":
            chinese = match.re.pattern == _CHINESE.pattern
            yield FullReturn(file.path, number, match[0], match["verb"], match["what"], chinese, sentence)
