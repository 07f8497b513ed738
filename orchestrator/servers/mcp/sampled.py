"""What came of asking the client's model, kept with the run: how often, what was wrong, whether the user refused."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrator.fs import durable, nofollow
from orchestrator.model.memory import FOLDER
from schemas.codec import from_json, to_json

TRIES = 2
"""How often one question is asked of a client in a run."""

_FILE = "sampling.json"


@dataclass(frozen=True)
class Sampled:
    """By question: how often it was asked, and what was wrong with the last answer. `out`: asked, and nothing came."""

    refused: bool = False
    out: bool = False
    tries: dict[str, int] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)

    def may_ask(self, id: str) -> bool:
        """Return whether a question may be asked (again)."""
        return not self.refused and not self.answered(id) and self.tries.get(id, 0) < TRIES

    def answered(self, id: str) -> bool:
        """Return whether an answer was taken."""
        return self.wrong.get(id) == ""

    def asking(self, id: str) -> "Sampled":
        """Count that a question is asked."""
        return replace(self, tries={**self.tries, id: self.tries.get(id, 0) + 1})

    def heard(self, id: str, wrong: str) -> "Sampled":
        """Note what is wrong with an answer."""
        return replace(self, wrong={**self.wrong, id: wrong})


def load(work_dir: Path) -> Sampled:
    """Return what is known; nothing where there is no file that can be read."""
    try:
        return from_json(Sampled, json.loads(nofollow.read(str(work_dir / FOLDER / _FILE))))
    except (OSError, ValueError, RecursionError):
        return Sampled()


def keep(work_dir: Path, known: Sampled) -> None:
    """Keep it. Raises WriteFailed."""
    durable.ensure_dir(work_dir / FOLDER)
    durable.write_json(work_dir / FOLDER / _FILE, to_json(known))
