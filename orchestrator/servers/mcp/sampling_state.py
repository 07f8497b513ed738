"""Store the state of questions to the client's model in a run: attempts, rejected answers, refusal by the user."""

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
    """The state of sampling in a run, that is, of questions to the client's model.

    refused: whether the user refused. out: whether the client got questions and has not answered yet. tries: the number
    of attempts, by question. wrong: the errors of the last answer, by question, or "" if it was accepted.
    """

    refused: bool = False
    out: bool = False
    tries: dict[str, int] = msgspec.field(default_factory=dict)
    wrong: dict[str, str] = msgspec.field(default_factory=dict)

    def may_ask(self, id: str) -> bool:
        """Return whether a question must still be asked, either for the first time or again."""
        return not self.refused and not self.is_answered(id) and self.tries.get(id, 0) < MAX_ATTEMPTS

    def is_answered(self, id: str) -> bool:
        """Return whether an answer to the question was accepted."""
        return self.wrong.get(id) == ""

    def add_attempt(self, id: str) -> "SamplingState":
        """Return a copy with one more attempt for the question."""
        return replace(self, tries={**self.tries, id: self.tries.get(id, 0) + 1})

    def record_answer(self, id: str, wrong: str) -> "SamplingState":
        """Return a copy with the result of an answer. wrong: why it was rejected, or "" if it was accepted."""
        return replace(self, wrong={**self.wrong, id: wrong})


def load_state(work_dir: Path) -> SamplingState:
    """Return the sampling state of a run, or an empty state if it cannot be read."""
    try:
        return from_json(SamplingState, json.loads(nofollow.read(str(work_dir / FOLDER / _FILE))))
    except (OSError, ValueError, RecursionError):
        return SamplingState()


def save_state(work_dir: Path, state: SamplingState) -> None:
    """Write the sampling state of a run. Raises WriteFailed if the disk does not accept it."""
    durable.ensure_dir(work_dir / FOLDER)
    durable.write_json(work_dir / FOLDER / _FILE, to_json(state))
