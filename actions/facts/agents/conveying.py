"""Sentences by which whole texts travel: into a prompt, to a sub-agent, or back from one. English and Chinese.

They are read by what they speak of (actions/facts/concepts.py), in whatever order: who, a whole text, and a verb or
place that says where it goes. Summaries, excerpts and paths are no whole texts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from actions.facts.agents.contents import agent_call_lines
from actions.facts.agents.pasting import passings, pastings
from actions.facts.agents.quoted import quoted_prompts
from actions.facts.concepts import (
    AGENT,
    AGENT_ZH,
    EVERY,
    EVERY_ZH,
    PROMPT,
    PROMPT_ZH,
    TEXT,
    TEXT_ZH,
    WHOLE,
    WHOLE_AFTER,
    WHOLE_ZH,
    WORD_FOR_WORD,
    as_meant,
)
from actions.facts.sayings import sayings
from actions.skill.memo import once
from actions.skill.rules import Force, force_of
from actions.skill.skill import SkillFile
from actions.skill.stems import Gated, Stems
from actions.skill.text import sentences

_NO_TEXT = (
    r"(?!['’`]?\s*(?:-|paths?|names?|lists?|sizes?|counts?|urls?|schemas?|objects?|ids?|numbers?|formats?"
    r"|structures?|templates?|types?|trees?)\b)"
)
_STATE = (
    r"(?:\w+[ -])?`?(?:[\w./-]*state|(?:run|session|job) record|session)(?:\.json)?`?(?:\s+(?:object|json|file"
    r"|dict|record))?"
)
_DOC = rf"(?:{TEXT})\b{_NO_TEXT}"
_OBJECT = re.compile(
    rf"\b(?:{WHOLE})\s+(?:[\w'’`./-]+\s+){{0,3}}?{_DOC}"
    rf"|\b{_DOC}[^.;:]{{0,60}}?\b(?:{WHOLE_AFTER})\b|\b(?:{WORD_FOR_WORD})\b|,\s*(?:{WHOLE})(?=\s*,\s*(?:in)?to\b)"
    rf"|\b(?:file )?(?:contents|texts?|source)\s+of\b|\bfile(?:['’]s)?\s+contents\b|\.\w{{2,4}}`?['’]s?\s+contents?\b"
    rf"|\beverything\b(?:\s+(?:in|from|of|it|they|that|you|each)\b)?|\ball of (?:it|them)\b"
    rf"|(?:{WHOLE_ZH})的?[^，。；：、]{{0,8}}?(?:{TEXT_ZH})|(?:{TEXT_ZH})[^。；：]{{0,12}}?(?:{WHOLE_ZH})"
    r"|所有[^，。；：、]{0,8}?(?:内容|文本|正文)|全文|原文"
    r"|(?:从头到尾|一字不[漏落差改])[^，。；]{0,4}?[贴抄发交念带]|一个?字[也都]?[不别](?:能|许|要)?[省少漏落删]",
    re.IGNORECASE,
)
_STATE_OBJECT = re.compile(
    rf"\b(?:{WHOLE})\s+(?:contents?\s+of\s+)?(?:the\s+)?{_STATE}\b|\b(?:dump|contents?|everything|all) (?:of|in"
    rf"|from) (?:the )?{_STATE}"
    rf"|\bseriali[sz]\w+\s+(?:the\s+)?{_STATE}|{_STATE},?\s+(?:{WHOLE_AFTER})\b"
    r"|(?:完整|整个|全部|所有|整份)的?[^，。；：、]{0,3}?(?:`?[\w./-]*state(?:\.json)?`?|状态)"
    r"|(?:`?[\w./-]*state(?:\.json)?`?"
    r"|状态)(?:对象|文件)?\s*的?(?:完整|全部|所有|原样|原封不动|一并)(?:内容)?"
    r"|序列化[^，。；：、]{0,4}(?:state|状态)|(?:state|状态)(?:对象)?序列化",
    re.IGNORECASE,
)
_JOINED = re.compile(
    rf"\b(?:concatenat\w+|join(?:s|ed|ing)?|merg(?:e|es|ed|ing)|stitch\w*|glue\w*"
    rf"|string\w* together)\b[^.;:]{{0,40}}?\b{_DOC}|(?:拼接|合并)[^，。；]{{0,12}}(?:{TEXT_ZH})"
    rf"|(?:{TEXT_ZH})[^，。；]{{0,6}}(?:拼接|合并)",
    re.IGNORECASE,
)
_PUT = re.compile(
    r"\b(?:past(?:e|es|ed|ing)|concatenat\w+|embed\w*|inlin\w+|includ\w+|insert\w*|dump\w*|cop(?:y|ies|ied|ying)"
    r"|put(?:s|ting)?|append\w*|prepend\w*"
    r"|attach\w*|inject\w*|interpolat\w+|stuff\w*|add(?:s|ed|ing)?|writ(?:e|es|ten)|contain\w*|holds?|carr(?:y"
    r"|ies)|receives?|gets?|given?|gives|has|have"
    r"|starts? with|begins? with|consists? of|made (?:up )?of|quot\w+|reproduc\w+|repeat\w*|goes|go|pass(?:es|ed"
    r"|ing)?|send\w*|feed\w*|fill\w*|load\w*|join\w*|build\w*|drop\w*|mov\w+|followed by|prompt task)\b"
    r"|拼接|粘贴|嵌入|放[入进到在]|写[入进到在]|附[加上在带]|传[入给递]|注入|复制|拷贝|塞[入进]|填[入充进]"
    r"|加[入到进]|贴[到进入在]|包[含括]|带[上入]|组成|含有|内联|内嵌|发给"
    r"|抄[进入到在写]|搬进",
    re.IGNORECASE,
)
_IN_PROMPT = re.compile(rf"\b(?:{PROMPT})\b|{PROMPT_ZH}", re.IGNORECASE)
_GIVE = (
    r"(?:pass(?:es|ed|ing)?|send(?:s|ing)?|sent|forward\w*|hand(?:s|ed|ing)?|feed(?:s|ing)?|fed|giv(?:e|es|en|ing)"
    r"|suppl(?:y|ies|ied)|provid\w+|transfer\w*"
    r"|relay\w*|shar(?:e|es|ed|ing)|deliver\w*)"
)
_TO_AGENT = Gated(
    rf"\b{_GIVE}\b[^.;]{{0,120}}?\bto\b[^.;]{{0,40}}?\b(?:{AGENT})\b"
    rf"|\b{_GIVE}\s+(?:(?:the|each|every|all|a|both|its|this|that|next)\s+){{0,2}}(?:[\w-]+\s+){{0,2}}?(?:{AGENT})\b"
    rf"|\b(?:{AGENT})\b[^.;]{{0,40}}?\b(?:gets?|receives?|(?:is|are) (?:given|handed|passed|sent|fed|provided)"
    rf"|passed)\b"
    rf"|(?:传递?给|交给|发送?给|转发?给|提供给|喂给|移交给?)[^，。；]{{0,14}}?(?:{AGENT_ZH})|(?:{AGENT_ZH})(?:会"
    rf"|将)?(?:收到|接收|得到|获得)",
    re.IGNORECASE,
    "agent worker teammate reviewer explorer researcher planner implementer executor analyst critic judge"
    " writer editor drafter translator tester verifier summari helper 代理 智能体 帮手",
    "pass send sent forward hand feed fed giv suppl provid transfer relay shar deliver get receiv 传 交 送 发"
    " 转 提供 喂 移 收 接 得 获",
)
_BACK_VERB = (
    r"(?:returns?|returning|repl(?:y|ies) with|respond(?:s)? with|answers? with|(?:sends?|reports?|hands?|gives?"
    r"|comes?|passes|pass|brings?|writes?) (?:\w+ ){0,3}?back|back with"
    r"|in (?:its|their|the|your) (?:final )?(?:repl(?:y|ies)|answers?|responses?|messages?))"
)
_BACK_NOUN = (
    r"(?:final\s+)?(?:answers?|repl(?:y|ies)|responses?|outputs?|messages?|reports?|results?)\s+(?:must|should"
    r"|has to|have to|is|are|contains?|includes?|holds?|consists?)"
)
_BACK_ZH = (
    r"返回|回复|回传|交回|答复|汇报|回话|[交贴发]上来|(?:贴|带|发|送|拿|搬|抄)回来?|带回|(?:发|交|送"
    r"|贴)(?:给|到)(?:主|你|我)"
)
_ANSWERS = Stems(*"return repl respon answer back message output report result 返 回 交 答 汇报 给 到 上来".split())
_BACK = Gated(
    rf"\b(?:{AGENT})\b[^.;]{{0,100}}?\b{_BACK_VERB}\b|\b(?:{AGENT})(?:['’]s?)?\s+{_BACK_NOUN}\b"
    rf"|\b(?:have|ask|tell|instruct|let|make|want|expect)\b[^.;]{{0,40}}?\b(?:{AGENT}|it"
    rf"|them)\b[^.;]{{0,40}}?\b{_BACK_VERB}\b"
    rf"|(?:{AGENT_ZH})[^。；]{{0,40}}?(?:{_BACK_ZH})",
    re.IGNORECASE,
    _ANSWERS,
)
_BACK_OF_IT = Gated(
    rf"\b(?:it|they|each|its|their|and)\b[^.;]{{0,60}}?\b{_BACK_VERB}\b|^{_BACK_VERB}\b|\b(?:its"
    rf"|their)\s+{_BACK_NOUN}\b|^(?:它|它们|完成后|做完|看完|结束后)[^。；]{{0,30}}?(?:{_BACK_ZH})"
    rf"|^[^。；]{{0,20}}?(?:带|贴|发|送)回|^(?:汇报|回复|返回|答复|交付|交差)时?",
    re.IGNORECASE,
    _ANSWERS,
)
_BACK_IN_PROMPT = re.compile(
    rf"\b(?:{_BACK_VERB}|reports?|quotes?|into your (?:answer|reply|response|report)|in your (?:answer|reply"
    rf"|response|report)|outputs?|prints?|give back|list)\b|{_BACK_ZH}|输出|列出|给出",
    re.IGNORECASE,
)
_AN_AGENT = re.compile(rf"\b(?:{AGENT})\b|{AGENT_ZH}", re.IGNORECASE)
_MILD = re.compile(
    r"\b(?:paths?|links?|file ?names?|titles?|names of|headings?|locations?|urls?|summar\w+|excerpts?|snippets?"
    r"|extracts?|digests?|outlines?|first \d\w*|last \w+"
    r"|at most|no more than|up to|only|just|relevant|short|needed|if small|diffs?|errors?|prompt template"
    r"|templates?|persona\w*|rubric|system prompt|each line|one line|signatures?"
    r"|reads? (?:it|them) (?:itself|themselves)|word count|rules?|constraints?|requests?|requirements?|goals?"
    r"|criteria)\b|路径|摘要|概要|标题|片段|节选|链接|只|仅|前\d|最多|相关|模板|角色|差异|错误|规则|约束|要求|需求"
    r"|\b(?:briefs?|questions?|wish(?:es)?|words|orders?)\b[^.;]{0,12}?\b(?:of|from) the user\b"
    r"|\buser['’]s (?:\w+ )?(?:briefs?|questions?|wish(?:es)?|words|orders?)\b|用户的?(?:原话|请求|目标)",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    rf"\b(?:{EVERY}|files|documents|everything|them|their"
    rf"|(?:{TEXT})(?<=s)(?<!ss)(?<!contents)(?<!analysis)(?<!is)"
    rf"|one (?:after|behind|below) (?:another|the (?:other|next)))\b|(?:{EVERY_ZH})(?!内容|文本)",
    re.IGNORECASE,
)
_WHO = Stems(
    *"agent worker teammate reviewer explorer researcher planner implementer executor analyst critic".split(),
    *"judge writer editor have ask tell instruct let make want expect".split(),
    *"drafter translator tester verifier summari helper prompt brief description message task 代理".split(),
    *"智能体 提示 任务 帮手".split(),
)
_WHAT = re.compile(
    rf"{WHOLE}|{WHOLE_AFTER}|everything|all of|contents|file|text of|source of|dump|seriali|concatenat|join|merg"
    rf"|stitch|glue|string|{WHOLE_ZH}|拼接|合并|序列化|所有",
)
"""Stands in every sentence about a whole text, in lower case without word borders: that is asked first."""
_WHAT_STEMS = Stems(
    *"full entire complete whole raw verbatim unabridged uncut untrimmed unshortened unfiltered word line".split(),
    *"letter start top begin first cover end key field value stand everything all content file text source".split(),
    *"dump seriali concatenat join merg stitch glue string summar abridg trim cut truncat paraphras".split(),
    *"condens abbreviat excerpt shorten leav omit 完 全 整 原 逐 一字 从头 首尾 悉数 一并 一股脑".split(),
    *"照搬 拼接 合并 序列化 所有 总结 概括 删减 省略 压缩 缩写 截断 摘要 裁剪 精简 清理".split(),
    by_line=False,
)
"""The same, and of what `as_meant` takes for `verbatim`."""
_READS = re.compile(
    r"\b(?:reads?|reviews?|analy[sz]es?|scans?|loads?|opens?|stud(?:y|ies)|process(?:es)?|goes through|checks?"
    r"|takes? in)\b[^.;,]*?(?=\s(?:and|then|to|but)\s|[.;,]|$)",
    re.IGNORECASE,
)
_TAKER = re.compile(
    rf"\b(?:{EVERY})\s+(?:[\w-]+\s+){{0,2}}?(?:{AGENT}|{PROMPT})\b|(?:每个|各个?|所有)(?:{AGENT_ZH}|{PROMPT_ZH})",
    re.IGNORECASE,
)
_LONGEST = 1000
_REACH = 2


class Way(StrEnum):
    """Where a text goes."""

    PROMPT = "prompt"
    AGENT = "agent"
    BACK = "back"


@dataclass(frozen=True)
class Conveyance:
    """A sentence at `line` by which the whole of `subject` travels."""

    line: int
    way: Way
    subject: str
    state: bool
    several: bool


@once
def conveyances(file: SkillFile) -> tuple[Conveyance, ...]:
    """Give what a file's prose and prompts say of whole texts that travel, without what they forbid."""
    found = {(item.line, item.way): item for item in (*_in_prose(file), *_in_prompts(file))}
    return tuple(sorted(found.values(), key=lambda item: item.line))


def _in_prose(file: SkillFile) -> Iterator[Conveyance]:
    for statement in sayings(file, _WHO, _REACH):
        text = _may_speak(statement.text)
        if text:
            lead = as_meant(statement.lead)
            way = _way_of(f"{lead} {text}" if lead else text, statement.before)
            if way:
                yield from _conveyed(statement.line, way, text)


def _in_prompts(file: SkillFile) -> Iterator[Conveyance]:
    called = ((number, sentence) for number, line in agent_call_lines(file) for sentence in sentences(line))
    quoted = (place for prompt in quoted_prompts(file) for place in prompt.sentences)
    for number, sentence in (*called, *quoted):
        text = _may_speak(sentence)
        if _BACK_IN_PROMPT.search(text):
            yield from _conveyed(number, Way.BACK, text)


def _may_speak(sentence: str) -> str:
    """Give a sentence as it is meant, where it can speak of a whole text; else nothing."""
    if len(sentence) > _LONGEST or not _WHAT_STEMS.stand_in(sentence):
        return ""
    text = as_meant(sentence)
    return "" if not _WHAT.search(text.lower()) or _MILD.search(text) or force_of(text) is Force.NEVER else text


def _way_of(text: str, before: str) -> Way | None:
    if _BACK.search(text) or (_BACK_OF_IT.search(text) and _AN_AGENT.search(f"{before} {text}")):
        return Way.BACK
    named = "prompt" in text.lower() or "提示" in text or _AN_AGENT.search(f"{before} {text}")
    if named and _IN_PROMPT.search(text) and _PUT.search(text):
        return Way.PROMPT
    return Way.AGENT if _TO_AGENT.search(text) else None


def _conveyed(line: int, way: Way, text: str) -> Iterator[Conveyance]:
    spoken = text if way is Way.AGENT else _READS.sub("", text)
    state = _STATE_OBJECT.search(spoken)
    found = state or _OBJECT.search(spoken) or (_JOINED.search(text) if way is Way.PROMPT else None)
    if found:
        yield Conveyance(line, way, found[0].strip(" ,"), bool(state), bool(_SEVERAL.search(_TAKER.sub("", text))))


def conveyed_texts(file: SkillFile, several: bool) -> Iterator[Conveyance]:
    """Give where a prompt or sub-agent takes one whole text, or several, in sentences that say so in free words.

    A state, counter-examples, and what the narrower readers of `pasting` find are left out.
    """
    told = {found.line for found in (*pastings(file), *passings(file))}
    for item in conveyances(file):
        apart = item.way is not Way.BACK and not item.state and item.line not in told
        if apart and item.several is several and not file.doc.is_counterexample(item.line):
            yield item


def conveyed_states(file: SkillFile) -> Iterator[Conveyance]:
    """Give where a prompt or sub-agent takes the whole state, counter-examples left out."""
    for item in conveyances(file):
        if item.state and item.way is not Way.BACK and not file.doc.is_counterexample(item.line):
            yield item
