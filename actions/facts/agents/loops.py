"""Loops that wait or try again, in pseudo-code and in prose, and whether anything bounds them."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from actions.model import regex as re
from actions.model.code import Block, CodeFence, code_fences
from actions.model.skill import SkillFile
from actions.model.stems import Stems

_MOST = 100
_KINDS = ("while", "until", "do", "loop")
_LOOP_WORDS = ("while", "until", "loop", "do {")
_HARNESS = re.compile(
    r"\b(?:Task|Agent|spawn_agent|wait_agent|wait|send_input|TaskOutput|BashOutput|TaskGet|TaskList|Bash|bash"
    r"|Read|Write|Edit|Glob|Grep"
    r"|Skill|AskUserQuestion|TodoWrite|mcp__\w+)\s*\("
)
_SLEEPS = re.compile(r"\b(?:sleep|setTimeout|delay)(?:_?\w*)\b|timeout /t", re.IGNORECASE)
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
    r"|SECONDS",
    re.IGNORECASE,
)
_USER = re.compile(r"AskUserQuestion|request_user_input|ask_user|\buser\b|用户", re.IGNORECASE)
_DRAINS = re.compile(
    r"\.(?:length|size|isEmpty\(\))|\blen\(|\bqueue\b|\bremaining\b|\bhas(?:_next|Next|More)|\bread\b",
    re.IGNORECASE,
)

_AGAIN = (
    r"(?:re-?try|re-?tries|re-?run|re-?execute|re-?test|re-?validate|re-?check|try again|repeat|loop|iterate"
    r"|re-?dispatch|re-?generate|poll|ping"
    r"|keep (?:on )?[a-z-]{2,20}ing"
    r"|(?:check|look|ask|wait) (?:again|back|repeatedly|periodically))"
)
_GAP = r"(?:[^.!?。！？]|[.!?](?=\w))"
_PROSE_LOOP = re.compile(
    rf"\b{_AGAIN}\b{_GAP}{{0,160}}?\buntil\b|\buntil\b{_GAP}{{0,120}}?,\s*{_AGAIN}\b"
    rf"|\b(?:re-?try|re-?run|try again|repeat|poll|keep (?:trying|polling|retrying|checking))\b{_GAP}{{0,60}}?"
    r"\b(?:forever|indefinitely|endlessly|without (?:a )?limit|as (?:many times|often|long) as (?:needed"
    r"|necessary|it takes|required))\b"
    rf"|\b(?:check|query|look at|ping|poll)\b{_GAP}{{0,80}}?\bevery\s+(?:\d+\s+|few\s+)?(?:seconds?|minutes?)\s+until\b"
    rf"|\bsleep\b{_GAP}{{0,60}}?\b(?:until|and (?:check|try|look) again)\b"
    r"|(?:一直|不断|反复|持续|循环|无限)(?:地)?(?:重试|轮询|尝试|检查|重跑|运行|执行|修复|等待)|(?:重试|轮询|重跑|重复|循环|再次执行|重新运行)[^。；;！]{0,40}?直到"
    r"|直到[^。；;！]{1,40}?(?:为止)?[^。；;！]{0,12}?(?:重试|轮询|重跑|重新)",
    re.IGNORECASE,
)
_PROSE_BOUND = re.compile(
    r"\b(?:max(?:imum)?|at most|up to|no more than|not more than|limit(?:ed)?|cap(?:ped)?|times?|attempts?"
    r"|rounds?|iterations?|tries|retries|cycles?"
    r"|passes|timeouts?|times? out|minutes?|seconds?|hours?|min|give up|gives? up|once|twice|thrice|budget"
    r"|deadline|bounded|user|stuck|escalate)\b"
    r"|\d\s*(?:x|×|s|m|ms)\b|\bor (?:after|stop|until|you|no|the)\b"
    r"|最多|至多|上限|不超过|超时|次|轮(?!询)|分钟|秒|用户|放弃|终止|为限",
    re.IGNORECASE,
)
_AGAIN_WORDS = Stems(
    *"try tries retries run execute test validate check repeat loop iterate dispatch generate poll ping query".split(),
    *"keep look ask wait sleep 重试 轮询 尝试 检查 重跑 运行 执行 修复 等待 重复 循环 重新".split(),
)
_WORDS = Stems(
    *"until forever indefinitely endlessly without many often long sleep 一直 不断 反复 持续 循环 无限 直到".split()
)
_PACE = re.compile(
    r"\b(?:every|each|per)\s+(?:\d+|few|couple of)?\s*(?:seconds?|minutes?|s|min|time)\b|\btime\b|\beach time\b"
    r"|\bone at a time\b"
    r"|\b(?:wait|sleep|pause)(?:s|ing)?\s+(?:for\s+)?(?:an?\s+)?\w+\s+(?:seconds?|minutes?)(?=,?\s+(?:and|then|before|between)\b)"
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
_STOPS = (".", "!", "?", ":", "。", "！", "？", "：")
_NEW_BLOCK = re.compile(r"\s*(?:[-*+>|#]|\d+[.)])")
_ENDS = re.compile(r"[.!?。！？](?:\s|$)")
_SENTENCE = re.compile(r"(?:[^.!?。！？|]|[.!?](?!\s|$))+[.!?。！？]*")


@dataclass(frozen=True)
class CodeLoop:
    """A loop that waits for an outcome or tries again: its fence, its block, and whether it sleeps and is"
    " bounded."""

    fence: CodeFence
    block: Block
    sleeps: bool
    bounded: bool

    @property
    def in_shell(self) -> bool:
        """Whether a shell runs it, so that the tool's own timeout ends it."""
        return self.fence.lang in _SHELL


def code_loops(file: SkillFile) -> Iterator[CodeLoop]:
    """Give the loops in the skill's own pseudo-code (fences that call its tools) and shell loops that sleep.

    At most 100 of a file.
    """
    if any(word in file.text for word in _LOOP_WORDS):
        loops = (loop for loop in _all_loops(file) if not file.doc.is_counterexample(loop.block.start))
        yield from islice(loops, _MOST)


def _all_loops(file: SkillFile) -> Iterator[CodeLoop]:
    for fence in code_fences(file, *_LOOP_WORDS):
        shell = fence.lang in _SHELL
        if not (shell or _HARNESS.search(fence.text)):
            continue
        for block in fence.blocks:
            loop = _read(file, fence, block) if block.kind in _KINDS else None
            if loop and (loop.sleeps or not shell):
                yield loop


def _read(file: SkillFile, fence: CodeFence, block: Block) -> CodeLoop | None:
    last = min(block.end, fence.end)
    body = "\n".join(file.doc.line(n) for n in range(block.start + 1, last + 1))
    head = block.head + (" " + file.doc.line(last) if block.kind == "do" else "")
    text = head + "\n" + body
    wanted = block.kind in ("until", "loop", "do") or _OUTCOME.search(head)
    if not wanted or _DRAINS.search(head) or not _WAITS.search(text) or _USER.search(text):
        return None
    return CodeLoop(fence, block, bool(_SLEEPS.search(text)), bool(_COUNTED.search(text)))


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
        if match is None or match.end() <= len(head) or _DENIED.search((head + line)[: match.start()][-40:]):
            continue
        after = lines[place + 1][1] if place + 1 < len(lines) and lines[place + 1][0] <= number + 2 else ""
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
    r"\b(?:do not|don['’]t|never|avoid|instead of|rather than|no)\b[^.]*$|不要|禁止|避免|而不是",
    re.IGNORECASE,
)


def _sentence_of(line: str, at: int) -> tuple[int, int]:
    for match in _SENTENCE.finditer(line):
        if match.start() <= at < match.end():
            return match.start(), match.end()
    return 0, len(line)
