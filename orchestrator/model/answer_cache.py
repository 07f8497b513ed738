"""Keep the paid answers of commands without a run for a day, so that a repeated command asks only what is missing.

A run takes them, too. An answer counts only while it would be given again: by the same model, from the same files.
"""

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE
from typing import Any

from msgspec.structs import replace

from actions.project.allowance import make_allowance
from actions.project.lookup import Library
from actions.project.lookup_log import NOTHING_SHOWN
from actions.regex import regex
from actions.review.judge import Question, Reply
from orchestrator.errors import BadInput, TuneSkillError
from orchestrator.fs import durable
from orchestrator.fs.home import find_cache_folder
from orchestrator.model.environment import list_model_settings
from orchestrator.model.memory import COST_FILE, Memory, hash_question
from schemas.issues import Cost
from templates.filters import visible

_MAX_SECONDS = 86_400
"""How long an answer is kept. They quote sessions, and a later command should read anew."""
_NAME = regex(r"[0-9a-f]{64}\.json|room-\d+")
"""The names of the files. Others in the folder are not tune-skill's, and are not deleted."""


class AnswerCache(Memory):
    """Answers in a folder of the user's cache.

    The cost is that of this command. If the folder cannot be written, the answers are kept only in this object.
    """

    def __init__(self, folder: Path, settings: Mapping[str, str], *, anew: bool = False) -> None:
        """settings: what decides which model answers. anew: use no answer of an earlier command."""
        super().__init__(folder, f"room-{os.getpid()}")
        self._answers, self._settings, self._anew = folder, json.dumps(settings, sort_keys=True), anew
        self._remove_old(folder)

    def find(self, question: Question, model: str, library: Library | None = None) -> Reply | None:
        """Return the kept answer, or None if the model would now look up something else."""
        name = hash_question(question, self._settings)
        is_earlier = name not in self._replies
        reply = None if is_earlier and self._anew else self.get(question, self._settings)
        if reply is None or not _still_holds(reply, question, library):
            return None
        return replace(reply, kept_since=self._read_time(name)) if is_earlier else reply

    def save(self, question: Question, model: str, answer: Reply) -> None:
        """Keep an answer."""
        super().save(question, self._settings, answer)

    def reserve_cost(self, cost: Cost) -> None:
        """Add the most that a query may cost, and keep room on the disk for its answer, if possible."""
        with suppress(TuneSkillError, OSError):
            super().reserve_cost(cost)
            return
        self._cost = self.cost + cost

    def _write(self, name: str, value: Any) -> None:
        if name != COST_FILE and self._folder is not None:
            durable.write_json(self._folder / name, value, mode=0o600)

    def _read_cost(self) -> Cost:
        return Cost()

    def _read_time(self, name: str) -> str:
        seconds = time.time()
        with suppress(OSError):
            seconds = (self._answers / f"{name}.json").lstat().st_mtime
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))

    def _remove_old(self, folder: Path) -> None:
        with suppress(OSError):
            for path in folder.iterdir():
                is_own = _NAME.fullmatch(path.name) is not None
                if is_own and abs(time.time() - path.lstat().st_mtime) > _MAX_SECONDS:
                    path.unlink(missing_ok=True)


class RunAnswers(Memory):
    """The answers of a run. What it lacks is taken from the kept answers of earlier commands, if they still hold."""

    def __init__(self, folder: Path, kept: Memory) -> None:
        super().__init__(folder)
        self._kept = kept

    def find(self, question: Question, model: str, library: Library | None = None) -> Reply | None:
        """Return the answer of the run or of an earlier command. The latter becomes the run's own."""
        own = super().find(question, model)
        if own is None and (kept := self._kept.find(question, model, library)):
            self.save(question, "", kept)
            return kept
        return own


def _still_holds(reply: Reply, question: Question, library: Library | None) -> bool:
    """Return whether what the model looked up for an answer, found or not, is unchanged."""
    if reply.looked_up == NOTHING_SHOWN:
        return True
    if library is None:
        return False
    return library.gives_again(reply.looked_up, make_allowance(visible(question.prompt), question.schema, library.size))


def open_answers(env: Mapping[str, str], *, anew: bool = False) -> Memory:
    """Return the answers in `$XDG_CACHE_HOME/tune-skill/answers`, by default in `~/.cache`.

    env: the variables of `list_model_settings` decide which answers count. anew: use no answer of an earlier command.
    Without a home folder, or if other users have access to the folder, answers are kept only in the returned object.
    """
    with suppress(BadInput, TuneSkillError, OSError):
        folder = find_cache_folder() / "answers"
        durable.ensure_dir(folder)
        status = folder.stat()
        if status.st_uid == os.geteuid() and not S_IMODE(status.st_mode) & 0o077:
            return AnswerCache(folder, list_model_settings(env), anew=anew)
    return Memory()
