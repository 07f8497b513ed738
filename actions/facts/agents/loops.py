"""Loops that wait or try again, in pseudo-code and in prose, and whether anything bounds them."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from actions.facts.own import teaches
from actions.skill.code import AGENT_MARKS, Block, CodeFence, code_fences, starts_agent
from actions.skill.skill import Skill, SkillFile
from actions.skill.stems import Gated, Stems

_MOST = 100
_LONGEST_BODY = 40
_KINDS = ("while", "until", "do", "loop", "repeat", "for")
_LOOP_WORDS = ("while", "until", "loop", "LOOP", "do {", "for {", "for (;", "for(;", "repeat")
_FOR_EVER = re.compile(r"\(?\s*;\s*;\s*\)?\s*\{?\s*$|\{\s*$|\b\w+\s+in\s+(?:itertools\.)?count\(")
_HARNESS = re.compile(
    r"\b(?:Task|Agent|spawn_agent|wait_agent|wait|send_input|TaskOutput|BashOutput|TaskGet|TaskList|Bash|bash"
    r"|Read|Write|Edit|Glob|Grep"
    r"|Skill|AskUserQuestion|TodoWrite|mcp__\w+)\s*\("
)
_SLEEPS = re.compile(r"\b(?:sleep|setTimeout|delay)(?:_?\w*)\b|timeout /t", re.IGNORECASE)
_CALLS = re.compile(r"[A-Za-z_]\w*\(|\b(?:run|fix|mend|test|check|ask|dispatch|call|launch)\s+\w", re.IGNORECASE)
_NO_CODE = frozenset({"markdown", "md", "json", "yaml", "yml", "html", "xml", "toml", "ini", "csv", "diff", "mermaid"})
_LEAVES = re.compile(r"\b(?:break|return|exit)\b", re.IGNORECASE)
_SHELL = frozenset({"bash", "sh", "shell", "zsh", "console"})
_WAITS = re.compile(
    r"\b(?:sleep|wait\w*|poll\w*|retry|retries|Task|Agent|spawn_agent|send_input|TaskOutput|BashOutput|TaskGet"
    r"|TaskList|Bash|bash"
    r"|check\w*|get_?status)\s*\(|\bsleep \d|timeout /t",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"^\W*(?:true|1)\b|(?<![=<>])!\s*[\w(\[]|!==?|\bnot\b|\b(?:fail\w*|pending|running|busy|incomplete"
    r"|unfinished|dirty|red|broken|errors?)\b"
    r"|^\s*:?\s*$|\buntil\b|\[\s*!|^\s*!",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b\w*(?:max|limit|attempt|retr|tries|iter|round|count|cycle|pass|elapsed|deadline|timeout|budget|poll|i|n"
    r"|depth|seconds?|minutes?)\w*(?:\.\w+|\(\))*"
    r"\s*(?:<=?|>=?|==|-l[te]|-g[te])\s*[\w$\"'.]+"
    r"|\b(?:for|of|in)\s+range\b|(?:<=?|>=?)\s*\$?\{?\w*(?:max|limit|deadline|timeout|budget)\w*|\btimeout \d"
    r"|SECONDS|\b(?:\d+|two|three|four|five) times\b|\bat most\b",
    re.IGNORECASE,
)
_USER = re.compile(r"AskUserQuestion|request_user_input|ask_user|\buser\b|用户", re.IGNORECASE)
_DRAINS = re.compile(
    r"\.(?:length|size|(?:is_?)?[eE]mpty\(\))|\blen\(|\bqueue\b|\bstack\b|\bremaining\b|\bhas(?:_next|Next|More)"
    r"|\bread\b|\biter\w*\b|\bcursor\b|\beof\b|\bnext\(",
    re.IGNORECASE,
)

_AGAIN = (
    r"(?:re-?try|re-?tries|re-?run|re-?execute|re-?test|re-?validate|re-?check|try again|repeat(?:s|ed)?|loops?"
    r"|iterate"
    r"|re-?dispatch|re-?generate|re-?fetch|re-?submit|refresh|polls?|ping|cycle"
    r"|keeps? (?:on )?[a-z-]{2,20}ing|over and over|again and again|time and again|round after round|do not give up"
    r"|go(?:es)? (?:on|round)(?: and (?:on|round))? like (?:this|that)"
    r"|(?:go|goes|come|return|jump|start)(?: back)? (?:to|at|over|from) (?:step|phase|the (?:start|top))\b"
    r"[^.;]{0,12}?"
    r"|(?:check|look|ask|wait|try|start|begin)(?:ing)? (?:it |them )?(?:again|back|anew|repeatedly|periodically))"
)
_GAP = r"(?:[^.!?。！？]|[.!?](?=\w))"
_UNTIL = r"(?:until|till|as long as|while (?:it|they|the|any|there)\b[^.;]{0,30}?\b(?:not|still|fails?|un))"
_ENDLESS = (
    r"(?:forever|indefinitely|endlessly|without (?:a |any )?(?:limit|end)|with no limit"
    r"|no matter how (?:long|often|many)"
    r"|as (?:many times|often|long) as (?:needed|necessary|it takes|required)|for as long as"
    r"|however (?:long|often|many)(?: \w+)? (?:it )?tak\w+)"
)
_AGAIN_CHINESE = (
    r"(?:重试|轮询|重[写做画]|重跑|重复|反复|循环|再次|重新|再[试验查做跑看问等检]|接着[再试查]"
    r"|继续[试查等]|不断|持续|回到"
    r"|返回第?"
    r"|往复|周而复始|每隔?[^，。；]{0,6}?(?:秒钟?|分钟)(?:查|看|问|检))"
)
_PROSE_LOOP = Gated(
    rf"\b{_AGAIN}\b{_GAP}{{0,160}}?\b{_UNTIL}\b|\b{_UNTIL}\b{_GAP}{{0,120}}?,\s*(?:then\s+)?{_AGAIN}\b"
    rf"|\b{_AGAIN}\b{_GAP}{{0,60}}?\b{_ENDLESS}\b|\b(?:wait|block|hold)\b{_GAP}{{0,60}}?\b{_ENDLESS}"
    rf"|\b(?:check|query|look at|ping|polls?|asks?|run|call|fetch|request|read|get)\b{_GAP}{{0,80}}?"
    r"\bevery\s+(?:\w+\s+)?(?:seconds?|minutes?)\s+(?:until|and (?:does|do) not (?:go|move|proceed))\b"
    rf"|\b(?:as long as|while)\b{_GAP}{{0,60}}?,\s*(?:then\s+)?(?:have|let|make|get)\b{_GAP}{{0,60}}?"
    r"\b(?:again|anew|once more)\b"
    r"|\b(?:continue|carry on|go on)\b[^.;]{0,30}?\buntil\s+(?:it|they|there|the \w+)\s+"
    r"(?:report|pass|succeed|show|ha[sv]e? no|are no|is no|find)\w*"
    rf"|\b(?:do not|don['’]t|never) (?:stop|rest|give up|quit)\b{_GAP}{{0,20}}?\b(?:before|until|till|unless)\b"
    r"[^.;]{0,40}?\b(?:green|pass\w*|succe\w+|clean|works?|fixed|healthy|up)\b"
    r"|\bkeeps? (?:on )?(?:asking|checking|polling|looking|pinging|trying)\b[^.;]{0,60}?\bevery (?:few "
    r"|couple of |\d+ )?"
    r"(?:seconds?|minutes?)"
    rf"|\bsleep\b{_GAP}{{0,60}}?\b(?:until|and (?:check|try|look) again)\b"
    r"|\b(?:loop|cycle|go round)\b[^.;]{0,40}?\bas long as\b"
    r"|(?:一直|不断|反复|持续)[^。；，！]{0,8}?[查试等看问跑][^。；，！]{0,4}?[到至][^。；！]{1,20}?为止"
    r"|(?:一直|不断|反复|持续|循环|无限)(?:地)?(?:重试|轮询|尝试|检查|重跑|运行|执行|修复|等待)"
    rf"|{_AGAIN_CHINESE}[^。；;！]{{0,40}}?直[到至]"
    r"|每\s*(?:隔)?\s*[\d一二两三四五十几]+\s*(?:秒钟?|分钟)[^。；;！]{0,30}?直[到至]"
    r"|直到[^。；;！]{1,40}?(?:为止)?[^。；;！]{0,12}?(?:重试|轮询|重跑|重新)"
    rf"|{_AGAIN_CHINESE}[^。；;！]{{0,40}}?(?:什么时候|何时|不限次数|没有次数|无次数|不设上限|为止)",
    re.IGNORECASE,
    "until till long while forever indefinitely endlessly limit without matter often many however minute"
    " second sleep before unless 一直 不断 反复 持续 循环 无限 直 什么时候 何时 不限 没有 无次 不设 为止",
)
_PROSE_BOUND = re.compile(
    r"\b(?:max(?:imum)?|at most|up to|no more than|not more than|limit(?:ed)?|cap(?:ped)?|attempts?"
    r"|(?<!first )(?<!second )(?<!third )(?<!next )(?<!same )(?<!this )(?<!last )times?"
    r"|rounds?|iterations?|tries|retries|cycles?"
    r"|(?:\d+|two|three|four|five) passes"
    r"|timeouts?|times? out|minutes?|seconds|hours?|min|give up|gives? up|once|twice|thrice|budget"
    r"|deadline|bounded|user|stuck|escalate)\b"
    r"|\d\s*(?:x|×|s|m|ms)\b|\bor (?:after|stop|until|you|no|the)\b"
    r"|最多|至多|上限|不超过|超时|次|轮(?!询)|分钟|秒|用户|放弃|终止|为限",
    re.IGNORECASE,
)
_AGAIN_WORDS = Stems(
    *"try tries retries run execute fetch submit time round test validate check".split(),
    *"repeat loop iterate dispatch generate poll ping query".split(),
    *"keep look ask wait sleep over again refresh return back continue cycle start block hold carry give".split(),
    *"go goes come jump stop rest quit call request read get anew once".split(),
    *"一直 不断 反复 持续 重试 轮询 尝试 检查 重跑 重写 重做 重画 运行 执行 修复 等待 重复 循环 重新".split(),
    *"反复 再 往复 周而复始 接着 继续 不断 回到 返回 每".split(),
)
_WORDS = Stems(
    *"until till every before forever indefinitely endlessly without limit many often long sleep while again".split(),
    *"however matter unless".split(),
    *"一直 不断 反复 持续 循环 无限 直到 直至 什么时候 何时 不限 不设 无次数 没有次数 为止".split(),
)
_PACE = re.compile(
    r"\b(?:every|each|per)\s+(?:\d+|few|couple of|\w+)?\s*(?:seconds?|minutes?|s|min|time)\b|\btime\b|\beach time\b"
    r"|\bgo(?:es)? round\b|\b(?:once|one time) more\b|\bmore than once\b|\bat once\b|\btime and again\b"
    r"|\bno(?:t any)? (?:limit"
    r"|timeout|deadline|cap)\b|\bas many times\b"
    r"|\bhowever (?:many|often) (?:times|rounds)\b"
    r"|没有(?:次数)?(?:上限|限制)|不限次数|不设上限|无次数"
    r"|\bone at a time\b"
    r"|\b(?:wait|sleep|pause)(?:s|ing)?\s+(?:for\s+)?(?:an?\s+)?\w+\s+(?:seconds?|minutes?)(?=,?\s+(?:and|then"
    r"|before|between)\b)"
    r"|\b(?:if|when|whenever|on)\b[^,.;]{0,40}\btim(?:es?|ed)?[ -]?outs?\b[^,.;]{0,20},\s*"
    r"(?=(?:wait|keep|re-?try|try again|repeat)\b)"
    r"|超时(?:的话|时|后|了)?[，,]?(?=(?:就|则|便)?(?:一直|不断|反复|持续|循环|无限|重试))"
    r"|等(?:待)?\s*[\d一二三五十几]+\s*(?:秒钟?|分钟)(?=[，,]?(?:再|后|然后))"
    r"|每(?:隔)?\s*[\d一二两三五十几]*\s*(?:秒钟?|分钟)|一次|每次|再次|首次"
    r"|\b(?:\d+|two|three|five|ten)\s+\w+\s+at least\b|\bat least\s+(?:\d+|once|twice|two|three|five|ten)(?:\s+\w+)?"
    r"|至少\s*[\d一二两三五十]+\s*[次轮]",
    re.IGNORECASE,
)
_BOUND_SOMEWHERE = re.compile(
    r"\bmax(?:imum)?[_ -]?(?:number of )?\w*(?:iter|attempt|retr|round|cycle|tries|poll)",
    re.IGNORECASE,
)
_HARD = re.compile(
    r"\b(?:pass\w*|green|succe\w+|ready|available|respon\w+|done|complet\w+|finish\w*|exists?|errors?|fail\w*"
    r"|up|through|healthy|200|valid\w*|clean|fixed|works?"
    r"|forever|indefinitely|endlessly)\b|通过|成功|完成|就绪|错误|返回|存在|正常|响应|一直|无限",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:every|each|all)\b(?! (?:\w+ )?(?:seconds?|minutes?|hours?))[^.;]{0,40}\b(?:been|was|were|is|are)\s+"
    r"(?:visited|processed|handled|covered|read|seen|listed|done|assigned|placed|answered)\b"
    r"|\b(?:none|nothing|no \w+)\s+(?:is|are|remains?)\s*(?:left|remaining)?\b(?= left|\.|$|,)"
    r"|\bis (?:empty|exhausted)\b"
    r"|\bend of (?:the )?(?:file|list|page)|处理完|读完|全部处理|遍历完|为空",
    re.IGNORECASE,
)
_STOPS = (".", "!", "?", ":", "。", "！", "？", "：")
_NEW_BLOCK = re.compile(r"\s*(?:[-*+>|#]|\d+[.)])")
_ENDS = re.compile(r"[.!?。！？](?:\s|$)")
_SENTENCE = re.compile(r"(?:[^.!?。！？|]|[.!?](?!\s|$))+[.!?。！？]*")


@dataclass(frozen=True)
class CodeLoop:
    """A loop that waits for an outcome or tries again: its fence, its block, and whether it sleeps, is bounded and
    asks the user in each round."""

    fence: CodeFence
    block: Block
    sleeps: bool
    bounded: bool
    asks: bool = False

    @property
    def in_shell(self) -> bool:
        """Whether a shell runs it, so that the tool's own timeout ends it."""
        return self.fence.lang in _SHELL


def code_loops(file: SkillFile, skill: Skill) -> Iterator[CodeLoop]:
    """Give the loops in the skill's own pseudo-code and the shell loops that sleep or start a model.

    Own is a fence that calls the model's tools, and each fence of a skill that teaches no library. At most 100.
    """
    if any(word in file.text for word in (*_LOOP_WORDS, *AGENT_MARKS)):
        loops = (loop for loop in _all_loops(file, teaches(skill)) if not file.doc.is_counterexample(loop.block.start))
        yield from islice(loops, _MOST)


def _all_loops(file: SkillFile, taught: bool) -> Iterator[CodeLoop]:
    for fence in code_fences(file, *_LOOP_WORDS, *AGENT_MARKS):
        shell = fence.lang in _SHELL
        own = bool(_HARNESS.search(fence.text)) or any(map(starts_agent, fence.calls))
        if not (shell or own or (fence.lang not in _NO_CODE and not taught)):
            continue
        for block in fence.blocks:
            loop = _read(file, fence, block, own) if block.kind in _KINDS else None
            if loop and (loop.sleeps or not shell or "claude " in fence.text):
                yield loop
            if own and block.kind in ("def", "function", "async") and _calls_itself(file, fence, block):
                yield CodeLoop(fence, block, sleeps=False, bounded=False)


def _read(file: SkillFile, fence: CodeFence, block: Block, own: bool) -> CodeLoop | None:
    last = min(block.end, fence.end)
    body = "\n".join(
        file.doc.line(n).strip() for n in range(block.start + 1, min(last, block.start + _LONGEST_BODY) + 1)
    )
    if not own and block.head.strip(" :({)") in ("True", "true", "1") and not _LEAVES.search(body):
        return None
    head = block.head + (" " + file.doc.line(last) if block.kind in ("do", "repeat") else "")
    if block.kind == "for" and not _FOR_EVER.match(head.strip()):
        return None
    text = head + "\n" + body
    wanted = block.kind in ("until", "loop", "do", "repeat", "for") or _OUTCOME.search(head)
    if not wanted or _DRAINS.search(head) or not (_WAITS.search(text) or _CALLS.search(text)):
        return None
    if fence.lang in _SHELL and not _WAITS.search(text) and "claude " not in text:
        return None
    asks = bool(_USER.search(text))
    return CodeLoop(fence, block, bool(_SLEEPS.search(text)), asks or bool(_COUNTED.search(text)), asks)


def _calls_itself(file: SkillFile, fence: CodeFence, block: Block) -> bool:
    """Tell whether a function that sets a sub-agent to work calls itself and counts nothing."""
    name = re.search(r"(?:(?:def|function)\s+)?([A-Za-z_]\w*)\s*\(", block.head.removeprefix("function "))
    inner = [call for call in fence.calls if block.start <= call.line <= block.end]
    if name is None or not any(map(starts_agent, inner)):
        return False
    body = "\n".join(file.doc.line(n) for n in range(block.start, block.end + 1))
    again = any(call.name == name[1] and call.line > block.start for call in inner)
    return (
        again and not _COUNTED.search(body) and not re.search(r"[-+]\s*1\b|\b(?:tries|attempts?|retries|depth)\b", body)
    )


@dataclass(frozen=True)
class ProseLoop:
    """A sentence that orders to wait or try again without a bound, and its place in the line.

    `hard` tells an outcome that a machine decides (tests pass, a server is up) from a matter of taste.
    """

    line: int
    start: int
    end: int
    hard: bool


def endless_sentences(file: SkillFile) -> Iterator[ProseLoop]:
    """Give the sentences that order to poll or to retry until something is so, with no bound in or after them."""
    lines = file.doc.prose
    again = {number for number, _ in _AGAIN_WORDS.prose(file)}
    for number, line in _WORDS.prose(file):
        if not {number, number - 1} & again or line.lstrip().startswith("#") or file.doc.is_counterexample(number):
            continue
        place = bisect_left(lines, (number, ""))
        head = _wrapped(lines, place)
        match = _PROSE_LOOP.search(head + line)
        if (
            match is None
            or match.end() <= len(head)
            or _FINITE.search((head + line)[match.start() :])
            or _DENIED.search((head + line)[: match.start()][-40:])
        ):
            continue
        after = lines[place + 1][1] if place + 1 < len(lines) and lines[place + 1][0] <= number + 2 else ""
        after = "" if after.lstrip().startswith("#") else after
        before = lines[place - 1][1] if place and lines[place - 1][0] == number - 1 else ""
        if _BOUND_SOMEWHERE.search(file.text):
            return
        if not _PROSE_BOUND.search(_PACE.sub(" ", f"{before} {line} {after}")):
            hard = _HARD.search(head + line, match.start(), match.end() + 60)
            yield ProseLoop(number, *_sentence_of(line, max(0, match.start() - len(head))), bool(hard))


def _wrapped(lines: Sequence[tuple[int, str]], place: int) -> str:
    """Give the line above with a blank, where a sentence runs on from it and ends in this one; else nothing."""
    number, line = lines[place]
    above, head = lines[place - 1] if place else (0, "")
    runs_on = above == number - 1 and head.strip() and not head.rstrip().endswith(_STOPS)
    if not runs_on or _NEW_BLOCK.match(line) or head.lstrip().startswith(("#", "|")) or not _ENDS.search(line):
        return ""
    return head.rstrip() + " "


_DENIED = re.compile(
    r"\b(?:do not|don['’]t|never|avoid|instead of|rather than|no)\b[^.:;]*$|不要|禁止|避免|而不是",
    re.IGNORECASE,
)


def _sentence_of(line: str, at: int) -> tuple[int, int]:
    for match in _SENTENCE.finditer(line):
        if match.start() <= at < match.end():
            return match.start(), match.end()
    return 0, len(line)
