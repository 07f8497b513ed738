"""Texts that pile up from pass to pass and are taken along whole, said in free words or done in a loop.

What piles up needs no special name: something is added each time, and all of it is read or carried again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from actions.facts.own import is_own
from actions.facts.sayings import Saying, sayings
from actions.skill.code import LOOPS, CodeFence, code_fences, starts_agent
from actions.skill.memo import once
from actions.skill.rules import Force, force_of
from actions.skill.skill import SkillFile
from actions.skill.stems import Gated, Stems

_NOUN = r"(?:the |its |a |an |this |that |one )?[`*]*(?P<noun>[\w.-]{3,40}(?: [\w-]{3,40}){0,2})[`*]*"
_ADDED = re.compile(
    r"\b(?:(?:add|append|push|attach|writ|record|note|noting|log|put|stor|sav|past|enter|keep|collect)\w*|go(?:es|ing)?)"
    r"\b[^.;]{0,80}?\b(?:to|onto|into|in|on|behind|after|of)\s+" + _NOUN,
    re.IGNORECASE,
)
_RUNNING = re.compile(
    r"\b(?:running|growing|cumulative|ever[- ]growing)\s+(?:\w+ )?(?P<noun>[\w-]{3,40})", re.IGNORECASE
)
_EACH = Gated(
    r"\b(?:each|every|per)\b|\bas (?:you|it|they|we) (?:go|goes|comes?|proceeds?)\b|\b(?:continuously"
    r"|round by round|turn by turn|again and again)\b",
    re.IGNORECASE,
    "each every per as continuously round turn again",
)
_ALL_OF = (
    r"\b(?:all (?:of )?|(?:the )?(?:whole|entire|full|complete)\s+)(?:the |that |this |it\b"
    r"|them\b)?(?:\w+ )?[`*]*{noun}|{noun}[`*]*[^.;]{{0,60}}?\b(?:in full|from the (?:start|top|first|beginning)"
    r"|entirely|completely)\b"
)
_ALL_OF_IT = re.compile(r"\b(?:all|the whole|everything) (?:of )?(?:it|that|this|them)\b|\bin full\b", re.IGNORECASE)
_CARRY = re.compile(
    r"\b(?:re-?read|reads?|reading|carr(?:y|ies|ied)|bring|take|hand|pass|send|feed|includ\w+|gives?|given|goes?"
    r"|loaded|load|show|prompt|context)\b",
    re.IGNORECASE,
)
_ALONG = re.compile(
    r"\b(?:carr(?:y|ies)|bring|brings|take|takes|drag|drags|keep|keeps)\b[^.;]{0,40}?\b(?:all|whole|entire"
    r"|complete|full|everything|each|every)\b[^.;]{0,40}?"
    r"\b(?:along|forward|with (?:you|it)|in (?:the )?context)\b|\b(?:all|whole|entire|every)\b[^.;]{0,40}\b(?:is"
    r"|are) (?:carried|taken|kept) (?:along|forward|in (?:the )?context)\b",
    re.IGNORECASE,
)
_NEW = re.compile(r"\b(?:each|every|the)\s+(?:new|next|later|further)\b|\b(?:put|add|append)\b", re.IGNORECASE)
_EARLIER = re.compile(
    r"\b(?:each|every|next)\b[^.;]{0,80}\b(?:contains?|carr\w+|includ\w+|gets?|receives?|sees?|holds?|repeats?"
    r"|takes?|with|against|alongside|after|behind)\b[^.;]{0,30}?"
    r"\b(?:all|every|the (?:full|whole|entire|complete))\b (?:of )?(?:the )?(?:text of )?(?:the )?(?:earlier"
    r"|previous|prior|preceding|past|former)\b(?! (?:two|three|few|\d))",
    re.IGNORECASE,
)
_UNCUT = re.compile(
    r"\b(?:never|not|nothing|none)\b[^.;]{0,20}\b(?:trimmed|pruned|shortened|cleared|cut|removed|truncated|dropped"
    r"|emptied|condensed)\b|\bgrows? (?:with|by|on|without)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?=.*(?:接[到在着]|追加|续[写进在到]|附[到在]|累加|累积|加[入到进]|写[进入]|记[入到]|放[入进到]))(?=.*(?:每"
    r"|总是|各"
    r"|依次|逐|来回|一次))"
    r"(?=.*(?:整份|整本|整个|完整|全部|所有|全文|从头))(?=.*(?:带[上着入]|读|传|附上|塞|发给|下一|之后|上下文)).+"
)
_KEPT_CHINESE = re.compile(
    r"(?=.*每)(?=.*(?:压|塞|放|记|存|写|加|攒|追加|堆)[进入到在下])"
    r"(?=.*(?:一直留|都留着|从不[删清减]|永久保留|永远留|不[删清]))(?=.*(?:每次|往后|以后|之后|下次|回回)[^，。；]{0,10}(?:都|全部|一起|带|读)).+"
)
_BOUND = Gated(
    r"\b(?:last|latest|recent)\b|\bat most\b|\bno more than\b|\b(?:summar|condens|compress|trim|prun|truncat"
    r"|shorten|cap)\w*|\b(?:limit|only|window|max(?:imum)?|oldest)\b"
    r"|最近|最多|截断|只|上限|裁剪|摘要|压缩|梗概|概要|不超过",
    re.IGNORECASE,
    "last latest recent most more summar condens compress trim prun truncat shorten cap limit only window max"
    " oldest 最 截断 只 上限 裁剪 摘要 压缩 梗概 概要 不超过",
)
_ADDING = Stems(
    *"each every all whole entire complete full add append push attach writ record note noting log put".split(),
    *"stor sav past enter keep collect running".split(),
    *"growing cumulative carr bring take drag earlier previous prior grow never".split(),
    *"接 追加 续 附 累 加入 加到 加进 写进 写入 记 放 压 塞 攒 堆 存".split(),
    *"go goes going load".split(),
)
_PILED = re.compile(
    r"^\s*(?P<name>[A-Za-z_$][\w$]{0,60})\s*(?:\+=\s*(?P<value>.+)|=\s*(?P=name)\s*\+\s*(?P<sum>.+))$"
    r"|^\s*(?P<list>[A-Za-z_$][\w$]{0,60})\.(?:push|append)\((?P<entry>.+)\)"
)
_TEXTUAL = re.compile(r"[\"'`]|f\"|str\(|\.text|\.content|join\(")
_WRITERS = frozenset(
    "write append print write_text writefile log push extend info debug warn len save stringify dumps"
    " edit notebookedit show tell str sum max min range enumerate sorted set list".split()
)
_AFTER_EACH = re.compile(
    r"\b(?:after|for|with|in|on|at) (?:each|every)\b|\beach time\b|\bround by round\b|每[一轮次步个条]", re.IGNORECASE
)
_LONGEST = 1000


@dataclass(frozen=True)
class Piling:
    """At `line` something is added each time, and all of it is taken along: `text` says so."""

    line: int
    text: str


@once
def pilings(file: SkillFile) -> tuple[Piling, ...]:
    """Give the places of a file where a text piles up, code first."""
    return (*_in_code(file), *_in_prose(file))


def _in_prose(file: SkillFile) -> Iterator[Piling]:
    held: list[Saying] = []
    for statement in sayings(file, _ADDING, 1):
        if held and (statement.is_row or statement.line - held[-1].line > 3):
            held = []
        held = [*held[-1:], statement]
        text = " ".join(part.text for part in held)
        if len(text) <= _LONGEST and (_piles(statement.text) or (len(held) > 1 and _piles(text))):
            line = statement.line if _piles(statement.text) else held[0].line
            if not _BOUND.search(file.doc.line(line)[:_LONGEST]):
                yield Piling(line, text)
            held = []


@lru_cache(maxsize=8192)
def _piles(text: str) -> bool:
    """Tell whether a text says that each pass adds to something, and that all of it is read or carried on."""
    each = bool(_EACH.search(text))
    if not each and text.isascii():
        return False
    if force_of(text) is Force.NEVER and not _UNCUT.search(text):
        return False
    if _BOUND.search(text):
        return False
    if not text.isascii() and (_CHINESE.match(text) or _KEPT_CHINESE.match(text)):
        return True
    if not each:
        return False
    if _EARLIER.search(text) or (_ALONG.search(text) and _NEW.search(text)):
        return True
    return any(_is_taken_whole(place["noun"], text[place.end() :]) for place in _places(text))


def _places(text: str) -> Iterator[re.Match[str]]:
    yield from _ADDED.finditer(text)
    yield from _RUNNING.finditer(text)


def _is_taken_whole(noun: str, rest: str) -> bool:
    if not _CARRY.search(rest):
        return False
    words = [re.escape(word) for word in noun.split() if len(word) > 2]
    return bool(_ALL_OF_IT.search(rest)) or any(re.search(_ALL_OF.format(noun=w), rest, re.IGNORECASE) for w in words)


def _in_code(file: SkillFile) -> Iterator[Piling]:
    for fence in filter(is_own, code_fences(file, "+=", "push(", "append(", " + ")):
        for number, line in enumerate(fence.text.split("\n"), fence.start):
            match = _PILED.match(line[:_LONGEST])
            added = (match["value"] or match["sum"] or match["entry"] or "") if match else ""
            if match is None or not (_TEXTUAL.search(added) or _is_answer(fence, added.strip(" ;"))):
                continue
            name = match["name"] or match["list"]
            loops = [(b.start, b.end) for b in fence.blocks_over(number) if b.kind in LOOPS and b.start < number]
            if not loops and _is_done_each_time(file, fence):
                loops = [(fence.start - 1, fence.end)]
            if loops and _is_given(fence, name, *loops[-1], number) and not _is_cut(fence, name):
                yield Piling(number, line.strip())


def _is_done_each_time(file: SkillFile, fence: CodeFence) -> bool:
    """Tell whether the line that announces a fence says that its code runs again and again."""
    above = (file.doc.line(n) for n in range(fence.start - 1, max(fence.start - 4, 0), -1))
    intro = next((line for line in above if line.strip() and not line.lstrip().startswith("```")), "")
    return intro.rstrip().endswith((":", "：")) and bool(_AFTER_EACH.search(intro))


def _is_cut(fence: CodeFence, name: str) -> bool:
    """Tell whether a line of the code keeps what piles up short."""
    word = re.escape(name)
    cut = re.compile(
        rf"(?<![\w.]){word}(?:\[\s*-|\.(?:slice|splice|shift|pop|length\s*>))|\blen\({word}\)\s*>|\bdel {word}\["
    )
    return bool(cut.search(fence.text))


def _is_answer(fence: CodeFence, name: str) -> bool:
    """Tell whether a variable holds what a sub-agent answered: that is a text."""
    return name.isidentifier() and any(call.assigned == name and starts_agent(call) for call in fence.calls)


def _is_given(fence: CodeFence, name: str, start: int, end: int, at: int) -> bool:
    """Tell whether a call inside of the loop takes the whole of what piles up."""
    word = re.compile(
        rf"(?:^|[,(=:+{{]\s*|\w\)? for \w+ in )(?:[\w.]+\.join\()?{re.escape(name)}"
        r"(?:\.join\([^()]*\))?\s*\)?(?=[,)}\s]|$)"
    )
    for call in fence.calls:
        inside = start < call.line <= end and call.line != at
        if inside and call.base.lower() not in _WRITERS and name in call.args and word.search(call.args[:_LONGEST]):
            return True
    return False
