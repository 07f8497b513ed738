"""Keep the paid answers of commands without a run for a day, so that a repeated command asks only what is missing."""

import os
import time
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE
from typing import Any

from actions.regex import regex
from actions.review.judge import Question, Reply
from orchestrator.errors import BadInput, TuneSkillError
from orchestrator.fs import durable
from orchestrator.fs.home import xdg_folder
from orchestrator.model.memory import COST_FILE, Memory
from schemas.issues import Cost

_MAX_SECONDS = 86_400
"""How long an answer is kept. They quote sessions, and a later command should read anew."""
_NAME = regex(r"[0-9a-f]{64}\.json|room-\d+")
"""The names of the files. Others in the folder are not tune-skill's, and are not deleted."""


class AnswerCache(Memory):
    """Answers in a folder of the user's cache. They count only for the same model.

    The cost is that of this command. If the folder cannot be written, the answers are kept only in this object.
    """

    def __init__(self, folder: Path, model: str) -> None:
        super().__init__(folder, f"room-{os.getpid()}")
        self._model = model
        self._remove_old(folder)

    def find(self, question: Question, model: str) -> Reply | None:
        """Return the kept answer of the model, or None."""
        return self.get(question, self._model)

    def save(self, question: Question, model: str, answer: Reply) -> None:
        """Keep an answer of the model."""
        super().save(question, self._model, answer)

    def reserve_cost(self, cost: Cost) -> None:
        """Add the estimated cost of a query, and keep room on the disk for its answer, if possible."""
        with suppress(TuneSkillError, OSError):
            super().reserve_cost(cost)
            return
        self._cost = self.cost + cost

    def _write(self, name: str, value: Any) -> None:
        if name != COST_FILE and self._folder is not None:
            durable.write_json(self._folder / name, value, mode=0o600)

    def _read_cost(self) -> Cost:
        return Cost()

    def _remove_old(self, folder: Path) -> None:
        with suppress(OSError):
            for path in folder.iterdir():
                is_own = _NAME.fullmatch(path.name) is not None
                if is_own and abs(time.time() - path.lstat().st_mtime) > _MAX_SECONDS:
                    path.unlink(missing_ok=True)


def open_answers(model: str) -> Memory:
    """Return the answers of a model in `$XDG_CACHE_HOME/tune-skill/answers`, by default in `~/.cache`.

    Without a home folder, or if other users have access to the folder, answers are kept only in the returned object.
    """
    with suppress(BadInput, TuneSkillError, OSError):
        folder = xdg_folder("XDG_CACHE_HOME", ".cache") / "answers"
        durable.ensure_dir(folder)
        status = folder.stat()
        if status.st_uid == os.geteuid() and not S_IMODE(status.st_mode) & 0o077:
            return AnswerCache(folder, model)
    return Memory()
