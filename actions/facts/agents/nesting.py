"""Sub-agents that are told to start sub-agents."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.model import regex as re
from actions.model.skill import Skill

_ORDER = re.compile(
    r"\b(?:Use|Call|Invoke|using)\s+(?:the\s+)?`?(?:Task|Agent)`?\s+tool\b"
    r"|\b(?:Task|Agent|spawn_agent)\(\s*[{\"'\w]"
    r"|(?:^|[.;:]\s+|[-*]\s+|\d\.\s+|,\s*)(?:(?:then|and|also|please|you (?:may|can|should|must))\s+)*"
    r"(?:launch|spawn|dispatch|start|delegate (?:\w+ ){0,3}to)\s+[^.\n]{0,40}?\bsub-?agents?\b"
    r"|(?:使用|调用)\s*`?(?:Task|Agent)`?\s*工具|(?:启动|派发|创建|生成)[^。\n]{0,12}子代理",
    re.IGNORECASE | re.MULTILINE,
)
_DENIED = re.compile(
    r"(?:\b(?:do not|don['’]t|never|must not|cannot|no|without|instead of|not)\b"
    r"|不要|禁止|不得|不能|请勿)[^.。\n]{0,40}$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Nested:
    """An order inside a sub-agent's prompt to start another: its line in the file and the text of that line."""

    step: AgentStep
    line: int
    text: str


def nested_orders(skill: Skill) -> Iterator[Nested]:
    """Give the first such order of each prompt."""
    for step in agent_steps(skill):
        if not step.prompt or not any(word in step.prompt for word in ("agent", "Agent", "Task", "子代理")):
            continue
        for match in _ORDER.finditer(step.prompt):
            begin = step.prompt.rfind("\n", 0, match.start() + 1) + 1
            if _DENIED.search(step.prompt[begin : match.start() + 1]):
                continue
            end = step.prompt.find("\n", match.end())
            text = step.prompt[begin : end if end >= 0 else len(step.prompt)].strip()
            line = next((n for n in range(step.line, step.line_end + 1) if text in step.file.doc.line(n)), step.line)
            yield Nested(step, line, text)
            break
