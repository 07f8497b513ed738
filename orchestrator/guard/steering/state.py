"""Load and save the steering state of a session: how often it was blocked, and why.

A damaged state is reset, so that it cannot block a session forever.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

from actions.lean_hash import hash_bytes
from actions.regex import regex
from orchestrator.errors import TuneSkillError
from orchestrator.fs import durable, nofollow
from orchestrator.fs.git_files import find_main_tree
from orchestrator.guard.steering import logger, settings
from orchestrator.guard.steering.diagnostics import DiagnosticLog
from orchestrator.guard.steering.results import ReturnCode

RUNTIME = Path(".claude/runtime/power-steering")
MAX_COUNTER = 1000
_MAX_LENGTH = 2_000
_ID = regex(r"[A-Za-z0-9_-]{1,128}")
State = dict[str, Any]


def get_runtime_folder(project_root: Path) -> Path:
    """Return the folder of the steering states.

    This is AMPLIHACK_PS_STATE_DIR if it is set. Otherwise it is a folder that all worktrees share.
    """
    configured = os.environ.get("AMPLIHACK_PS_STATE_DIR")
    return Path(configured) if configured else find_main_tree(project_root) / RUNTIME


def is_session_id(value: object) -> bool:
    """Return whether a value is a valid session id, which can name a folder."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def replace_invalid_id(session_id: str) -> str:
    """Return the session id if it can be the name of a folder. Otherwise log it and return a name with its hash."""
    if is_session_id(session_id):
        return session_id
    safe = "invalid-" + hash_bytes(session_id.encode("utf-8", "replace"))[:16]
    logger.warning(
        "session id %.80r is invalid (only letters, digits, - and _, at most 128); using %s",
        session_id,
        safe,
    )
    return safe


class PowerSteeringState:
    """The state file of one session, in a folder of its own.

    Fields: consecutive_blocks, session_id, last_check_timestamp, check_results, failure_fingerprints, block_history,
    addressed.
    """

    def __init__(self, session_id: str, project_root: Path | None = None) -> None:
        self.session_id = replace_invalid_id(session_id)
        root = project_root or Path(os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd())
        self.folder = get_runtime_folder(root) / self.session_id
        self.path = self.folder / "state.json"
        logs = settings.DIAGNOSTIC_LOG_DIR
        self.diagnostics = DiagnosticLog((Path(logs) / self.session_id if logs else self.folder) / "diagnostic.jsonl")
        if os.environ.get("AMPLIHACK_PS_DEBUG"):
            _log_to_stderr()

    def default(self) -> State:
        """Return the state of a session that was never blocked."""
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
        """Return the saved state, or the default one. Never raises."""
        try:
            state = json.loads(nofollow.read(str(self.path), nofollow.MAX_SMALL_BYTES))
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
        self._log("state_load", load_success=True, validation_passed=True, counter_value=counter)
        return {**self.default(), **state}

    def save_state(self, state: State) -> ReturnCode:
        """Write the state. Returns whether that succeeded, or how it failed. Never raises.

        Missing fields get their defaults. Otherwise the next `load_state` would treat the state as damaged.
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
        before = self._read_counter()
        delays = _list_delays()
        code = ReturnCode.SAVE_FAILED
        for attempt in range(len(delays) + 1):
            if attempt:
                time.sleep(delays[attempt - 1])
            code, error = self._write(state)
            self._log(
                "state_save_retry" if attempt else "state_save",
                counter_before=before,
                counter_after=state["consecutive_blocks"],
                save_success=code is ReturnCode.SUCCESS,
                verification_success=code is ReturnCode.SUCCESS and settings.VERIFY_WRITES,
                retry_count=attempt,
                **({"success": code is ReturnCode.SUCCESS} if attempt else {}),
                **({"error": error} if error else {}),
            )
            if code is ReturnCode.SUCCESS:
                return code
        logger.warning("cannot save the steering state %s: %s; continuing without it", self.path, error)
        return ReturnCode.RETRIES_EXHAUSTED if delays else code

    def _write(self, state: State) -> tuple[ReturnCode, str]:
        try:
            sync = not os.environ.get("AMPLIHACK_PS_NO_FSYNC")
            durable.ensure_private_dir(self.folder.parent, delays=(), sync=sync)
            durable.ensure_dir(self.folder)
            durable.write_json(self.path, state, sync=sync, delays=())
            if settings.VERIFY_WRITES and json.loads(nofollow.read(str(self.path), nofollow.MAX_SMALL_BYTES)) != state:
                self._log("verification_read", verification_success=False, reason="data_mismatch")
                return ReturnCode.VERIFICATION_FAILED, "the file read back differs from what was written"
        except (OSError, TuneSkillError, ValueError, TypeError, RecursionError) as error:
            return ReturnCode.SAVE_FAILED, str(error)
        return ReturnCode.SUCCESS, ""

    def _read_counter(self) -> Any:
        try:
            return json.loads(nofollow.read(str(self.path), nofollow.MAX_SMALL_BYTES)).get("consecutive_blocks")
        except (OSError, ValueError, RecursionError, AttributeError):
            return None

    def _reset(self, reason: str, state: object) -> None:
        logger.warning("the steering state %s was reset: %s", self.path, reason)
        self._log("validation", validation_failed=True, reason=reason, corrupted_state=_shorten(state))
        self._log("state_reset", reason="corruption_detected", counter_reset_to=0)

    def _log(self, operation: str, **values: Any) -> None:
        """Log an operation. Only a save creates the folder of the log, even if the save fails."""
        if "save" in operation or self.folder.is_dir() or settings.DIAGNOSTIC_LOG_DIR:
            self.diagnostics.write(operation, session_id=self.session_id, file_path=str(self.path), **values)


def _shorten(state: object) -> object:
    """Return a state, or the beginning of its text if it is too long or cannot be written as JSON."""
    try:
        text = json.dumps(state)
    except (TypeError, ValueError, RecursionError):
        return repr(state)[:_MAX_LENGTH]
    return state if len(text) <= _MAX_LENGTH else text[:_MAX_LENGTH]


def _log_to_stderr() -> None:
    import logging

    log = logging.getLogger(logger.NAME)
    log.setLevel(logging.DEBUG)
    if not log.handlers:
        log.addHandler(logging.StreamHandler())


def validate(state: object) -> tuple[bool, str]:
    """Return whether a state is valid, and the name of the reason if it is not."""
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


def _list_delays() -> list[float]:
    """Return the delays before retries in seconds, one for each of AMPLIHACK_PS_MAX_RETRIES.

    The first are RETRY_DELAYS. Each further delay is twice as long as the one before it.
    """
    delays = [float(delay) for delay in settings.RETRY_DELAYS]
    text = os.environ.get("AMPLIHACK_PS_MAX_RETRIES", "")
    if not text.isdigit():
        return delays
    count = min(int(text), 10)
    while delays and len(delays) < count:
        delays.append(delays[-1] * 2)
    return delays[:count]
