"""The questions of a run that wait for an answer from outside: kept in its work dir, handed out, answered, given up."""

import fcntl
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from actions.review.checking import find_answer_errors
from actions.review.judge import Question, Reply
from actions.skill import Skill
from orchestrator.errors import BadInput, Refused, WriteFailed, one_line
from orchestrator.fs import durable, nofollow
from orchestrator.model.memory import FOLDER, Memory, hash_question
from schemas.codec import from_json, to_json

MODEL = "mcp"
"""What stands for the model in the keys of the memory: who answers is not known when the question is asked."""

SECONDS = 600.0
"""How long a question that was handed out is kept from others: an answer to a large skill takes minutes."""

UNNAMED = "the model of the client"
_TOLD = 5
"""Objections that one line names: an answer that has more of them is to be written anew."""

_CLAIMS, _READER, _LOCK, _CLOSED = "claims.json", "reader.json", "lock", "closed.json"


@dataclass(frozen=True)
class QueuedQuestion:
    """A question under the id by which it is answered. `claimed`: somebody is at it, and answers with the token."""

    id: str
    question: Question
    claimed: bool = False
    token: str = ""


@dataclass(frozen=True)
class Claim:
    """That a question was handed out: until when it is kept from others, and whether who came knew its id."""

    until: float
    token: str
    named: bool


def get_question_id(question: Question) -> str:
    """Return the id of a question: the same words in another run have it too, and their own answer there."""
    return f"Q-{hash_question(question, MODEL)[:12]}"


class QuestionQueue:
    """The questions and answers in a work dir; many processes may work on it at once."""

    def __init__(self, work_dir: Path, now: Callable[[], float] = time.time) -> None:
        self._folder = work_dir / FOLDER
        self._open = self._folder / "open"
        self._now = now

    @property
    def reader(self) -> str:
        """What the report calls who answers; it stays what the first answer made it."""
        told = _read_object(self._folder / _READER)
        return str(told.get("name") or UNNAMED)

    def set_open(self, questions: Mapping[str, Question]) -> None:
        """Let these be the open questions, durably. Raises WriteFailed."""
        with self._lock():
            for id, question in questions.items():
                durable.write_json(self._open / f"{id}.json", to_json(question))
            for path in self._open.glob("Q-*.json"):
                if path.stem not in questions:
                    path.unlink(missing_ok=True)
            self._write_claims({id: claim for id, claim in self._claims().items() if id in questions})

    def get(self, question: Question) -> Reply | None:
        """Return the answer to a question, or why there will be none; None while it is open."""
        memory = Memory(self._folder)
        known = memory.get(question, MODEL)
        if known is not None:
            return Reply(known.value)
        why = memory.get_skip_reason(question, MODEL) or _read_object(self._folder / _CLOSED).get("why")
        return Reply(None, str(why)) if why else None

    def list_open(self) -> list[QueuedQuestion]:
        """Return the questions that nobody has answered or given up, in the order of their names."""
        claims, now = self._claims(), self._now()
        at_work = {id for id, claim in claims.items() if claim.until > now}
        found = (QueuedQuestion(id, q, id in at_work) for id, q in self._questions().items() if not self.get(q))
        return sorted(found, key=lambda one: (one.question.name, one.id))

    def claim(self, id: str | None = None, seconds: float = SECONDS) -> QueuedQuestion | None:
        """Return the named question, or the next that nobody is at, with the token that its answer needs.

        Who knows an id was told it by whoever runs the review. So a claim by name takes a nameless one over, and as
        long as there is one nothing is handed out without a name: an agent gets at no question but its own.
        None when there is none to hand out. Raises BadInput for an id that is not open here.
        """
        if not self._open.is_dir():
            self._ensure_open(id, [])
            return None
        with self._lock():
            found = self.list_open()
            self._ensure_open(id, found)
            claims = self._claims()
            if id is None and any(claim.named for claim in claims.values()):
                return None
            one = next((one for one in found if (one.id == id if id else not one.claimed)), None)
            if one is None:
                return None
            old = claims.get(one.id)
            token = old.token if id and old and old.named else secrets.token_urlsafe(16)
            self._write_claims({**claims, one.id: Claim(self._now() + seconds, token, id is not None)})
            return replace(one, token=token)

    def ensure_claimed(self, id: str, token: str) -> None:
        """Raise Refused for the answer to an open question by one to whom it was not handed out."""
        claim = self._claims().get(id)
        if any(one.id == id for one in self.list_open()) and not (
            claim and secrets.compare_digest(claim.token.encode(), token.encode(errors="replace"))
        ):
            raise Refused(f"{id[:40]}: this is not its token; call `question` with its id, and answer with its token")

    def release(self, id: str, token: str) -> None:
        """Let a question be handed out again, and take no answer by this token."""
        with self._lock():
            self._write_claims(
                {name: claim for name, claim in self._claims().items() if (name, claim.token) != (id, token)}
            )

    def release_all(self) -> None:
        """Let all questions be handed out again; who is still at one may answer until another one comes for it."""
        if self._claims():
            with self._lock():
                self._write_claims({id: Claim(0.0, claim.token, named=False) for id, claim in self._claims().items()})

    def answer(self, id: str, value: Any, skill: Skill, reader: str = "") -> str:
        """Check an answer and keep it; returns one line of what is wrong with it, "" when it is taken.

        The same answer again is taken too. Raises BadInput for an unknown id, Refused where another answer stands.
        """
        question = self._questions().get(id)
        if question is None:
            return self._check_closed(id, value)
        wrong = find_answer_errors(question, value, skill)
        if wrong:
            return one_line("; ".join(wrong[:_TOLD]))
        with self._lock():
            known = self.get(question)
            if known is not None:
                return _compare_answers(id, known, value)
            if reader and not (self._folder / _READER).exists():
                durable.write_json(self._folder / _READER, {"name": one_line(reader)[:80]})
            self._save(question, Reply(value))
        return ""

    def give_up(self, why: str) -> list[str]:
        """Let the run go on without what is open; returns the ids."""
        if not self._open.is_dir():
            return []
        with self._lock():
            found = self.list_open()
            for one in found:
                self._save(one.question, Reply(None, why))
        return [one.id for one in found]

    def close(self, why: str) -> None:
        """Let the run go on without what is open, and without all that it would ask from now on."""
        with self._lock():
            durable.write_json(self._folder / _CLOSED, {"why": why})

    def _save(self, question: Question, answer: Reply) -> None:
        """Keep an answer, and see that the disk has it. Raises WriteFailed."""
        Memory(self._folder).save(question, MODEL, answer)
        if self.get(question) is None:
            raise WriteFailed(f"{self._folder}: the answer could not be kept; fix the disk and answer again")

    def _check_closed(self, id: str, value: Any) -> str:
        """Return "" for the same answer to a question that is not open any more."""
        for path in self._folder.glob(f"{id.removeprefix('Q-')}*.json") if _is_id(id) else ():
            told = _read_object(path)
            return _compare_answers(id, Reply(told.get("value"), str(told.get("why") or "")), value)
        self._ensure_open(id, self.list_open())
        return ""

    def _ensure_open(self, id: str | None, waiting: Sequence[QueuedQuestion]) -> None:
        ids = [one.id for one in waiting]
        if id is not None and id not in ids:
            raise BadInput(f"{id[:40]}: no open question of this run; `status` names those that are open")

    def _questions(self) -> dict[str, Question]:
        told = {path.stem: _read_object(path) for path in self._open.glob("Q-*.json")}
        return {id: from_json(Question, one) for id, one in told.items() if one}

    def _claims(self) -> dict[str, Claim]:
        try:
            return from_json(dict[str, Claim], _read_object(self._folder / _CLAIMS))
        except ValueError:
            return {}

    def _write_claims(self, claims: Mapping[str, Claim]) -> None:
        durable.write_json(self._folder / _CLAIMS, to_json(claims))

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Be alone at the desk for a moment."""
        try:
            durable.ensure_dir(self._open)
            fd = nofollow.open_file(str(self._folder / _LOCK), os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise WriteFailed(f"cannot write {self._open}: {error.strerror}; fix this and try again") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)


def _compare_answers(id: str, known: Reply, value: Any) -> str:
    if known.value is None:
        raise Refused(f"{id}: this question was given up ({known.why}), and the run goes on without it")
    if known.value != value:
        raise Refused(f"{id}: another answer was taken already, and it stands")
    return ""


def _is_id(id: str) -> bool:
    return len(id) == 14 and id.startswith("Q-") and all(c in "0123456789abcdef" for c in id[2:])


def _read_object(path: Path) -> dict[str, Any]:
    """Return the object in a file of ours; {} where there is none that can be read."""
    try:
        told = json.loads(nofollow.read(str(path)))
    except (OSError, ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
