"""Where the answer of a sub-agent is parsed, and whether a malformed answer is caught."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.model.code import AGENT_CALLS, Call, CodeFence
from actions.model.skill import Skill

_PARSERS = frozenset(
    {"JSON.parse", "json.loads", "yaml.safe_load", "yaml.load", "YAML.parse", "parse_json", "parseJson"}
)
_TEST = r"\b(?:if|elif|unless|assert|while|switch)\b[^\n]{{0,80}}\b{name}\b"


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
            if parse.name in _PARSERS and _takes(parse, answer, step) and not _guarded(step, step.fence, parse):
                yield Parsed(step, step.fence, parse)


def _takes(parse: Call, answer: str | None, step: AgentStep) -> bool:
    argument = parse.args.strip()
    if answer and parse.line > step.line_end:
        return re.match(rf"(?:await\s+)?{re.escape(answer)}\b(?!\s*\()", argument) is not None
    nested = parse.line <= step.line <= parse.line_end
    return nested and any(argument.removeprefix("await ").startswith(name + "(") for name in AGENT_CALLS)


def _guarded(step: AgentStep, fence: CodeFence, parse: Call) -> bool:
    if any(block.kind == "try" for block in fence.blocks_over(parse.line)):
        return True
    between = "\n".join(step.file.doc.line(n) for n in range(step.line_end + 1, parse.line))
    name = step.call.assigned if step.call else None
    return bool(name) and re.search(_TEST.format(name=re.escape(name or "")), between) is not None
