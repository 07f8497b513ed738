"""Repeat sessions of the real Claude Code, because each start takes half a second of CPU."""

import copy
from collections.abc import Callable, Hashable
from pathlib import Path

from orchestrator.model import agent
from orchestrator.model.agent import Session, SessionRequest


class Replay:
    """Run the first session of each kind with the real Claude Code; repeat its result and transcripts for the others.

    get_kind: returns an equal value for sessions with the same result. `kinds` lists these values in their order.
    """

    def __init__(self, get_kind: Callable[[SessionRequest], Hashable]) -> None:
        self.get_kind, self.kinds = get_kind, list[Hashable]()
        self._run_session = agent.run_session
        self._sessions: dict[Hashable, tuple[Session, dict[Path, bytes]]] = {}

    async def run_session(self, request: SessionRequest) -> Session:
        kind, home = self.get_kind(request), request.folder.parent / "home"
        if kind in self._sessions:
            session, transcripts = self._sessions[kind]
            for path, content in transcripts.items():
                (home / path).parent.mkdir(parents=True, exist_ok=True)
                (home / path).write_bytes(content)
            return copy.deepcopy(session)
        self.kinds.append(kind)
        session = await self._run_session(request)
        files = (home / ".claude" / "projects").rglob("*.jsonl")
        self._sessions[kind] = copy.deepcopy(session), {path.relative_to(home): path.read_bytes() for path in files}
        return session


def read_greeter(request: SessionRequest) -> str:
    """Return the text of the skill `greeter` in the folder of a session."""
    return (request.folder / ".claude" / "skills" / "greeter" / "SKILL.md").read_text()
