"""Store the state of a run. Each change is validated, written durably, and logged as an event."""

import errno
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import msgspec
from msgspec.structs import replace

import schemas
from orchestrator.errors import BadInput, Refused, StateDamaged, WriteUnsettled, one_line
from orchestrator.fs import durable, nofollow
from orchestrator.fs.home import ensure_path
from orchestrator.fs.own_folders import is_trusted, trust_work_dir
from orchestrator.guard.log.event_log import EventLog
from orchestrator.guard.log.events import open_project_log
from orchestrator.guard.log.run_events import list_events
from orchestrator.run.migration import migrate
from schemas.codec import from_json, to_json
from schemas.records import Move, State
from schemas.vocabulary import SCHEMA_VERSION, Pause

Clock = Callable[[], datetime]
Values = dict[str, Any]

STATE_FILE, REPORT_FILE = "state.json", "report.md"
LONG_LISTS = frozenset({"issues", "proposed_fixes", "applied_fixes", "sessions", "action_history"})
"""The fields of a state that are long lists. Their records must not contain floats (see `_encode_long_lists`)."""

MAX_ENTRIES = {"action_history": 50, "errors": 20}
"""Maximum number of entries that the state keeps, the newest ones. The event log keeps all entries."""

_FIELDS = State.__struct_fields__


class _UnusableError(Exception):
    """Raised for a state file that cannot be used. The message is the end of a sentence about this file."""


def system_clock() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


def timestamp(moment: datetime) -> str:
    """Format `moment` as in the state: UTC, ISO 8601, milliseconds, Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _StartTime(msgspec.Struct):
    started_at: str | None = None


def read_start_time(work_dir: Path) -> str | None:
    """Return the start time of the run in `work_dir`, from the state or its previous generation, or None."""
    for name in (STATE_FILE, STATE_FILE + durable.LAST_GOOD):
        with suppress(OSError, ValueError, RecursionError, msgspec.MsgspecError):
            return msgspec.json.decode(nofollow.read(str(work_dir / name)), type=_StartTime).started_at
    return None


def has_run(folder: Path) -> bool:
    """Return whether a folder contains the state of a run, or a copy of it (the previous generation)."""
    try:
        return any((folder / file).is_file() for file in (STATE_FILE, STATE_FILE + durable.LAST_GOOD))
    except OSError:
        return False


class StateStore:
    """The state of the run in `work_dir`. To write it, a process must hold the lock of the skill.

    States are immutable, so unchanged fields are not validated or encoded again. recovered: the message to the user if
    the previous generation (a copy of the last state) was used, otherwise None.
    """

    def __init__(self, work_dir: Path, clock: Clock = system_clock, log: EventLog | None = None) -> None:
        self.path = work_dir / STATE_FILE
        self._previous = work_dir / (STATE_FILE + durable.LAST_GOOD)
        self.recovered: str | None = None
        self._clock = clock
        self._log = log or open_project_log(lambda: clock().timestamp())
        self._state: State | None = None
        self._values: Values = {}
        self._texts: dict[str, bytes] = {}

    @property
    def state(self) -> State:
        """The state on disk, after `create` or `load`."""
        if self._state is None:
            raise LookupError("create or load the state first")
        return self._state

    def create(self, state: State) -> State:
        """Create and trust the work dir, and write the first state. Raises Refused if it already has a run."""
        self.check_free()
        durable.ensure_private_dir(self.path.parent)
        trust_work_dir(self.path.parent, Path(state.target_skill.path or ""), state.target_skill.project)
        now = self._now()
        new = replace(state, started_at=state.started_at or now, updated_at=now)
        self._commit(new, _FIELDS)
        self._log_event("run_created", {})
        return new

    def check_free(self) -> None:
        """Raise Refused if the work dir already has a run."""
        if self.path.exists() or self._previous.exists():
            resume = "resume it, or " if is_trusted(self.path.parent) else ""
            raise Refused(f"{self.path.parent} already has a run; {resume}choose another --work-dir")

    def load(self, *, read_only: bool = False) -> State:
        """Read the state. If the file is damaged, rename it and use the previous generation (see `recovered`).

        read_only: return the same state, but change nothing on disk. Raises BadInput if there is no run, or if another
        version of the program wrote the state. Raises StateDamaged if no generation can be used.
        """
        try:
            self._load_generation(self.path)
        except _UnusableError as problem:
            self._recover(str(problem), read_only=read_only)
        return self.state

    def show(self, state: State) -> None:
        """Use another state for output. It is not saved."""
        self._state = state

    def save(self, state: State) -> State:
        """Write a new state and return it.

        `status` and `walk` are derived from `phase`. Lists that are too long are trimmed. Only the fields that differ
        from the last state are validated and encoded. Raises Refused (with JSON pointer and value) if the new state is
        invalid. Raises WriteFailed if it cannot be written. In both cases the old state is kept in memory and on disk.
        """
        old = self.state
        new = _derive_fields(old, state, self._now())
        changed = [name for name in _FIELDS if getattr(new, name) is not getattr(old, name)]
        self._commit(new, changed)
        added = {
            name: _list_new_entries(getattr(old, name), getattr(state, name)) for name in MAX_ENTRIES if name in changed
        }
        for event, data in list_events(old, new, added):
            self._log_event(event, data)
        self._log_event("state_updated", {"changed": changed, **added})
        return new

    def pause(self, reason: Pause) -> None:
        """Save a pause in both generations of the file, because a pause can last for days."""
        self.save(replace(self.state, pause=reason, current_action=None))
        self.save(self.state)

    def _log_event(self, event: str, data: Values) -> None:
        self._log.append(event, {"run_id": self.state.run_id, "phase": self.state.phase, **data})

    def _commit(self, new: State, changed: Sequence[str]) -> None:
        """Validate and write a new state, then make it the current one. changed: the fields that differ."""
        values, texts = self._encode_changes(new, changed)
        self._write(texts)
        self._state, self._values, self._texts = new, values, texts

    def _encode_changes(self, new: State, changed: Sequence[str]) -> tuple[Values, dict[str, bytes]]:
        """Encode the changed fields of a new state. Return all its values, and all their JSON texts, by field.

        Raises Refused if a changed field is invalid.
        """
        long_lists = _encode_long_lists(new, changed)
        other_values = {name: to_json(getattr(new, name)) for name in changed if name not in long_lists}
        changed_values = {**other_values, **{name: msgspec.json.decode(text) for name, text in long_lists.items()}}
        values = {**self._values, **{name: changed_values[name] for name in changed}}
        try:
            schemas.check_changed("state", values, changed_values)
            old_texts = self._texts or _encode_values(self._values)  # a state that was only read has no encoded texts
            return values, {**old_texts, **_encode_values(other_values), **long_lists}
        except schemas.Invalid as error:
            raise Refused(f"invalid change of {self.path}: {error}; the old state is kept") from error

    def _write(self, texts: dict[str, bytes]) -> None:
        """Write the fields of a state to its file. If the write is not confirmed, load what the file now contains."""
        try:
            durable.write_bytes(self.path, durable.encode_object(texts), keep_last_good=True)
        except WriteUnsettled:
            self.load()
            raise

    def _load_generation(self, path: Path) -> None:
        """Load the state from the current or the previous file. Raises the errors of `_read`."""
        values = _read(path)
        try:
            self._state, self._values, self._texts = from_json(State, values), values, {}
        except ValueError as error:  # the schema accepts 1e308 as an integer
            raise _UnusableError(f"is damaged ({error})") from error

    def _recover(self, problem: str, *, read_only: bool) -> None:
        """Load the previous generation, because the current file has a `problem` (see `load`)."""
        if not self.path.exists() and not self._previous.exists():
            raise BadInput(f"{self.path.parent} has no run: {STATE_FILE} is missing; give another RUN")
        now = self._now()
        aside = "" if read_only else self._set_aside(now)
        try:
            self._load_generation(self._previous)
        except _UnusableError as worse:
            raise StateDamaged(
                f"the state of {self.path.parent} is lost: {STATE_FILE} {problem}{aside}, and {self._previous.name} "
                f"{worse}; put a good copy back as {STATE_FILE}, or start a new run"
            ) from worse
        self.recovered = one_line(
            f"{STATE_FILE} {problem}{aside}; using the state before the last change, from {self.state.updated_at}"
        )
        if read_only:
            return
        self._commit(replace(self.state, notes=(*self.state.notes, self.recovered), updated_at=now), _FIELDS)
        self._log_event("state_recovered", {"note": self.recovered})

    def _set_aside(self, now: str) -> str:
        """Rename the damaged file, if it exists. Returns a phrase for messages with the name of the new file, or ""."""
        aside = self.path.with_name(f"{STATE_FILE}.damaged-{now.replace(':', '')}")
        try:
            self.path.rename(aside)
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise StateDamaged(
                f"{self.path} is damaged and cannot be set aside: {error.strerror}; make its folder writable"
            ) from error
        return f" (set aside as {aside.name})"

    def _now(self) -> str:
        return timestamp(self._clock())


def _read(path: Path) -> Values:
    """Return the values of a state file. Raises _UnusableError if it is damaged, BadInput if it cannot be read."""
    try:
        values = migrate(_parse(nofollow.read(str(path))))
        _check_version(path, values)
        schemas.check("state", values)
        ensure_path(values["target_skill"]["path"])
        ensure_path(values["target_skill"]["project"])
    except FileNotFoundError:
        raise _UnusableError("is missing") from None
    except OSError as error:
        if error.errno != errno.EIO and not path.is_dir():
            raise BadInput(f"cannot read {path}: {error.strerror}; make it readable and try again") from error
        raise _UnusableError("cannot be read from the disk") from error
    except schemas.Invalid as error:
        raise _UnusableError(f"is not valid ({error})") from error
    except (ValueError, RecursionError) as error:
        raise _UnusableError(f"is damaged ({error})") from error
    return dict(values)


def _parse(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:  # the json module accepts unpaired surrogates, and has better messages
        return json.loads(data, parse_constant=_refuse_constant)


def _check_version(path: Path, values: Any) -> None:
    version = values.get("schema_version") if isinstance(values, dict) else None
    if type(version) is int and version != SCHEMA_VERSION:
        raise BadInput(
            f"{path} has schema version {version}; this program reads version {SCHEMA_VERSION}: "
            "use the tune-skill that wrote it, or start a new run"
        )


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _derive_fields(old: State, new: State, now: str) -> State:
    """Return the new state with its time, and, if the phase changed, its status and walk. Trims long lists."""
    new = replace(new, updated_at=now)
    if new.phase is not old.phase:
        new = replace(new, status=new.phase.status, walk=(*old.walk, Move(old.phase, new.phase, now)))
    if len(new.action_history) > MAX_ENTRIES["action_history"] or len(new.errors) > MAX_ENTRIES["errors"]:
        history, errors = new.action_history[-MAX_ENTRIES["action_history"] :], new.errors[-MAX_ENTRIES["errors"] :]
        new = replace(new, action_history=history, errors=errors)
    return new


def _list_new_entries(old: tuple[object, ...], new: tuple[object, ...]) -> list[Any]:
    known = {id(entry) for entry in old}
    return [to_json(entry) for entry in new if id(entry) not in known]


def _encode_long_lists(state: State, names: Iterable[str]) -> dict[str, bytes]:
    """Encode the long lists among the fields `names` as JSON, directly from their records.

    The encoder writes NaN as null, so these records must not contain floats. It rejects unpaired surrogates, so a list
    that contains one is left out, and is later encoded like the other fields.
    """
    texts = {}
    for name in LONG_LISTS.intersection(names):
        with suppress(UnicodeEncodeError):
            texts[name] = msgspec.json.encode(getattr(state, name))
    return texts


def _encode_values(values: Values) -> dict[str, bytes]:
    """Encode each value as JSON. Raises schemas.Invalid for NaN and infinities."""
    texts = {}
    for name, value in values.items():
        try:
            texts[name] = durable.encode_value(value)
        except ValueError as error:
            raise schemas.Invalid(f"/{name}", f"contains NaN or infinity ({error})") from error
    return texts
