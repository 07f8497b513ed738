"""Queue the questions of a run for an MCP client: hand them out, accept answers, give up open questions."""

import fcntl
import json
import os
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.fixes.draft_check import find_draft_errors
from actions.project.allowance import make_allowance
from actions.project.lookup import Library
from actions.project.lookup_log import Lookup, LookupLog
from actions.review.checking import find_answer_errors
from actions.review.judge import Question, Reply
from orchestrator.errors import BadInput, Refused, WriteFailed, one_line
from orchestrator.fs import durable, nofollow
from orchestrator.fs.disk import wrap_os_errors
from orchestrator.model import presence
from orchestrator.model.memory import FOLDER, Memory, hash_question
from schemas.codec import from_json, to_json
from schemas.issues import Issue

MODEL = "mcp"
"""A placeholder for the model's name in the keys of `Memory`. The name is unknown when a question is asked."""

CLAIM_SECONDS = 600.0
"""Seconds after which a claimed question is handed out again. An answer about a large skill takes minutes."""

_BATCH_SECONDS = 3.0
"""Look-ups within this time (seconds) are one batch. To read results and ask again, an agent needs longer."""

UNNAMED_READER = "the model of the client"
_MAX_ERRORS = 5
"""Maximum number of errors that a message lists."""

_MAX_TRIES = 3
"""Maximum number of answers to a question whose drafts fail. The last answer is accepted for its other drafts."""

R = TypeVar("R")

_CLAIMS, _READER, _LOCK, _CLOSED, _LOGS = "claims.json", "reader.json", "lock", "closed.json", "look-ups"
_TRIES, _SERVERS = "tries.json", "servers"


class QueuedQuestion(msgspec.Struct, frozen=True):
    """An open question.

    claimed: whether it was handed out. token: must be given with the answer.
    until: when the claim ends (epoch seconds).
    """

    id: str
    question: Question
    claimed: bool = False
    token: str = ""
    until: float = 0.0


class Claim(msgspec.Struct, frozen=True):
    """A claim on a question that was handed out.

    until: when the claim ends (epoch seconds). named: whether the question was asked for by id. server: the server that
    handed it out; the claim ends with this process. is_agent: whether an agent answers, not the server itself.
    """

    until: float
    token: str
    named: bool
    server: str = ""
    is_agent: bool = True

    def end(self) -> "Claim":
        """Return the claim, ended. Its token remains valid until another client claims the question."""
        return replace(self, until=0.0, named=False)


def get_question_id(question: Question) -> str:
    """Return the id of a question, which is the same in every run."""
    return f"Q-{hash_question(question, MODEL)[:12]}"


class QuestionQueue:
    """The questions and answers in a work dir, shared by several processes."""

    def __init__(self, work_dir: Path, now: Callable[[], float] = time.time) -> None:
        self.folder = self._folder = work_dir / FOLDER
        self._open = self._folder / "open"
        self._now = now

    @property
    def reader(self) -> str:
        """The name of the answering model, as given with the first answer."""
        content = _read_object(self._folder / _READER)
        return str(content.get("name") or UNNAMED_READER)

    def set_open(self, questions: Mapping[str, Question]) -> None:
        """Replace the open questions, durably. Raises WriteFailed."""
        with self._lock():
            for folder in (self._open, self._folder / _LOGS):
                durable.remove_old_temp_files(folder)
            for id, question in questions.items():
                durable.write_json(self._open / f"{id}.json", to_json(question))
            for path in self._open.glob("Q-*.json"):
                if path.stem not in questions:
                    path.unlink(missing_ok=True)
            self._write_claims({id: claim for id, claim in self._read_claims().items() if id in questions})

    def get(self, question: Question) -> Reply | None:
        """Return the answer to a question, or None while the question is open.

        If the question was given up, return a reply with the reason.
        """
        memory = Memory(self._folder)
        answer = memory.get(question, MODEL)
        if answer is not None:
            return Reply(answer.value, looked_up=answer.looked_up)
        why = memory.get_give_up_reason(question, MODEL) or self.given_up
        return Reply(None, why) if why else None

    @property
    def given_up(self) -> str:
        """Why all missing answers of the run were given up, or ""."""
        return str(_read_object(self._folder / _CLOSED).get("why") or "")

    @property
    def is_damaged(self) -> bool:
        """Whether a question cannot be read. The run writes it again when it continues."""
        return any(_read_record(path, Question) is None for path in self._open.glob("Q-*.json"))

    def list_open(self) -> list[QueuedQuestion]:
        """Return the questions that were neither answered nor given up, sorted by name."""
        claims, now = self._read_claims(), self._now()
        claimed = {id: claim.until for id, claim in claims.items() if claim.until > now}
        found = (
            QueuedQuestion(id, q, id in claimed, until=claimed.get(id, 0.0))
            for id, q in self._read_questions().items()
            if not self.get(q)
        )
        return sorted(found, key=lambda queued: (queued.question.name, queued.id))

    def claim(
        self, id: str | None = None, seconds: float = CLAIM_SECONDS, *, is_agent: bool = True
    ) -> QueuedQuestion | None:
        """Hand out the question `id`, or the next unclaimed one, with the token that its answer needs.

        is_agent: whether an agent answers it, not this process. Returns None if no question can be handed out. Raises
        BadInput for an id that is not open.

        A client that runs several agents gives the id of a question to each. So that each agent gets only its own
        question, a claim by id replaces a claim without an id, and while a claim by id lasts, nothing is handed out
        without an id.
        """
        if not self._open.is_dir():
            self._ensure_open(id, [])
            return None
        with self._lock():
            found = self.list_open()
            self._ensure_open(id, found)
            claims = self._read_claims()
            if id is None and any(claim.named for claim in claims.values()):
                return None
            queued = next((queued for queued in found if (queued.id == id if id else not queued.claimed)), None)
            if queued is None:
                return None
            old = claims.get(queued.id)
            token = old.token if id and old and old.named else secrets.token_urlsafe(16)
            if not queued.claimed and (log := self._get_log(queued.id)).batches:
                self.save_log(queued.id, replace(log, batches=()))  # a new claimant has seen nothing yet
            claim = Claim(self._now() + seconds, token, id is not None, self._register_server(), is_agent)
            self._write_claims({**claims, queued.id: claim})
            return replace(queued, token=token)

    def ensure_claimed(self, id: str, token: str) -> None:
        """Raise Refused if the question is open and `token` is not the token of its claim."""
        claim = self._read_claims().get(id)
        if any(queued.id == id for queued in self.list_open()) and not (
            claim and secrets.compare_digest(claim.token.encode(), token.encode(errors="replace"))
        ):
            raise Refused(
                f"{id[:40]}: wrong token; call `question` with this id, and answer with the token that it returns"
            )

    def release(self, id: str, token: str) -> None:
        """End a claim, so that the question can be handed out again. The token of the claim becomes invalid."""
        with self._lock():
            self._write_claims(
                {name: claim for name, claim in self._read_claims().items() if (name, claim.token) != (id, token)}
            )

    def release_agents(self) -> None:
        """End the claims of all agents. A server that asks a model itself ends its claims when it stops."""
        self.release_lost([id for id, claim in self._read_claims().items() if claim.is_agent])

    def release_lost(self, ids: Collection[str]) -> None:
        """End the claims of agents that have ended."""
        if self._read_claims().keys() & set(ids):
            with self._lock():
                claims = self._read_claims()
                self._write_claims({id: claim.end() if id in ids else claim for id, claim in claims.items()})

    def look(self, id: str, request: Lookup, library: Library | None) -> str:
        """Look up files for an open question, within its limits. Returns the result as text, and logs it.

        Raises BadInput if the question is not open. Raises WriteFailed.
        """
        question = self._read_questions().get(id)
        if question is None:
            self._ensure_open(id, self.list_open())
        if library is None or question is None or not question.may_look:
            return "no files can be looked up for this question; answer from the text alone"
        with self._lock():
            allowance = make_allowance(question.prompt, question.schema, library.size)
            log = self._get_log(id)
            text, log = library.look_up(replace(request, batch=self._find_batch(log)), log, allowance)
            self.save_log(id, log)
        return text

    def _find_batch(self, log: LookupLog) -> str:
        """Return the batch of a look-up. A batch is identified by the time at which it began.

        The time decides, because the calls do not show which of them are parallel.
        """
        began = float(log.batches[-1].name) if log.batches else 0.0
        return str(began if self._now() - began < _BATCH_SECONDS else self._now())

    def extend_log(self, id: str, log: LookupLog) -> None:
        """Add the look-ups of another answer to the log of a question. Raises WriteFailed."""
        old = self._get_log(id)
        sent, refused, answered = (*old.sent, *log.sent), (*old.refused, *log.refused), (*old.answered, *log.answered)
        self.save_log(id, replace(log, sent=sent, refused=refused, answered=answered))

    def save_log(self, id: str, log: LookupLog) -> None:
        """Save the look-ups of a question. Raises WriteFailed."""
        durable.ensure_dir(self._folder / _LOGS)
        durable.write_json(self._folder / _LOGS / f"{id}.json", to_json(log))

    def has_log(self, question: Question) -> bool:
        """Return whether a question has a log of look-ups, which may be empty."""
        return (self._folder / _LOGS / f"{get_question_id(question)}.json").exists()

    def _get_log(self, id: str) -> LookupLog:
        return _read_record(self._folder / _LOGS / f"{id}.json", LookupLog) or LookupLog()

    def answer(self, id: str, value: Any, case: Case, reader: str = "", issues: Sequence[Issue] = ()) -> str:
        """Check an answer about a case, and save it.

        Returns the reason in one line if the answer is rejected, or "" if it is accepted. issues: the findings of the
        run. Drafts of fixes are tried immediately. An answer may be sent again. Raises BadInput for an unknown id.
        Raises Refused if another answer was already accepted, or if the question was given up.
        """
        question = self._read_questions().get(id)
        if question is None:
            return self._check_closed(id, value)
        log = self._get_log(id)
        errors = find_answer_errors(question, value, case, log) or self._try_drafts(id, question, value, case, issues)
        if errors:
            return one_line("; ".join(errors[:_MAX_ERRORS]))
        with self._lock():
            earlier = self.get(question)
            if earlier is not None:
                return _compare_answers(id, earlier, value)
            if reader and not (self._folder / _READER).exists():
                durable.write_json(self._folder / _READER, {"name": one_line(reader)[:80]})
            self._save(question, Reply(value, looked_up=log))
        return ""

    def _try_drafts(
        self, id: str, question: Question, value: Any, case: Case, issues: Sequence[Issue]
    ) -> tuple[str, ...]:
        """Return the errors of the drafts in an answer. Returns () at the last attempt, which is accepted anyway."""
        errors = find_draft_errors(question, value, case, issues)
        if not errors:
            return ()
        with self._lock():
            tries = {**_read_object(self._folder / _TRIES)}
            tries[id] = (tries[id] if isinstance(tries.get(id), int) else 0) + 1
            durable.write_json(self._folder / _TRIES, tries)
        return () if tries[id] >= _MAX_TRIES else errors

    def give_up(self, why: str) -> list[str]:
        """Give up all open questions, so that the run continues. Returns their ids."""
        if not self._open.is_dir():
            return []
        with self._lock():
            open_questions = self.list_open()
            for queued in open_questions:
                self._save(queued.question, Reply(None, why))
        return [queued.id for queued in open_questions]

    def close(self, why: str) -> None:
        """Give up all open and all future questions of the run."""
        with self._lock():
            durable.write_json(self._folder / _CLOSED, {"why": why})

    def _save(self, question: Question, answer: Reply) -> None:
        """Save an answer and read it back. Raises WriteFailed."""
        Memory(self._folder).save(question, MODEL, answer)
        if self.get(question) is None:
            raise WriteFailed(
                f"{self._folder}: could not save the answer; check disk space and permissions, then answer again"
            )

    def _check_closed(self, id: str, value: Any) -> str:
        """Return "" if the question was closed with an equal answer. Otherwise raise BadInput or Refused."""
        for path in self._folder.glob(f"{id.removeprefix('Q-')}*.json") if _is_id(id) else ():
            content = _read_object(path)
            return _compare_answers(id, Reply(content.get("value"), str(content.get("why") or "")), value)
        self._ensure_open(id, self.list_open())
        return ""

    def _ensure_open(self, id: str | None, open_questions: Sequence[QueuedQuestion]) -> None:
        ids = [queued.id for queued in open_questions]
        if id is not None and id not in ids:
            raise BadInput(f"{id[:40]}: not an open question of this run; `status` lists the open ones")

    def _read_questions(self) -> dict[str, Question]:
        found = ((path.stem, _read_record(path, Question)) for path in self._open.glob("Q-*.json"))
        return {id: question for id, question in found if question}

    def _read_claims(self) -> dict[str, Claim]:
        """Return the claims. Those of a server that is no longer running have ended."""
        try:
            claims = from_json(dict[str, Claim], _read_object(self._folder / _CLAIMS))
        except ValueError:
            return {}
        servers = {claim.server for claim in claims.values() if claim.server}
        ended = {server for server in servers if not presence.is_running(self._folder / _SERVERS, server)}
        return {id: claim.end() if claim.server in ended else claim for id, claim in claims.items()}

    def _register_server(self) -> str:
        """Return the name of this process for its claims. The queue must be locked. Raises WriteFailed."""
        with wrap_os_errors(f"cannot write {self._folder / _SERVERS}"):
            return presence.register(self._folder / _SERVERS)

    def _write_claims(self, claims: Mapping[str, Claim]) -> None:
        durable.write_json(self._folder / _CLAIMS, to_json(claims))

    @contextmanager
    def _lock(self) -> Iterator[None]:
        with wrap_os_errors(f"cannot write {self._open}"):
            durable.ensure_dir(self._open)
            fd = nofollow.open_file(str(self._folder / _LOCK), os.O_RDWR | os.O_CREAT)
        try:
            with wrap_os_errors(f"cannot lock {self._folder / _LOCK}"):  # some network file systems have no locks
                fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)


def _compare_answers(id: str, earlier: Reply, value: Any) -> str:
    """Return "" if an answer equals the earlier one. Otherwise raise Refused."""
    if earlier.value is None:
        raise Refused(f"{id}: this question was given up ({earlier.why}); the run continues without it")
    if earlier.value != value:
        raise Refused(f"{id}: another answer was already accepted")
    return ""


def _is_id(id: str) -> bool:
    return len(id) == 14 and id.startswith("Q-") and all(c in "0123456789abcdef" for c in id[2:])


def _read_record(path: Path, record: type[R]) -> R | None:
    with suppress(ValueError):
        content = _read_object(path)
        return from_json(record, content) if content else None
    return None


def _read_object(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(nofollow.read(str(path)))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
