"""Cache the answers of a model, so that a run asks the same question only once."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from actions.project.lookup import Library
from actions.project.lookup_log import NOTHING_SHOWN, LookupLog
from actions.review.checking import explain_violation
from actions.review.judge import Question, Reply
from orchestrator.errors import TuneSkillError
from orchestrator.fs import durable, nofollow
from orchestrator.fs.room import Room
from orchestrator.model.budget import FAMILIES
from schemas.codec import from_json, to_json
from schemas.issues import Cost

FOLDER, COST_FILE = "judge", "paid.json"
"""The folder of the answers in the work dir of a run, and the file in it with their cost."""


class Memory:
    """The saved answers, one file each in a folder. Without a folder, they are kept only in this object."""

    def __init__(self, folder: Path | None = None, room: str = "room") -> None:
        """room: the name of the file that keeps room on the disk for answers."""
        self._folder = folder
        self._room = Room(folder, room) if folder else None
        self._replies: dict[str, Reply] = {}
        self._cost: Cost | None = None
        self.saved, self.lost = 0, 0
        """Numbers of new answers that were written, and that could not be."""

    def get(self, question: Question, model: str) -> Reply | None:
        """Return the saved answer, with cost 0. Returns None if it is missing or unusable."""
        name = hash_question(question, model)
        reply = self._replies.get(name) or self._read(name)
        if reply is None or reply.value is None or explain_violation(question, reply.value):
            return None
        return replace(reply, usd=0.0, tokens=0, cached=True)

    def find(self, question: Question, model: str, library: Library | None = None) -> Reply | None:
        """Return the saved answer of any model, because a run may continue in a shell that sets another model or none.

        model: the name that is set. An earlier version of the program saved answers under the name that was set then;
        those are found if it is the same, or a short name such as haiku. library: the files that the model may look up.
        """
        replies = (self.get(question, name) for name in dict.fromkeys(("", model, *FAMILIES)))
        return next(filter(None, replies), None)

    def get_give_up_reason(self, question: Question, model: str) -> str:
        """Return why a question was given up and must not be asked again. Returns "" if it was not given up."""
        reply = self._read(hash_question(question, model))
        return reply.why if reply is not None and reply.value is None else ""

    def save(self, question: Question, model: str, answer: Reply) -> None:
        """Save an answer. If it cannot be written, the question is asked again later."""
        name = hash_question(question, model)
        self._replies[name] = answer
        why = {"why": answer.why} if answer.why else {}
        looked_up = {"looked_up": to_json(answer.looked_up)} if answer.looked_up != NOTHING_SHOWN else {}
        model_that_answered = {"model": answer.model} if answer.model else {}
        saved = {"name": question.name, "value": answer.value, **why, **looked_up, **model_that_answered}
        is_saved = self._write_paid(f"{name}.json", saved)
        self.saved, self.lost = self.saved + is_saved, self.lost + (not is_saved)

    @property
    def cost(self) -> Cost:
        """The cost of all queries of this run, including those of commands that were stopped earlier."""
        if self._cost is None:
            self._cost = self._read_cost()
        return self._cost

    def reserve_cost(self, cost: Cost) -> None:
        """Add the most that a query may cost before it is sent, and keep room on the disk for its answer.

        Raises TuneSkillError or OSError.
        """
        total = self.cost + cost
        if self._folder is not None and self._room is not None:
            durable.ensure_dir(self._folder)
            self._room.keep()
        self._write(COST_FILE, to_json(total))
        self._cost = total

    def add_cost(self, cost: Cost) -> None:
        """Add the difference between the real cost of a query and what was booked for it."""
        if not (cost.usd or cost.tokens):
            return
        self._cost = self.cost + cost
        self._write_paid(COST_FILE, to_json(self._cost))

    def release_room(self) -> None:
        """Give up the room on the disk that is kept for answers."""
        if self._room is not None:
            self._room.release()

    def _write_paid(self, name: str, value: Any) -> bool:
        """Write what was paid for, on a full disk into the room that is kept for it. Return whether it was written."""
        if self._room is not None:
            with suppress(TuneSkillError, OSError):
                self._room.write(lambda: self._write(name, value))
                return True
        return False

    def _write(self, name: str, value: Any) -> None:
        if self._folder is not None:
            durable.ensure_dir(self._folder)
            durable.write_json(self._folder / name, value)

    def _read_cost(self) -> Cost:
        if self._folder is None:
            return Cost()
        try:
            cost = from_json(Cost, json.loads(nofollow.read(str(self._folder / COST_FILE))))
            counts = (cost.tokens, cost.queries, cost.prompt_tokens, cost.cached_tokens)
            return Cost(max(0.0, float(cost.usd)), *(max(0, int(count)) for count in counts))
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return Cost()

    def _read(self, name: str) -> Reply | None:
        if self._folder is None:
            return None
        try:
            saved = json.loads(nofollow.read(str(self._folder / f"{name}.json")))
            looked_up = from_json(LookupLog, saved.get("looked_up") or {"sent": [], "refused": []})
            model = str(saved.get("model") or "")
            return Reply(saved["value"], str(saved.get("why") or ""), looked_up=looked_up, model=model)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None


def hash_question(question: Question, model: str) -> str:
    """Return the digest of a question's prompt and schema, and of the model's name."""
    request = json.dumps([question.prompt, question.schema, model], sort_keys=True)
    return hashlib.sha256(request.encode()).hexdigest()
