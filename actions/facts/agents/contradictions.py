"""Two orders of one task for a sub-agent of which it can keep only one, and where such tasks stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.agents import words as w
from actions.facts.agents.calls import agent_steps
from actions.facts.agents.forbidding import forbidden_yet_asked
from actions.facts.agents.nesting import is_definition
from actions.facts.agents.quoted import quoted_prompts
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import paragraphs
from actions.skill.stems import Stems

_CHANGE = r"(?:fix|refactor|edit|modify|implement|rewrite|patch|correct|repair|apply|commit)"
_PAIRS = tuple(
    (re.compile(one, re.IGNORECASE | re.MULTILINE), re.compile(other, re.IGNORECASE | re.MULTILINE))
    for one, other in (
        (
            r"\b(?:do not|don['’]t|never|must not)\s+(?:modify|edit|change|touch)\s+(?:any(?:thing)?|the"
            r"|a)?\s*(?:single )?"
            r"(?:files?|code|anything)?\b(?=\s*(?:[.;,\n]|$))|\bread-only\b|\bread only(?=\s*(?:[.;,\n]|$))"
            r"|\bno files? (?:may|must|is to|are to|should) be "
            r"(?:changed|touched|edited|modified)\b|\b(?:change|touch) nothing\b|只读(?=[。；，\n]|$)|只看不动"
            r"|不改(?:任何)?文件"
            r"|文件[一都]?[都个]?不(?:许|得|能|准|要)(?:改|动|碰)|不(?:许|准|得|要)(?:改|动|碰)任何文件"
            r"|(?:不要|禁止|不得)(?:修改|改动"
            r"|编辑)(?:任何)?(?:文件|代码)?(?=[。；，\n]|$)",
            rf"(?:^|[.;]\s+|\b(?:then|and)\s+)\W*(?:\d+[.)]\s*)?{_CHANGE}\b\s+(?:the|all|every|each|any|what|them"
            rf"|it|\w+ing|\$)"
            r"|(?:^|[。；，])(?:并)?(?:修复|改正|重写|修改|提交)(?!建议|意见|方案)"
            r"|\b(?:correct|fix|mend|repair|amend|edit|rewrite|update|overwrite)\b[^.;\n]{0,60}?\b(?:in place"
            r"|straight in|directly in"
            r"|right in|in the file|where (?:it|they) stands?)\b"
            r"|(?:订正|改正|修正|更正|修改|覆盖)(?:进|到|回|掉)|写回(?:原|去)|直接(?:改|订正|修正|修改|更正)"
            r"|顺手(?:改|修|订正)",
        ),
        (
            r"\b(?:no more than|at most|within|in|under|not exceed(?:ing)?|up to)\s+(?:\w+\s+){0,2}?"
            r"(?:half (?:a )?page|(?:one|a(?: single)?|two|1|2|3|three) (?:short )?(?:sentences?|lines?"
            r"|paragraphs?|pages?)|\d{2,3} words)"
            r"|\bbe brief\b|\bone sentence\b|不超过[一二两三四五\d]{1,3}[百十]?\s*个?字|一句话(?:概括|总结)",
            r"\bleave nothing out\b|\bin (?:full|every|great|much) ?(?:detail)?\b(?: for each)?|\b(?:each|every"
            r"|all|entire)\b[^.;\n]{0,30}\bin detail\b"
            r"|\bat least (?:\d{3,}|five hundred|a thousand) words\b|\bexhaustive(?:ly)?\b|\bword for word\b(?!\s*:)"
            r"|\bverbatim\b(?!\s*:)|\b(?:do not|never) (?:omit|shorten|summari[sz]e)\b"
            r"|全部原话|一句也不能少|逐字逐句|逐句保留|完整保留|不得遗漏|不要省略|详尽",
        ),
        (
            r"\b(?:use|with|without|consult) (?:no|any) (?:tools?|sources?|files?|web)\b"
            r"|\bfrom memory(?: alone)?\b|不(?:要|得)(?:使用|调用)(?:任何)?(?:工具|资料)",
            r"\b(?:looked up|look up|search (?:the|for)|cite (?:a|each|every|the)|open (?:the|each)|read (?:the"
            r"|each|every)\b[^.;]{0,20}\bfile)|查(?:阅|证|找|询)|检索",
        ),
        (
            r"\b(?:only|nothing but|just)\s+(?:valid |raw |pure )?(?:JSON|YAML|CSV)\b|\b(?:JSON|YAML|CSV) (?:only"
            r"|and nothing else)\b"
            r"|只(?:回|输出|返回)\s*(?:JSON|YAML|CSV)",
            r"\b(?:begin|start|end|close|finish|add|followed by|together)\b[^.;\n]{0,30}\b(?:summary|paragraph"
            r"|explanation|introduction|prose|Markdown)\b"
            r"|并附(?:上)?(?:说明|解释|总结)|先(?:写|给出)一段",
        ),
        (
            r"\b(?:no|not|never|without)\b[^.;\n]{0,20}\b(?:network|internet)\b|(?:不(?:要|得|许|准)?"
            r"|禁止)(?:联网|上网)",
            r"\b(?:download|(?<!git )fetch|curl|browse|search the (?:web|internet))\b|下载|网上(?:查|搜|找)",
        ),
    )
)  # fmt: skip
_IS_DENIED = re.compile(rf"\b{w.NOT}\s+(?:\w+\s+)?$|(?:{w.NOT_CHINESE}|别|勿|不)[^。；，]{{0,4}}$", re.IGNORECASE)
_INTRO = re.compile(
    rf"(?:\b(?:tell|instruct|ask) (?:it|them|the {w.WORKER}|{w.SURE_WORKER})\b[^:]{{0,20}}:|\b(?:prompt|task"
    rf"|instructions?)\b[^:]{{0,40}}:"
    r"|(?:任务|提示|指令)[^：:。]{0,14}[：:])",
    re.IGNORECASE,
)
_OF_A_QUOTATION = re.compile(
    r"\b(?:quotations?|quotes?|excerpts?)\b[^.;,]{0,24}$|(?:引文|引语|摘录)[^。；，]{0,8}$", re.IGNORECASE
)
"""A limit for a quotation does not clash with its being word for word."""
_TOLD = Stems("tell", "instruct", "ask", "prompt", "task", "任务", "提示", "指令")
_EMPTY = re.compile(
    r"\b(?:empty|blank|no) (?:prompt|instructions?|task)\b|\bwithout (?:a |any )?(?:prompt|instructions?)\b|(?:空"
    r"|空白)(?:的)?(?:提示|任务|指令)|不(?:写|给)(?:任何)?(?:提示|任务|指令)",
    re.IGNORECASE,
)
_NO_EMPTY = re.compile(
    rf"\b(?:{w.NOT}|if|when|reject|avoid)\b[^.;]{{0,40}}$|{w.NOT_CHINESE}[^。，]{{0,10}}$|如果|若", re.IGNORECASE
)


_SHORT = 60
"""Lines of a definition that is read as one task."""


@dataclass(frozen=True)
class Clash:
    """Two clauses of one task that cannot both be kept."""

    file: SkillFile
    line: int
    one: str
    other: str


def clashes(skill: Skill) -> Iterator[Clash]:
    """Give the first clash of each task; a task that is told and quoted counts once."""
    told: set[tuple[str, str, str]] = set()
    for file, line, last, text in (*tasks(skill), *_definitions(skill)):
        found = _paired(text) or forbidden_yet_asked(text)
        if found and (file.path, *found) not in told:
            told.add((file.path, *found))
            begin = found[0].split("\n")[0]
            at = next((n for n in range(line, last + 1) if begin in file.doc.line(n)), line)
            yield Clash(file, at, *(" ".join(clause.split()) for clause in found))


def _definitions(skill: Skill) -> Iterator[tuple[SkillFile, int, int, str]]:
    """Give the bodies of the short definitions of sub-agents: a long one has sections that need not meet."""
    for file in filter(is_definition, skill.instructions):
        body = file.doc.lines[file.doc.body_start - 1 :]
        if len(body) <= _SHORT:
            yield file, file.doc.body_start, len(file.doc.lines), "\n".join(body)


def _paired(text: str) -> tuple[str, str] | None:
    """Give two clauses of a task of which one undoes the other."""
    for one, other in _PAIRS:
        first = next((m for m in one.finditer(text) if not _OF_A_QUOTATION.search(text[: m.start()])), None)
        found = (m for m in other.finditer(text) if not _IS_DENIED.search(text[: m.start()])) if first else iter(())
        second = next(found, None)
        if first and second and not (first.start() <= second.start() < first.end()):
            return first[0].strip(), second[0].strip(" \n.;。；，")
    return None


def tasks(skill: Skill) -> Iterator[tuple[SkillFile, int, int, str]]:
    """Give file, first and last line and text of each task: the prompts in code, what prose tells, what it quotes."""
    for step in agent_steps(skill):
        if step.prompt:
            yield step.file, step.line, step.line_end, step.prompt
    for file in skill.instructions:
        quoted = {prompt.below: prompt for prompt in quoted_prompts(file)}
        yield from ((file, prompt.line, prompt.line_end, prompt.text) for prompt in quoted.values())
        for line, last, text in paragraphs(file, _TOLD):
            intro = _INTRO.search(text)
            if intro and not file.doc.is_counterexample(line):
                below = quoted.get(last)
                rest = text[intro.end() :]
                yield file, line, below.line_end if below else last, f"{rest} {below.text}" if below else rest


def without_task(file: SkillFile) -> Iterator[int]:
    """Give the lines of prose that set a sub-agent to work with no task at all."""
    for line, _, text in paragraphs(file, _TOLD, w.WORKERS):
        match = _EMPTY.search(text)
        if match and not _NO_EMPTY.search(text[: match.start()]) and not file.doc.is_counterexample(line):
            yield line
