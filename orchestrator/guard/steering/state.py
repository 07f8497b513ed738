"""The steering state of a session: how often it was held, and for what. It may reset; it must never trap a user."""

import hashlib
import json
import os
import re
import time
from pathlib import Path
from typing import Any

from orchestrator.errors import TuneSkillError
from orchestrator.fs import durable, nofollow
from orchestrator.fs.git_files import main_tree
from orchestrator.guard import steering
from orchestrator.guard.steering import log as power_log
from orchestrator.guard.steering.diagnostics import DiagnosticLog, timestamp
from orchestrator.guard.steering.results import ReturnCode

RUNTIME = Path(".claude/runtime/power-steering")
MAX_COUNTER = 1000
_SHOWN = 2_000
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
State = dict[str, Any]


def runtime_folder(project_root: Path) -> Path:
    """Return the folder of the steering states: AMPLIHACK_PS_STATE_DIR, or that of the tree all worktrees share."""
    own = os.environ.get("AMPLIHACK_PS_STATE_DIR")
    return Path(own) if own else main_tree(project_root) / RUNTIME


def is_session_id(value: object) -> bool:
    """Whether a value can name a session, and so a folder."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def safe_id(session_id: str) -> str:
    """Return an id that can name a folder: an unusable one is replaced by its hash, and that is logged."""
    if is_session_id(session_id):
        return session_id
    safe = "invalid-" + hashlib.sha256(session_id.encode("utf-8", "replace")).hexdigest()[:16]
    power_log.warning(
        "session id %.80r holds more than letters, digits, - and _; its state is kept as %s", session_id, safe
    )
    return safe


class PowerSteeringState:
    """The state file of one session. Sessions do not touch each other.

    Fields: consecutive_blocks, session_id, last_check_timestamp, check_results, failure_fingerprints, block_history,
    addressed.
    """

    def __init__(self, session_id: str, project_root: Path | None = None) -> None:
        self.session_id = safe_id(session_id)
        root = project_root or Path(os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd())
        self.folder = runtime_folder(root) / self.session_id
        self.path = self.folder / "state.json"
        own = steering.DIAGNOSTIC_LOG_DIR
        self.diagnostics = DiagnosticLog((Path(own) / self.session_id if own else self.folder) / "diagnostic.jsonl")
        if os.environ.get("AMPLIHACK_PS_DEBUG"):
            _debugged()

    def default(self) -> State:
        """Return the state of a session that was never held."""
        return {
            "consecutive_blocks": 0,
            "session_id": self.session_id,
            "last_check_timestamp": None,
            "check_results": {},
            "failure_fingerprints": [],
            "block_history": [],
            "addressed": [],
        }

    def load_state(self) -> State:
        """Return the state as it was saved, or the default one. Never raises."""
        try:
            state = json.loads(nofollow.read(str(self.path), nofollow.SMALL))
        except FileNotFoundError:
            return self.default()
        except (OSError, ValueError, RecursionError) as error:
            self._reset(f"unreadable: {error}", None)
            return self.default()
        valid, reason = validate(state)
        if not valid:
            self._reset(reason, state)
            return self.default()
        counter = state["consecutive_blocks"]
        self._note("state_load", load_success=True, validation_passed=True, counter_value=counter)
        return {**self.default(), **state}

    def save_state(self, state: State) -> ReturnCode:
        """Write the state. Never raises: the code says how it went.

        What is missing gets its default, or the next reader would call it damaged. After the last retry nothing is
        written in place: a writer that is killed there leaves half a file.
        """
        try:
            full = {**self.default(), **state}
            valid, reason = validate(full)
        except TypeError:
            full, valid, reason = self.default(), False, "state_not_dict"
        if not valid:
            self._reset(reason, state)
            full = self.default()
        code = self._write_with_retry(full)
        return code if valid or code else ReturnCode.VALIDATION_FAILED

    def _write_with_retry(self, state: State) -> ReturnCode:
        before = self._counter()
        delays = _delays()
        code = ReturnCode.SAVE_FAILED
        for attempt in range(len(delays) + 1):
            if attempt:
                time.sleep(delays[attempt - 1])
            code, error = self._write(state)
            self._note(
                "state_save_retry" if attempt else "state_save",
                counter_before=before,
                counter_after=state["consecutive_blocks"],
                save_success=code is ReturnCode.SUCCESS,
                verification_success=code is ReturnCode.SUCCESS and steering.VERIFY_WRITES,
                retry_count=attempt,
                **({"success": code is ReturnCode.SUCCESS} if attempt else {}),
                **({"error": error} if error else {}),
            )
            if code is ReturnCode.SUCCESS:
                return code
        power_log.warning("the steering state %s could not be saved: %s; going on without it", self.path, error)
        return ReturnCode.RETRIES_EXHAUSTED if delays else code

    def _write(self, state: State) -> tuple[ReturnCode, str]:
        try:
            durable.ensure_private_dir(self.folder.parent, delays=())
            durable.ensure_dir(self.folder)
            durable.write_json(self.path, state, sync=not os.environ.get("AMPLIHACK_PS_NO_FSYNC"), delays=())
            if steering.VERIFY_WRITES and json.loads(nofollow.read(str(self.path), nofollow.SMALL)) != state:
                self._note("verification_read", verification_success=False, reason="data_mismatch")
                return ReturnCode.VERIFICATION_FAILED, "what was read back is not what was written"
        except (OSError, TuneSkillError, ValueError, TypeError, RecursionError) as error:
            return ReturnCode.SAVE_FAILED, str(error)
        return ReturnCode.SUCCESS, ""

    def _counter(self) -> Any:
        try:
            return json.loads(nofollow.read(str(self.path), nofollow.SMALL)).get("consecutive_blocks")
        except (OSError, ValueError, RecursionError, AttributeError):
            return None

    def _reset(self, reason: str, state: object) -> None:
        power_log.warning("the steering state %s was reset: %s", self.path, reason)
        self._note("validation", validation_failed=True, reason=reason, corrupted_state=_bounded(state))
        self._note("state_reset", reason="corruption_detected", counter_reset_to=0)

    def _note(self, operation: str, **facts: Any) -> None:
        if self.folder.is_dir() or steering.DIAGNOSTIC_LOG_DIR:
            self.diagnostics.write(operation, session_id=self.session_id, file_path=str(self.path), **facts)


def _bounded(state: object) -> object:
    """Return a state as it is, or the head of its text where it is long or no JSON."""
    try:
        text = json.dumps(state)
    except (TypeError, ValueError, RecursionError):
        return repr(state)[:_SHOWN]
    return state if len(text) <= _SHOWN else text[:_SHOWN]


def _debugged() -> None:
    """Let the logger tell everything, on stderr."""
    import logging

    log = logging.getLogger(power_log.NAME)
    log.setLevel(logging.DEBUG)
    if not log.handlers:
        log.addHandler(logging.StreamHandler())


def validate(state: object) -> tuple[bool, str]:
    """Return whether a state can be used, and if not, why in one word."""
    if not isinstance(state, dict):
        return False, "state_not_dict"
    counter = state.get("consecutive_blocks")
    if counter is None:
        return False, "missing_counter"
    if type(counter) is not int:
        return False, "counter_not_int"
    if counter < 0:
        return False, "negative_counter"
    if counter > MAX_COUNTER:
        return False, "counter_too_large"
    if not is_session_id(state.get("session_id")):
        return False, "invalid_session_id"
    return True, ""


def _delays() -> list[float]:
    """Return the pauses between attempts in seconds; AMPLIHACK_PS_MAX_RETRIES sets how many, the last one doubling."""
    delays = [float(delay) for delay in steering.RETRY_DELAYS]
    asked = os.environ.get("AMPLIHACK_PS_MAX_RETRIES", "")
    if not asked.isdigit():
        return delays
    wanted = min(int(asked), 10)
    while delays and len(delays) < wanted:
        delays.append(delays[-1] * 2)
    return delays[:wanted]


__all__ = ["PowerSteeringState", "is_session_id", "runtime_folder", "safe_id", "timestamp", "validate"]
