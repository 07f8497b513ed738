"""Whether the failure of a sub-agent is caught, tested for or spoken of."""

import re

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.facts.agents.wrappers import wrappers
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import paragraphs
from actions.skill.stems import Stems

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
_FAIL_WORDS = Stems(
    *"fail error crash time timing respon never nothing empty not doesn don stuck hang block unavailable".split(),
    *"malformed invalid silent quiet missing wrong dies no without unusable".split(),
    *"没有 没回 不成样 没返 没结 无返回 为空 为零 失败 超时 无响应 异常 出错 崩溃 报错 未返回 卡住 不可用".split(),
)
_REACT_WORDS = Stems(
    *"retry retri run dispatch spawn launch start skip continue proceed go carry report fall abort stop halt".split(),
    *"escalate ask mark note record log list surface degrade close request resume save return exit treat".split(),
    *"warn notify tell show display again once twice manual inline yourself without drop send follow ensure".split(),
    *"reset use 重试 跳过 继续 上报 报告 降级 终止 停止 通知 询问 记录 回退 标记 重新 改为 告知 忽略 提示".split(),
    *"say name mention leave left instead hand do 自己 自行 用户 人工 重派 补 换".split(),
)
_FAILS = re.compile(
    r"\b(?:fail(?:s|ed|ure|ures|ing)?\b|errors?\b|errored\b|crash(?:es|ed)?\b|tim(?:e|es|ed"
    r"|ing)[ _-]?outs?\b|timeouts?\b"
    r"|unresponsive\b|no response\b|never (?:returns?|answers?|reports?)\b|(?:return|report|answer"
    r"|come)s? (?:nothing|empty|back empty)\b"
    r"|(?:does not|doesn['’]t|do not|don['’]t|never|fails? to) "
    r"(?:return|answer|report|respond|reply|finish|complete|come back|deliver|produce)\b|stuck\b"
    r"|hangs?\b|BLOCKED\b|goes (?:silent|quiet|missing|wrong)\b|dies\b|no (?:answer|reply|result|output)\b"
    r"|without (?:an? )?(?:answer|reply|result)\b|(?:answer|reply|result|output) is (?:missing|empty|unusable)\b"
    r"|(?:table|list|page|file) is (?:missing|empty)\b|goes? wrong\b|\bdo(?:es)? not come back\b"
    r"|unavailable\b|malformed\b|invalid\b)|失败|为零|超时|无响应|异常|出错|崩溃|报错|未返回|没有?(?:返回|结果"
    r"|回音|回话|回应|回复)|不成样|无返回|卡住|不可用|为空",
    re.IGNORECASE,
)
_REACTS = re.compile(
    r"\b(?:retry|retries|retried|re-?run|re-?dispatch|re-?spawn|re-?launch|re-?start|skip|continue|proceed"
    r"|go on|carry on|report|fall(?:s|ing)? ?back"
    r"|fallback|abort|stop|halt|escalate|ask|mark|note|record|log|list|surface|degrade|close|request|resume"
    r"|save|return|exit|treat|warn"
    r"|notify|tell|show|display|again|once|twice|manual(?:ly)?|inline|yourself|without|drop|send|follow-up"
    r"|ensure|reset|use|say so|names? it|mention|leaves? (?:it|them) out|left out)\b"
    r"|\binstead\b|\bby hand\b|\bdo (?:it|its part)\b"
    r"|重试|跳过|继续|上报|报告|降级|终止|停止|通知|询问|记录|回退|标记|重新|改为|告知|忽略|提示|自己|自行|用户"
    r"|人工|重派|补|换",
    re.IGNORECASE,
)
_CODE_TEST = re.compile(
    r"\b(?:if|elif|else if|unless|switch|when|match|assert)\b.{0,120}?"
    r"(?:fail|error|succe|status|time[d_]*_?out|null|None\b|undefined|empty|missing|valid|complete|exists"
    r"|!\s*\w|\bnot\b|!==?|\.ok\b)"
    r"|\b(?:catch|except|rescue|on_?error|on_?failure|allSettled)\b",
    re.IGNORECASE,
)
_AS_TEXT = (
    r"(?:l?strip|rstrip|trim\w*|split\w*|lower|upper|isdigit|isnumeric|startswith|endswith|startsWith"
    r"|endsWith|replace|toLowerCase)\("
)
_FAR, _ABOVE = 200, 4
"""Lines below a call that may ask how it came out; lines between a sentence and the code that it announces."""
_LEADS = re.compile(r"orchestrat|coordinat|error|failure|recover|monitor", re.IGNORECASE)


def is_guarded(step: AgentStep, skill: Skill) -> bool:
    """Tell whether a failure of this step is caught, tested for or spoken of, or it is the call below that counts."""
    return is_caught(step, skill) or _tests_answer(step) or is_spoken_of(step, skill) or _announces_call(step, skill)


def _announces_call(step: AgentStep, skill: Skill) -> bool:
    """Tell whether a step in prose stands right above the code that makes its call: that is a step of its own."""
    if step.fence is not None:
        return False
    codes = (other.fence.start for other in agent_steps(skill) if other.fence and other.file is step.file)
    return any(
        step.line_end < start <= step.line_end + _ABOVE
        and not any(step.file.doc.line(n).strip() for n in range(step.line_end + 1, start - 1))
        for start in codes
    )


def is_spoken_of(step: AgentStep, skill: Skill) -> bool:
    """Tell whether prose that speaks for a step says what to do when it fails."""
    return any(_spoken_of(step, file) for file in _speaks_for(step, skill))


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
    """Give the paragraphs of prose that say what to do when something fails."""
    return tuple(
        (number, text)
        for number, _, text in paragraphs(file, _FAIL_WORDS, _REACT_WORDS)
        if _FAILS.search(text) and _REACTS.search(text)
    )


def is_caught(step: AgentStep, skill: Skill) -> bool:
    """Tell whether the code of a step catches its failure, by itself or in a function that it goes through."""
    if step.fence is None or step.call is None:
        return False
    wrapper = wrappers(skill).get(step.call.name)
    if wrapper and wrapper.catches:
        return True
    if any(block.kind == "try" for block in step.fence.blocks_over(step.line)) or ".catch(" in step.call.tail:
        return True
    above = range(max(step.fence.start, step.line - 2), step.line + 1)
    return any("allSettled" in step.file.doc.line(n) for n in above)


def _tests_answer(step: AgentStep) -> bool:
    """Tell whether code below a step, in its section, asks how it came out."""
    if step.fence is None:
        return False
    doc = step.file.doc
    end = min(doc.section_at(step.line).end, step.line_end + _FAR)
    below = (doc.line(n) for n in range(step.line_end + 1, end + 1) if doc.fence_at(n) is not None)
    return any(_tests_outcome(line, step.answer) for line in below)


def _tests_outcome(line: str, answer: str | None) -> bool:
    """Tell whether a line of code asks how a call came out; what takes an answer for a text is no such question."""
    if answer and answer in line:
        name = re.escape(answer)
        if re.search(rf"(?:!\s*|\b(?:if|elif|not|and|or|while|is_?\w*\()\s*\(?){name}(?![\w.$(\[])", line):
            return True
        if re.search(rf"(?<![\w.$]){name}\.{_AS_TEXT}", line):
            return False
    return bool(_CODE_TEST.search(line))


def _speaks_for(step: AgentStep, skill: Skill) -> list[SkillFile]:
    if step.file is skill.main:
        return list(skill.instructions)
    leads = [f for f in skill.instructions if f is not step.file and _LEADS.search(f.path)]
    return [step.file, skill.main, *leads]
