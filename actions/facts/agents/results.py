"""What becomes of the answer of a sub-agent: where it is parsed, read or trusted, and whether anything checks it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.agents import words as w
from actions.facts.agents.calls import AgentStep, agent_steps
from actions.skill.code import AGENT_CALLS, PARSERS, Call, CodeFence
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import statements
from actions.skill.stems import Gated, Stems

_CHECKED = Gated(
    w.CHECKED,
    re.IGNORECASE,
    "validat verif check not valid malformed schema fail pars cannot can does if discard damaged corrupt"
    " missing unless ask 校验 验证 核对 检查 解析 不 无效 损坏 缺",
)
_BEFORE, _AFTER = 8, 12
_LONGEST_LINE = 2000
_TEST = r"\b(?:if|elif|unless|assert|while|switch|match|valid\w*|check\w*|ensure\w*|verify\w*)\b[^\n]{{0,80}}\b{name}\b"
_FIELD = (
    r"(?<![\w.$]){name}(?:\.(?!(?:then|catch|finally|length|id|status|ok|error|failed|output|text|result|content"
    r"|data|stdout|message)\b)[A-Za-z_]\w*\b(?!\s*\()|\[[\"']\w+[\"']\])(?!\s*(?:\?\?|\|\|))"
)

_INDEXED = r"\b\w*(?:[Pp]arse|loads|[Dd]ecode|from_?[Jj][Ss][Oo][Nn])\w*\(\s*{name}\s*\)\s*\["
"""Something is taken at once out of what a parse of the answer gives."""


@dataclass(frozen=True)
class Parsed:
    """A parse of what a sub-agent answered: the call that asked, and the call that parses."""

    step: AgentStep
    fence: CodeFence
    parse: Call


def unchecked_parses(skill: Skill) -> Iterator[Parsed]:
    """Give the parses of sub-agents' answers that nothing guards: no try, no test of the answer before."""
    for step in agent_steps(skill):
        if step.fence is None or step.call is None:
            continue
        answer = step.call.assigned
        for parse in step.fence.calls:
            if parse.name in PARSERS and _takes(parse, answer, step) and not _guarded(step, step.fence, parse.line):
                yield Parsed(step, step.fence, parse)


def _takes(parse: Call, answer: str | None, step: AgentStep) -> bool:
    argument = parse.args.strip()
    if answer and parse.line > step.line_end:
        return re.match(rf"(?:await\s+)?{re.escape(answer)}\b(?!\s*\()", argument) is not None
    nested = parse.line <= step.line <= parse.line_end
    return nested and any(argument.removeprefix("await ").startswith(name + "(") for name in AGENT_CALLS)


def _guarded(step: AgentStep, fence: CodeFence, line: int) -> bool:
    if any(block.kind == "try" for block in fence.blocks_over(line)):
        return True
    between = "\n".join(step.file.doc.line(n) for n in range(step.line_end + 1, line))
    name = step.answer
    return bool(name) and re.search(_TEST.format(name=re.escape(name or "")), between) is not None


@dataclass(frozen=True)
class Taken:
    """A field `text` of a sub-agent's answer that is used at `line`."""

    step: AgentStep
    line: int
    text: str


def unchecked_fields(skill: Skill) -> Iterator[Taken]:
    """Give the first field of each answer that is used though nothing looks at the answer before or around it."""
    for step in agent_steps(skill):
        name = step.answer
        if step.fence is None or not name or "." in name:
            continue
        lines = [n for n in range(step.line_end + 1, step.fence.end) if name in step.file.doc.line(n)]
        if not lines:
            continue
        field = re.compile(_FIELD.format(name=re.escape(name)))
        indexed = re.compile(_INDEXED.format(name=re.escape(name)))
        tested = re.compile(_TEST.format(name=re.escape(name)))
        for number in lines:
            line = step.file.doc.line(number)
            if tested.search(line) or f"{name}?." in line or f"{name}.get(" in line:
                break
            match = field.search(line) or indexed.search(line)
            if match:
                if not _guarded(step, step.fence, number) and not is_provided_for(step.file, number):
                    yield Taken(step, number, match[0])
                break


def is_provided_for(file: SkillFile, line: int) -> bool:
    """Tell whether a line near `line` checks what is parsed or taken there, or says what holds for a bad one."""
    return any(_CHECKED.search(file.doc.line(n)) for n in range(max(1, line - _BEFORE), line + _AFTER))


_WHO = re.compile(rf"\b{w.WORKER}|{w.WORKER_CHINESE}|\b(?:reviewer|scout|explorer|analyst)s?\b", re.IGNORECASE)
_WHAT = re.compile(rf"\b{w.ANSWER}\b|\b(?:agent|worker|reader|helper)['’]s\s+\w+|{w.ANSWER_CHINESE}", re.IGNORECASE)
_PARSE = re.compile(r"\b(?:pars(?:e|es|ing)|deserialize|decode)\b|解析", re.IGNORECASE)
_PARSE_WORDS = Stems("pars", "deserialize", "decode", "解析")
_WHATEVER = re.compile(
    r"\bwhat(?:ever)?\b[^.;]{0,40}\b(?:list|name|writ|found|find|say|said|bring|brought|deliver|give|gave"
    r"|come|send|return|answer)",
    re.IGNORECASE,
)
_WORKER_WORDS = Stems("agent", "worker", "teammate", "代理", "智能体", "队友", "scout", "reviewer", "explorer")
_BLINDLY = re.compile(
    r"\bas[- ]is\b|\bas (?:it (?:is|stands|comes)|they (?:are|stand|come))\b|\bblindly\b"
    r"|\b(?:nobody|no one|no-one) (?:looks|checks|reads|verifies|reviews)\b"
    r"|\b(?:trusted|taken|accepted) (?:as true|at face value)\b"
    r"|\bwithout (?:any |further )?(?:check|validat|verif|review|read|look|inspect|question|test)\w*"
    r"|\bwhat(?:ever)? (?:it|they) (?:sends?|returns?|says?|answers?|gives?|finds?)\b[^.;]{0,20}\b(?:take"
    r"|use|copy|paste|believe|trust)\b"
    r"|\b(?:unchecked|unvalidated|unverified)\b|\bno need to (?:check|verify|validate|review)\b"
    r"|\b(?:do not|don['’]t|need not|never) (?:check|validate|verify|review|inspect|question|double-check)\b"
    r"|(?:无需|不必|不用|不需要?|不要|不做|未经|不再)(?:任何)?(?:检查|校验|验证|核对|审查)|原样(?:采用|写入|应用)"
    r"|盲目|什么就(?:抄|用|信|写|采用|记)什么",
    re.IGNORECASE,
)
_FORBIDS = re.compile(rf"\b{w.NOT}\b[^.;,]{{0,40}}$|{w.NOT_CHINESE}[^。，；]{{0,10}}$", re.IGNORECASE)
_PARSES = re.compile(
    r"\b(?:parse|parses|parsed|deserialize|decode|read) [^.;]{0,60}?\b(?:json|yaml)\b|\bjson\.parse\b|解析",
    re.IGNORECASE,
)


_OTHERWISE = re.compile(
    r"(?<!even )\b(?:if|when|unless|should)\b[^.;]{0,40}\b(?:not valid|valid|invalid|malformed|damaged|corrupt"
    r"|broken|(?:no|not) (?:valid )?(?:json|yaml)|fails?|cannot be parsed|does not parse)\b"
    r"|(?:如果|若|一旦)[^。；]{0,16}(?:不合法|无效|损坏|失败|不是(?:合法|有效))",
    re.IGNORECASE,
)
"""What holds for a bad answer."""


def trusting_lines(file: SkillFile) -> Iterator[int]:
    """Give the lines of prose that order to use the answer of a sub-agent without a look at it."""
    for number, sentence in _about_answers(file):
        match = _BLINDLY.search(sentence)
        if match and not _FORBIDS.search(sentence[: match.start()]) and not _CHECKED.search(sentence[: match.start()]):
            yield number


def parsing_lines(file: SkillFile) -> Iterator[int]:
    """Give the lines of prose that order to parse the answer of a sub-agent, where nothing provides for a bad one."""
    for number, sentence in _about_answers(file):
        if _PARSES.search(sentence) and not is_provided_for(file, number):
            yield number


def blind_parses(file: SkillFile) -> Iterator[int]:
    """Give the lines of prose that order to parse something and in the same breath not to check it."""
    for said in statements(file, _PARSE_WORDS):
        told = _PARSE.search(said.text) and not _OTHERWISE.search(file.doc.line(said.line)[:_LONGEST_LINE])
        match = _BLINDLY.search(said.text) if told else None
        if match and not _FORBIDS.search(said.text[: match.start()]) and not file.doc.is_counterexample(said.line):
            yield said.line


@once
def _about_answers(file: SkillFile) -> tuple[tuple[int, str], ...]:
    return tuple(_of_answers(file))


def _of_answers(file: SkillFile) -> Iterator[tuple[int, str]]:
    for said in statements(file, _WORKER_WORDS):
        told = _WHO.search(said.text) and (_WHAT.search(said.text) or _WHATEVER.search(said.text))
        if told and not file.doc.is_counterexample(said.line):
            yield said.line, said.text
