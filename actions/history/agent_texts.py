"""Add the definitions of sub-agents, which transcripts do not contain, to the loaded texts of a session."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from actions.agent_types import normalize_agent_type
from actions.session.transcript import Load, Transcript, find_started_agent


def runs_agent(session: Transcript, name: str) -> bool:
    """Return whether a session started an agent of this name, with or without the name of its plugin."""
    names = [normalize_agent_type(known) for known in (name, name.rpartition(":")[2])]
    return any(normalize_agent_type(call.get("subagent_type").rpartition(":")[2]) in names for call in session.calls)


def add_agent_texts(session: Transcript, texts: Mapping[str, str]) -> Transcript:
    """Return a session with a `Load` for each run of a sub-agent whose definition is known.

    `texts` maps the names of agents to their definitions at the time of the session.
    """
    loads = tuple(_find_agent_loads(session, texts)) if texts else ()
    return replace(session, loads=(*session.loads, *loads)) if loads else session


def _find_agent_loads(session: Transcript, texts: Mapping[str, str]) -> Iterator[Load]:
    agents = (*(agent.agent for agent in session.agents), *(call.agent for call in session.calls))
    unmatched = dict.fromkeys(filter(None, agents))
    by_type = {normalize_agent_type(name): text for name, text in texts.items()}
    for step in session.steps:
        name = step.call.get("subagent_type")
        text = next(
            (by_type[t] for t in map(normalize_agent_type, (name, name.rpartition(":")[2])) if t in by_type), ""
        )
        agent = find_started_agent(step, unmatched) if text else None
        if text and agent:
            del unmatched[agent]
            yield Load(step.call.record, name, "", text, arguments=step.call.get("prompt"), agent=agent)
