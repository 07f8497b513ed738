"""Sentences that have everything read: a place of unknown size, or all of the skill's own files before the work"
" begins."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.concepts import EVERY, WHOLE, WORD_FOR_WORD, as_meant
from actions.skill.links import links, spans
from actions.skill.rules import Force, force_of
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.statements import Statement, statements
from actions.skill.stems import Gated, Stems

_READ = (
    r"(?:re-?)?reads?|reading|loads?|loading|opens?|opening|ingests?|(?:go|goes|going|work|look|page|leaf|plough"
    r"|plow) (?:\w+ )?through|take in|pull in|pore over"
    r"|stud(?:y|ies)|absorb|digest"
)
_READ_ZH = r"读|看[完遍]|阅览|浏览|加载|翻阅|看(?:一遍|完|过)|过一遍|打开"
_BIG = (
    r"repositor(?:y|ies)|repos?|projects?|code ?bases?|workspaces?|monorepos?|source trees?|archives?|(?:shared "
    r"|network )?drives?|mailbox(?:es)?|inbox(?:es)?"
    r"|wikis?|vaults?|knowledge bases?|databases?|trackers?|corpus|corpora|backlogs?|file ?systems?|disks?|sites?"
    r"|checkouts?|working (?:copy|trees?)|collections?|catalogues?|catalogs?|librar(?:y|ies)(?! of)"
)
_BIG_ZH = (
    r"项目|仓库|代码库|工程|资料库|知识库|数据库|档案库?|归档|共享盘|网盘|邮箱|历年|往年|往期|全部历史|题库|文库|素材库"
)
_DIR = r"folders?|director(?:y|ies)|`[\w./-]+/`"
_DIR_ZH = r"目录|文件夹|`[\w./-]+/`"
_ALL_ZH = (
    r"所有|全部|全都|都|整个|每一?[份篇个张封条本]|一[份篇个张封条本]不(?:落|漏|剩)|无一遗漏|逐[一个篇份张封条]"
    r"|悉数|通通|从头到尾|完整|逐一|一一"
)
_EMPHASIS = re.compile(
    rf"\b(?:{WORD_FOR_WORD})\b|\bthere (?:is|are)\b|\bwithout exception\b|\b(?:regardless|whatever|no matter"
    rf"|however)\b|\bone (?:by one|after (?:another|the other))\b"
    r"|\bcompletely\b|\bentirely\b|\bnothing is (?:missed|left out)\b|\beach and every\b"
    r"|\bpage (?:for|by|after) page\b|\buntil you (?:have|know)\b|一遍|不(?:落|漏)|不论|无论|不管|通读"
    r"|全文|读[完遍]|看[完遍]|[心胸]中?里?有[数底]"
    r"|从头到尾|完整",
    re.IGNORECASE,
)
_ENGLISH = Gated(
    rf"\b(?:{_READ})\b(?:\s+(?:in|through|into|at))?\s+(?:(?:the|this|our|your"
    rf"|a)\s+)?(?:{WHOLE})\s+(?:[\w-]+\s+){{0,2}}?(?P<one>{_BIG})\b(?!\s*(?:config|file|name|metadata|struct"
    rf"|layout))"
    rf"|\b(?:{_READ})\b[^.;:]{{0,50}}?\b(?:{EVERY}|everything)\b[^.;:]{{0,60}}?\b(?:in|of|on|under|from|across"
    rf"|throughout|inside)\b[^.;:]{{0,30}}?(?:\b(?P<many>{_BIG})\b|(?P<dir>{_DIR}))"
    rf"|\b(?:{_READ})\b\s+(?:(?:the|this|our|your)\s+)?(?:[\w-]+\s+){{0,2}}?(?P<through>{_BIG})\s+(?:{WORD_FOR_WORD})\b"
    rf"|(?P<named>{_DIR})[^.;:]{{0,30}}?\b(?:{_READ}|look at)\b[^.;:]{{0,12}}?\b(?:{EVERY}"
    rf"|everything)\b[^.;:]{{0,30}}?\bthere(?:in)?\b"
    rf"|\b(?:{EVERY})\b[^.;:]{{0,40}}?\b(?:in|of|on|under|from|across)\b[^.;:]{{0,30}}?(?:\b(?P<passive>{_BIG})\b"
    rf"|(?P<passed>{_DIR}))[^.;:]{{0,20}}?\b(?:is|are|gets?|be)\s+(?:read|loaded|opened)\b",
    re.IGNORECASE,
    "full entire complete whole raw verbatim unabridged uncut untrimmed unshortened unfiltered all every each"
    " both everything word line letter start top begin first cover end key field value",
)
_CHINESE = re.compile(
    rf"(?=.*(?:{_READ_ZH}))(?=.*(?:{_ALL_ZH}))(?=.*?(?:(?P<big>{_BIG_ZH})|(?P<folder>{_DIR_ZH}))).+", re.IGNORECASE
)
_BOUND = re.compile(
    r"\b(?:at most|up to|no more than|first \d|limit|relevant|related|changed|modified|touch\w*|match\w*|need\w*"
    r"|listed|that|which|whose|only|named|file ?names?|names of|titles?|index|list"
    r"|sample|if|when|small|metadata|grep|search\w*|except|summar\w+|(?<!every )(?<!each )one of|headers?"
    r"|paths?|link(?:ed|s)?|section"
    r"|frontmatter|config\w*|instructions?)\b"
    r"|最多|相关|匹配|变更|修改|需要|仅|只|检索|搜索|路径|标题|索引|清单|文件名|挑|如果|若|前\d|\d+ ?[篇份个张]",
    re.IGNORECASE,
)
_NO_BOUND = re.compile(
    r"\bso that\b|\b(?:that|which) (?:you (?:can )?(?:find|see|have)|there (?:is|are)|exists?|(?:is|are) there"
    r"|it (?:has|holds))\b",
    re.IGNORECASE,
)
"""What sounds like a bound and is none."""
_OWN = re.compile(
    r"\b(?:references?|phases?|specs?|templates?|SKILL\.md|this skill)\b|参考资料|阶段文件|本技能", re.IGNORECASE
)
_STEMS = Stems(
    *"read load open ingest through take pull pore stud absorb digest bring have get look 载入 读 阅览".split(),
    *"浏览 加载 翻阅 看 过一遍 打开".split(),
)
_LONGEST = 1000

_OWN_FILES = re.compile(
    r"\breferences?/|\bphases?/|\bspecs?/|\b(?:guides?|manuals?|handbooks?|docs)/|\b(?:references?"
    r"|phases?|specs?|guides?|companion|attached"
    r"|supporting)\s+(?:files?|documents?|docs?|guides?|pages?)\b"
    r"|\b(?:files?|documents?) (?:of|in) this skill\b|\breferences\b|\bphases\b(?= (?:files?|in full))|参考(?:文件|文档"
    r"|资料)|阶段(?:文件|文档)|规范(?:文件|文档)|`(?:references|phases|specs)/`",
    re.IGNORECASE,
)
_UP_FRONT = Gated(
    r"\bbefore (?:you |we |anything|doing|any |the (?:first|work)|start|begin|work)|\bat the (?:very )?(?:start"
    r"|beginning|outset)\b|\bup[- ]?front\b|\bfirst of all\b|\bto begin with\b"
    r"|\bin advance\b|\bpreparation\b|\bstep 0\b|\bnow\b|\bright away\b|\bimmediately\b|\bat once\b|\bin one go\b"
    r"|\bon (?:start(?:up)?|load|invocation)\b|^first\b|^(?:start|begin) by\b"
    r"|开始前|开始之前|动手[之以]?前|首先|一开始|一次性|提前|现在|^先|立即|开工前|上来就|之前，?先",
    re.IGNORECASE,
    "before start begin outset front first advance preparation step now right immediate once go load"
    " invocation 前 首先 一开始 一次性 提前 现在 先 立即 上来",
)
_TAKE = Gated(
    rf"\b(?:{_READ})\b|\b(?:take|bring|have|get)\b[^.;]{{0,80}}\bcontext\b|读|加载|载入|看[一完遍]",
    re.IGNORECASE,
    "read load open ingest through take pull pore stud absorb digest context 读 加载 载入 看",
)
_ALL_OWN = re.compile(
    rf"\b(?:{EVERY}|everything|(?:{WHOLE})(?= set))\b|所有|全部|每[一个份]|一[页本份篇]不[落漏剩]|逐[页本份篇]",
    re.IGNORECASE,
)
_STRESSED = re.compile(
    rf"\b(?:{WORD_FOR_WORD})\b|\b(?:each and every|every one|every single|all of)\b|一[页本份篇]不[落漏剩]"
    rf"|逐[页本份篇]|从头到尾|[每各几]本",
    re.IGNORECASE,
)
_NOTHING_LEFT = re.compile(
    r"\bnone (?:is )?left out\b|\bcover to cover\b"
    r"|\bfrom the (?:first|oldest|earliest|start|beginning)\b[^,;.]{0,30}\bto the\b|\bread it all\b"
    r"|从头[^，。；]{0,3}到尾|一[^，。；]{1,2}不(?:落|漏|剩)",
    re.IGNORECASE,
)
"""What says once more that nothing is left out."""
_FIRST = re.compile(r"\bbefore (?:you|we|anything|answering|writing|beginning|starting)\b", re.IGNORECASE)
_ALL = re.compile(rf"\b(?:{WHOLE}|{EVERY}|everything)\b|所有|全部|整个|每一?[^，。；]", re.IGNORECASE)
_PLACE = re.compile(rf"\b(?:{_BIG}|folders?|director(?:y|ies))\b|`[\w./-]+/`|{_BIG_ZH}|目录|文件夹", re.IGNORECASE)
_BIG_PLACE = re.compile(rf"\b(?:{_BIG})\b|\bread it all\b", re.IGNORECASE)
_ALL_OF_IT = re.compile(r"\b(?:everything|all) (?:that|which) [^,;.]{3,40}(?=[,;.])", re.IGNORECASE)
_AFTERTHOUGHT = re.compile(r"[;；]")
_BY_NEED = re.compile(
    r"\b(?:when|if|as needed|on demand|only|relevant|applicable|that (?:apply|applies|match\w*)|needed"
    r"|(?<!every )(?<!each )one of"
    r"|either|matching|listed|except)\b|需要时|按需|相关|仅|只|如果|当",
    re.IGNORECASE,
)
_FOLDER = re.compile(r"(?<![\w./-])(?:\./)?([a-z][\w-]{1,40}/)(?![\w*{<])")
_FEWEST, _FEWEST_STRESSED = 3, 2


@dataclass(frozen=True)
class Flood:
    """A sentence at `line` that reads without a bound; `text` is what says so, `tokens` what is read where known."""

    line: int
    text: str
    tokens: int = 0


def boundless(file: SkillFile) -> Iterator[Flood]:
    """Give the sentences that have a whole place of unknown size read, without those that forbid or bound it."""
    for statement in statements(file, _STEMS):
        text = as_meant(statement.text) if len(statement.text) <= _LONGEST else ""
        if not text or _OWN.search(text) or force_of(text) is Force.NEVER:
            continue
        if _is_stressed(text):
            yield Flood(statement.line, statement.text.strip()[:120])
            continue
        if (text.isascii() and not _ENGLISH.may_meet(text)) or _BOUND.search(_NO_BOUND.sub(" ", text)):
            continue
        match = _ENGLISH.search(text) or (None if text.isascii() else _CHINESE.match(text))
        if match and (_is_big(match) or _EMPHASIS.search(text)):
            said = match[0] if match[0] in statement.text else statement.text
            yield Flood(statement.line, said.strip()[:120])


def _is_stressed(text: str) -> bool:
    """Tell whether a sentence has a place read, says all, and says again that nothing is left out, in any order."""
    main = _ALL_OF_IT.sub(" everything ", _AFTERTHOUGHT.split(text, maxsplit=1)[0])
    pairs = ((_NOTHING_LEFT, _PLACE), (_FIRST, _BIG_PLACE))
    stressed = any(stress.search(main) and place.search(main) for stress, place in pairs)
    return stressed and bool(_ALL.search(main) and _TAKE.search(main) and not _BOUND.search(main))


def _is_big(match: re.Match[str]) -> bool:
    """Tell whether the place is one of any size; of a folder it must be said that nothing is left out."""
    named = match.groupdict()
    return any(named.get(name) for name in ("one", "many", "through", "passive", "big"))


def at_once(skill: Skill, file: SkillFile) -> Iterator[Flood]:
    """Give the sentences that have all of the skill's own files read before the work begins."""
    for statement in statements(file, _STEMS):
        text = as_meant(statement.text) if len(statement.text) <= _LONGEST else ""
        if not text or not _TAKE.search(text) or not _UP_FRONT.search(text) or _BY_NEED.search(text):
            continue
        if force_of(text) is not Force.NEVER:
            paths = _meant(skill, file, statement, text)
            if len(paths) >= (_FEWEST_STRESSED if _STRESSED.search(text) else _FEWEST):
                yield Flood(statement.line, text[:120], sum(len(skill.by_path[path].text) // 4 for path in paths))


def _meant(skill: Skill, file: SkillFile, statement: Statement, text: str) -> set[str]:
    """Give the files that a sentence names one by one, or all of a kind where it speaks of all."""
    lines = range(statement.line, statement.line + 1 + text.count(" ") // 8)
    targets = (
        skill.resolve(t.target, file.path) for t in (*links(file), *spans(file)) if t.line in lines and t.target in text
    )
    named = {path for path in targets if path is not None and path in skill.by_path and path != file.path}
    if len(named) >= _FEWEST or not (_ALL_OWN.search(text) and _OWN_FILES.search(text)):
        return named
    own = {f.path for f in skill.instructions if f.role in (Role.PHASE, Role.REFERENCE, Role.SPEC) and f is not file}
    folders = tuple(folder for folder in _FOLDER.findall(text) if folder.rstrip("/") in skill.paths)
    others = _OWN_FILES.search(_FOLDER.sub(" ", text))
    return {path for path in own if path.startswith(folders)} if folders and not others else own
