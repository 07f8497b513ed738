"""Calls of sub-agents that let a failure through where the skill's other calls catch it."""

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.facts.agents.guarding import is_caught, is_spoken_of
from actions.facts.agents.wrappers import wrappers
from actions.skill.code import AGENT_CALLS
from actions.skill.memo import once
from actions.skill.skill import Skill


@once
def uncaught_among_caught(skill: Skill) -> tuple[AgentStep, ...]:
    """Give the few calls that catch nothing where most do: by going past the function that catches for the others, or
    by only looking at what they are answered. What prose provides for is left out, but where there is that function.
    """
    called = [step for step in agent_steps(skill) if step.call]
    caught = [step for step in called if is_caught(step, skill)]
    bare = [step for step in called if step not in caught and step.call and step.call.base in AGENT_CALLS]
    if not caught or len(bare) > len(caught):
        return ()
    common = any(step.call and step.call.name in wrappers(skill) for step in caught)
    return tuple(step for step in bare if common or not is_spoken_of(step, skill))
