"""What every hook is made of: its input, its forms of answer, and the ONE place where hooks fail open."""

import json
import os
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from orchestrator.errors import is_strict, reason
from orchestrator.guard.hooks.limit import TimeLimitReached, time_limit
from orchestrator.guard.hooks.logging import write_log_line
from orchestrator.guard.log.events import append_event
from orchestrator.guard.sessions.config import ConsciousnessConfig
from orchestrator.guard.sessions.paths import find_project_root

Answer = dict[str, Any]


class Run(Protocol):
    """A hook handler. With `testing`, the default, it answers but changes nothing."""

    def __call__(self, stdin_json: str = "", testing: bool = True, **kwargs: Any) -> Answer:
        """Answer a hook's stdin."""
        ...


class Call:
    """One call of a hook: the event, what stdin gave, whether it is only a test, and when it is.

    No dataclass, as those of this folder and of `sessions` that a hook needs: loading what makes one costs 8 ms.
    """

    def __init__(self, event: str, given: Mapping[str, Any], testing: bool, now: float) -> None:
        self.event, self.given, self.testing, self.now = event, given, testing, now

    @cached_property
    def root(self) -> Path:
        """The project."""
        return find_project_root()

    @cached_property
    def config(self) -> ConsciousnessConfig:
        """The project's configuration."""
        return ConsciousnessConfig(self.root)

    @property
    def session_id(self) -> str:
        """The session; "unknown" when stdin does not name one."""
        return self.text("session_id") or "unknown"

    @property
    def prompt_id(self) -> str:
        """The prompt that is worked on; "" where there is none."""
        return self.text("prompt_id")

    @cached_property
    def transcript(self) -> Path | None:
        """The session's transcript, if it is there. What is no file is told in the log."""
        path = self.text("transcript_path")
        if path and os.path.isfile(path):  # noqa: PTH113 - a NUL in it is no error
            return Path(path)
        if path and os.path.exists(path):  # noqa: PTH110 - as above
            write_log_line(f"{self.event}: {path}: not a regular file", self.session_id)
        return None

    def text(self, key: str) -> str:
        """Give a text of the input; "" when it is missing or something else."""
        value = self.given.get(key)
        return value if isinstance(value, str) else ""

    def tell(self, event: str, **data: Any) -> None:
        """Add an event to the log, unless this is a test."""
        if not self.testing and not append_event(event, data, self.given):
            write_log_line(f"{self.event}: the event {event} was not written", self.session_id)


def allow() -> Answer:
    """Answer that the session goes on."""
    return {"continue": True}


def allow_with_context(event: str, context: str) -> Answer:
    """Answer with a text for the model, where Claude Code takes one: SessionStart, UserPromptSubmit, tool events."""
    return allow() | {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}


def allow_with_message(message: str) -> Answer:
    """Answer with a line for the user."""
    return allow() | {"systemMessage": message}


def hook(event: str) -> Callable[[Callable[[Call], Answer]], Run]:
    """Make a handler of a function: stdin is read for it, and whatever goes wrong, the session goes on."""

    def made(act: Callable[[Call], Answer]) -> Run:
        def run(stdin_json: str = "", testing: bool = True, **kwargs: Any) -> Answer:
            return run_guarded(event, lambda: act(Call(event, _read(stdin_json), testing, time.time())), stdin_json)

        return run

    return made


def run_guarded(event: str, act: Callable[[], Answer], given: str) -> Answer:
    """Act within the time of a hook, or fail open: the log names the session that stdin, `given`, tells of.

    Within a session of our own judge nothing happens at all.
    """
    if os.environ.get("TUNE_SKILL_JUDGE") == "1":
        return allow()
    try:
        with time_limit():
            return act()
    except TimeLimitReached:
        return fail_open(event, TimeoutError("it took too long and was given up"), given)
    except Exception as error:  # noqa: BLE001 - a hook never fails the user's session
        return fail_open(event, error, given)


def fail_open(event: str, error: Exception, given: str | bytes) -> Answer:
    """Let the session go on after an error, with one line in the hooks' log. Under TUNE_SKILL_STRICT=1 it raises."""
    if is_strict():
        raise error
    write_log_line(f"{event}: {type(error).__name__}: {reason(error)}", _session_of(given))
    return allow()


def _session_of(given: str | bytes) -> str | None:
    try:
        found = json.loads(given).get("session_id")
    except (ValueError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, str) else None


def _read(stdin_json: str) -> Mapping[str, Any]:
    if not stdin_json.strip():
        return {}
    given = json.loads(stdin_json)
    if not isinstance(given, dict):
        raise ValueError(f"stdin holds no JSON object, but a {type(given).__name__}")
    return given
