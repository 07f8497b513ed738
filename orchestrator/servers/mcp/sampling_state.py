"""Store the sampling state of a run: attempts, rejected answers, and whether the user refused."""

import json
from pathlib import Path

import msgspec
from msgspec.structs import replace

from orchestrator.fs import durable, nofollow
from orchestrator.model.memory import FOLDER
from schemas.codec import from_json, to_json

MAX_ATTEMPTS = 2
"""Maximum number of times that a run asks the client's model the same question."""

_FILE = "sampling.json"


class SamplingState(msgspec.Struct, frozen=True):
    """Attempts (`tries`) and errors of the last answer (`wrong`), by question. out: whether requests await answers."""

    refused: bool = False
    out: bool = False
    tries: dict[str, int] = msgspec.field(default_factory=dict)
    wrong: dict[str, str] = msgspec.field(default_factory=dict)

    def may_ask(self, id: str) -> bool:
        """Return whether a question may be asked (again)."""
        return not self.refused and not self.is_answered(id) and self.tries.get(id, 0) < MAX_ATTEMPTS

    def is_answered(self, id: str) -> bool:
        """Return whether an answer was accepted."""
        return self.wrong.get(id) == ""

    def count_attempt(self, id: str) -> "SamplingState":
        """Return the state with one more attempt at a question."""
        return replace(self, tries={**self.tries, id: self.tries.get(id, 0) + 1})

    def record_answer(self, id: str, wrong: str) -> "SamplingState":
        """Return the state with the result of an answer: "" if it was accepted, else the reason for its rejection."""
        return replace(self, wrong={**self.wrong, id: wrong})


def load_state(work_dir: Path) -> SamplingState:
    """Return the state of a run; an empty one if it cannot be read."""
    try:
        return from_json(SamplingState, json.loads(nofollow.read(str(work_dir / FOLDER / _FILE))))
    except (OSError, ValueError, RecursionError):
        return SamplingState()


def save_state(work_dir: Path, state: SamplingState) -> None:
    """Write the state of a run. Raises WriteFailed."""
    durable.ensure_dir(work_dir / FOLDER)
    durable.write_json(work_dir / FOLDER / _FILE, to_json(state))
