"""Where a skill sets sub-agents to work, in pseudo-code and in prose, and what it says of their failure."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.model import regex as re
from actions.model.code import Block, Call, CodeFence, agent_calls, code_fences, named_arguments
from actions.model.links import is_placeholder
from actions.model.memo import once
from actions.model.skill import Skill, SkillFile
from actions.model.stems import Stems
from actions.model.text import is_chinese

BUILT_IN = frozenset(
    {"general-purpose", "Explore", "Plan", "statusline-setup", "output-style-setup", "claude-code-guide", "claude"}
)
"""The sub-agent types that Claude Code brings along."""

_PROMPT_KEYS = ("prompt", "message", "instructions")
_TYPE_KEYS = ("subagent_type", "agent_type", "agentType", "subagentType")
_OTHER_LIBRARY = frozenset({"expected_output", "backstory", "tools", "model_client", "llm", "handler", "target"})
_TYPE_IN_PROSE = re.compile(r"(?:subagent_type|agent_type)\s*(?:[:=]|\bof\b|\bis\b)?\s*[`\"'“]*([A-Za-z][\w:.-]*)")
_TOOL_IN_PROSE = re.compile(
    r"\b(?:use|using|call|invoke|via|with)\b[^.\n]{0,40}?\b(?:Task|Agent)`?\*{0,2}\s+tool\b"
    r"|(?:使用|调用|通过)\s*[`*]{0,3}(?:Task|Agent)[`*]{0,3}\s*(?:工具|tool)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:use|using|launch|spawn|dispatch|start|run|invoke|call|delegate|hand|create|via)\b|使用|启动|派发"
    r"|派遣|调用|创建|通过|委派",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^(?:\W|\d|[a-z]\)|then\b|next\b|now\b|step\b|and\b|首先|然后|接着)*"
    r"(?:(?:launch|spawn|dispatch|start|run|invoke|delegate|hand|kick off|fan out)\b[^.\n]{0,80}?"
    r"\b(?:sub-?agents?|agents?|teammates?|workers?)\b"
    r"|(?:并行|同时|分别|逐个)?(?:启动|派发|派遣|调用|创建|生成)[^。\n]{0,30}?(?:子代理|子智能体|代理|智能体|agents?\b|worker))",
    re.IGNORECASE,
)
_WORKERS = Stems("agent", "task", "worker", "teammate", "代理", "智能体")
_WHO = re.compile(
    r"\b(?:(?:sub-?)?agents?|workers?|teammates?|tasks?|reviewers?|explorers?|researchers?|implementers?"
    r"|executors?|analysts?"
    r"|branch(?:es)?|dispatch(?:es)?|spawn(?:s|ed|ing)?)\b|代理|智能体|子任务|任务执行|成员|agent|worker|teammate",
    re.IGNORECASE,
)
_ANY_STEP = re.compile(
    r"\b(?:phase|stage|step|execution|analysis|any|exploration|planning|CLI)\b|阶段|步骤|执行|任务|分析", re.IGNORECASE
)
_ERROR_SECTION = re.compile(r"error|fail|exception|recover|fallback|edge case|错误|异常|失败|容错|降级", re.IGNORECASE)
_NEAR = 15
_LONGEST = 50_000
_FAIL_WORDS = Stems(
    *"fail error crash time timing respon never nothing empty not doesn don stuck hang block unavailable".split(),
    *"malformed invalid 失败 超时 无响应 异常 出错 崩溃 报错 未返回 卡住 不可用".split(),
)
_REACT_WORDS = Stems(
    *"retry retri run dispatch spawn launch start skip continue proceed go carry report fall abort stop halt".split(),
    *"escalate ask mark note record log list surface degrade close request resume save return exit treat".split(),
    *"warn notify tell show display again once twice manual inline yourself without drop send follow ensure".split(),
    *"reset use 重试 跳过 继续 上报 报告 降级 终止 停止 通知 询问 记录 回退 标记 重新 改为 告知 忽略 提示".split(),
)
_FAILS = re.compile(
    r"\b(?:fail(?:s|ed|ure|ures|ing)?\b|errors?\b|errored\b|crash(?:es|ed)?\b|tim(?:e|es|ed"
    r"|ing)[ _-]?outs?\b|timeouts?\b"
    r"|unresponsive\b|no response\b|never (?:returns?|answers?|reports?)\b|(?:return|report|answer"
    r"|come)s? (?:nothing|empty|back empty)\b"
    r"|(?:does not|doesn['’]t|do not|don['’]t) (?:return|answer|report|respond|finish|complete)\b|stuck\b"
    r"|hangs?\b|BLOCKED\b"
    r"|unavailable\b|malformed\b|invalid\b)|失败|超时|无响应|异常|出错|崩溃|报错|未返回|卡住|不可用",
    re.IGNORECASE,
)
_REACTS = re.compile(
    r"\b(?:retry|retries|retried|re-?run|re-?dispatch|re-?spawn|re-?launch|re-?start|skip|continue|proceed"
    r"|go on|carry on|report|fall(?:s|ing)? ?back"
    r"|fallback|abort|stop|halt|escalate|ask|mark|note|record|log|list|surface|degrade|close|request|resume"
    r"|save|return|exit|treat|warn"
    r"|notify|tell|show|display|again|once|twice|manual(?:ly)?|inline|yourself|without|drop|send|follow-up"
    r"|ensure|reset|use)\b"
    r"|重试|跳过|继续|上报|报告|降级|终止|停止|通知|询问|记录|回退|标记|重新|改为|告知|忽略|提示",
    re.IGNORECASE,
)
_CODE_TEST = re.compile(
    r"\b(?:if|elif|else if|unless|switch|when|match|assert)\b.{0,120}?"
    r"(?:fail|error|succe|status|time[d_]*_?out|null|None\b|undefined|empty|missing|valid|complete|exists"
    r"|!\s*\w|\bnot\b|!==?|\.ok\b)"
    r"|\b(?:catch|except|rescue|on_?error|on_?failure|allSettled)\b",
    re.IGNORECASE,
)
_TIMED_OUT = re.compile(r"\btimed_?out\b", re.IGNORECASE)
_TELLS = re.compile(
    r"(?:console\.\w+|print|log(?:ger)?(?:\.\w+)?|echo|warn|pass|\.\.\.)\b[^;]*;?\s*$|pass$",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\b(?:retry|re-?run|ask|probe|wait|close|mark|report|list|skip|stop|abort|respawn|send|finali[sz]e|save"
    r"|return|drop|name)\b"
    r"|重试|询问|关闭|标记|上报|跳过|终止|再等|列出",
    re.IGNORECASE,
)
_COMMENT = ("//", "#", "/*", "*")
_DROPS = re.compile(r"\bclose_agent\(|['\"](?:failed|timeout|timed_out|error|skipped)['\"]", re.IGNORECASE)
_REACHES = re.compile(
    r"\b(?:send_input|send_message|followup_task|SendMessage|wait|wait_agent|spawn_agent|resume_agent|Task"
    r"|Agent|AskUserQuestion|request_user_input)\s*\("
    r"|\b(?:return|throw|raise|retry\w*|retries|attempts?)\b",
    re.IGNORECASE,
)
_VAGUE = re.compile(r"\b(?:can|could|may|might|todo|tbd|maybe|optionally)\b|可以|可能|待定", re.IGNORECASE)
_BLANK = re.compile(r"f?(?P<mark>\"\"\"|'''|[\"'`])\s*(?P=mark)")
_LEADS = re.compile(r"orchestrat|coordinat|error|failure|recover|monitor", re.IGNORECASE)


@dataclass(frozen=True)
class AgentStep:
    """One place where a skill sets a sub-agent to work.

    `type` and `prompt` are empty where the text does not say them as literals; a prose step has neither fence nor
    call. `explicit` tells a step that names the tool or the type from one that only speaks of an agent.
    """

    file: SkillFile
    line: int
    line_end: int
    type: str
    prompt: str
    explicit: bool = True
    fence: CodeFence | None = None
    call: Call | None = None

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        return f"`{self.type}`" if self.type else "the sub-agent"


def speaks_chinese(file: SkillFile) -> bool:
    """Tell whether the prose of a file is Chinese: what is added to it speaks that language."""
    return is_chinese("\n".join(line for _, line in file.doc.prose))


@once
def agent_steps(skill: Skill) -> tuple[AgentStep, ...]:
    """Give every step of a skill that sets a sub-agent to work, code and prose, in order."""
    return tuple(step for file in skill.instructions for step in steps_of(file))


def steps_of(file: SkillFile) -> list[AgentStep]:
    """Give the steps of one file in order."""
    return sorted([*_code_steps(file), *_prose_steps(file)], key=lambda step: step.line)


def _code_steps(file: SkillFile) -> Iterator[AgentStep]:
    for fence, call, given in _argued_calls(file):
        kind = next((given[key] for key in _TYPE_KEYS if key in given), "")
        prompt = next((given[key] for key in _PROMPT_KEYS if key in given), "")
        elided = prompt.strip("\"'`") == "..."
        if (kind or prompt) and not elided and not _OTHER_LIBRARY.intersection(given):
            yield AgentStep(file, call.line, call.line_end, _literal(kind), _literal(prompt), True, fence, call)


@once
def _argued_calls(file: SkillFile) -> tuple[tuple[CodeFence, Call, dict[str, str]], ...]:
    """Give the sub-agent calls that are meant to be made, with their named arguments."""
    return tuple(
        (fence, call, named_arguments(call.args[:_LONGEST]))
        for fence, call in agent_calls(file)
        if call.args and not file.doc.is_counterexample(call.line)
    )


def _literal(value: str) -> str:
    """Give the text of a string literal; empty for a variable, a call or a placeholder type."""
    text = value.split("//")[0].strip() if "\n" not in value else value.strip()
    text = text.removeprefix("f") if text[:2] in ('f"', "f'") else text
    mark = next((m for m in ('"""', "'''", "`", '"', "'") if text.startswith(m)), "")
    if not mark or not text.endswith(mark) or len(text) < 2 * len(mark):
        return ""
    inner = text[len(mark) : -len(mark)]
    return "" if " " not in inner and is_placeholder(inner) else inner


def _prose_steps(file: SkillFile) -> Iterator[AgentStep]:
    for number, line in _WORKERS.prose(file):
        if line.lstrip().startswith(("#", "|", ">")):
            continue
        kind = _TYPE_IN_PROSE.search(line) if "_type" in line and _VERB.search(line) else None
        explicit = bool(kind) or bool(_TOOL_IN_PROSE.search(line) if "ool" in line or "工具" in line else None)
        if (explicit or _ORDER.match(line)) and not file.doc.is_counterexample(number):
            yield AgentStep(file, number, number, kind[1].rstrip(".,") if kind else "", "", explicit)


def is_guarded(step: AgentStep, skill: Skill) -> bool:
    """Tell whether a failure of this step is caught, tested for or spoken of."""
    return _guarded_in_code(step) or any(_spoken_of(step, file) for file in _speaks_for(step, skill))


def _spoken_of(step: AgentStep, file: SkillFile) -> bool:
    return any(
        _WHO.search(line)
        or (step.type and step.type in line)
        or (step.file is file and -_NEAR <= number - step.line <= _NEAR + step.line_end - step.line)
        or (_ANY_STEP.search(line) and any(_ERROR_SECTION.search(s.title) for s in file.doc.headings_over(number)))
        for number, line in _failure_lines(file)
    )


@once
def _failure_lines(file: SkillFile) -> tuple[tuple[int, str], ...]:
    """Give the lines of prose that say what to do when something fails."""
    return tuple(
        (number, line)
        for number, line in _FAIL_WORDS.prose(file, _REACT_WORDS)
        if not line.startswith("#") and _FAILS.search(line) and _REACTS.search(line)
    )


def _guarded_in_code(step: AgentStep) -> bool:
    if step.fence is None or step.call is None:
        return False
    if any(block.kind == "try" for block in step.fence.blocks_over(step.line)) or ".catch(" in step.call.tail:
        return True
    doc = step.file.doc
    end = doc.section_at(step.line).end
    return any(_CODE_TEST.search(doc.line(n)) for n in range(step.line_end + 1, end + 1) if doc.fence_at(n) is not None)


def _speaks_for(step: AgentStep, skill: Skill) -> list[SkillFile]:
    if step.file is skill.main:
        return list(skill.instructions)
    leads = [f for f in skill.instructions if f is not step.file and _LEADS.search(f.path)]
    return [step.file, skill.main, *leads]


@dataclass(frozen=True)
class Timeout:
    """A branch `if (x.timed_out)` that does not reach for the agent's work: its fence and its block.

    `idle` tells one that does nothing, or nothing but tell, from one that gives the agent up at once.
    """

    fence: CodeFence
    block: Block
    idle: bool


def weak_timeouts(file: SkillFile) -> Iterator[Timeout]:
    """Give each outermost timeout branch that does nothing, or that only closes the agent or marks it as failed."""
    if "timed_out" not in file.text and "timedOut" not in file.text:
        return
    for fence in code_fences(file, "timed_out", "timedOut"):
        tests = [b for b in fence.blocks if b.kind == "if" and _TIMED_OUT.search(b.head)]
        for block in tests:
            inner = any(b is not block and b.start < block.start <= block.end <= b.end for b in tests)
            if inner or file.doc.is_counterexample(block.start):
                continue
            if _is_idle(file, block):
                yield Timeout(fence, block, idle=True)
            elif _gives_up(file, block):
                yield Timeout(fence, block, idle=False)


def _is_idle(file: SkillFile, block: Block) -> bool:
    for number in range(block.start + 1, block.end + 1):
        line = file.doc.line(number).strip()
        comment = line.startswith(_COMMENT)
        if comment and _DOES.search(line) and not _VAGUE.search(line):
            return False
        if not (comment or _TELLS.match(line) or not line.strip("{}();, ")):
            return False
    return block.end > block.start or bool(re.search(r"\{\s*\}\s*$", block.head))


def _gives_up(file: SkillFile, block: Block) -> bool:
    lines = (file.doc.line(n).strip() for n in range(block.start + 1, block.end + 1))
    body = "\n".join(line for line in lines if not line.startswith(_COMMENT))
    return bool(_DROPS.search(body)) and not _REACHES.search(body)


def blank_prompts(skill: Skill) -> Iterator[AgentStep]:
    """Give the calls whose prompt is written out and empty."""
    for file in skill.instructions:
        for fence, call, given in _argued_calls(file):
            prompt = next((given[key] for key in _PROMPT_KEYS if key in given), None)
            if prompt is not None and _BLANK.fullmatch(prompt.strip()):
                kind = next((given[key] for key in _TYPE_KEYS if key in given), "")
                yield AgentStep(file, call.line, call.line_end, _literal(kind), "", True, fence, call)
