"""Build hook handlers: parse the input, build the answer, and let the session continue after an error."""

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
from orchestrator.guard.sessions.config import ProjectConfig
from orchestrator.guard.sessions.paths import find_project_root

Answer = dict[str, Any]


class Handler(Protocol):
    """A hook handler. testing: change nothing on disk (the default)."""

    def __call__(self, stdin_json: str = "", testing: bool = True, **kwargs: Any) -> Answer:
        """Return the answer to the input of a hook."""
        ...


class Call:
    """One call of a hook: the event, its input, whether it is a test, and the time.

    Like other classes here and in `sessions`, it is not a dataclass, because importing `dataclasses` takes 8 ms.
    """

    def __init__(self, event: str, stdin: Mapping[str, Any], testing: bool, now: float) -> None:
        self.event, self.input, self.testing, self.now = event, stdin, testing, now

    @cached_property
    def root(self) -> Path:
        """The root of the project."""
        return find_project_root()

    @cached_property
    def config(self) -> ProjectConfig:
        """The project's configuration."""
        return ProjectConfig(self.root)

    @property
    def session_id(self) -> str:
        """The session's id, or "unknown" if the input has none."""
        return self.text("session_id") or "unknown"

    @property
    def prompt_id(self) -> str:
        """The current prompt's id, or ""."""
        return self.text("prompt_id")

    @cached_property
    def transcript(self) -> Path | None:
        """The session's transcript. None if it is missing or is not a regular file; the latter is logged."""
        path = self.text("transcript_path")
        if path and os.path.isfile(path):  # noqa: PTH113 - unlike Path.is_file, it accepts a NUL
            return Path(path)
        if path and os.path.exists(path):  # noqa: PTH110 - as above
            write_log_line(f"{self.event}: {path}: not a regular file", self.session_id)
        return None

    def text(self, key: str) -> str:
        """Return a string of the input. Returns "" if it is missing or has another type."""
        value = self.input.get(key)
        return value if isinstance(value, str) else ""

    def log_event(self, event: str, **data: Any) -> None:
        """Append an event to the log, unless this is a test."""
        if not self.testing and not append_event(event, data, self.input):
            write_log_line(f"{self.event}: cannot log the event {event}", self.session_id)


def allow() -> Answer:
    """Build the answer that lets the session continue."""
    return {"continue": True}


def allow_with_context(event: str, context: str) -> Answer:
    """Build an answer with a text for the model (SessionStart, UserPromptSubmit and tool events)."""
    return allow() | {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}


def allow_with_message(message: str) -> Answer:
    """Build an answer with a line for the user."""
    return allow() | {"systemMessage": message}


def hook(event: str) -> Callable[[Callable[[Call], Answer]], Handler]:
    """Turn a function into a handler of a hook event.

    The handler parses the input, and lets the session continue after an error.
    """

    def decorate(act: Callable[[Call], Answer]) -> Handler:
        def run(stdin_json: str = "", testing: bool = True, **kwargs: Any) -> Answer:
            return run_guarded(
                event, lambda: act(Call(event, _parse_input(stdin_json), testing, time.time())), stdin_json
            )

        return run

    return decorate


def run_guarded(event: str, act: Callable[[], Answer], stdin: str) -> Answer:
    """Run a handler within the time limit of hooks. If the handler fails, let the session continue.

    stdin: the input of the hook. The session id in it is used for the log. In a session of tune-skill's own judge, the
    handler is not run.
    """
    if os.environ.get("TUNE_SKILL_JUDGE") == "1":
        return allow()
    try:
        with time_limit():
            return act()
    except TimeLimitReached:
        return fail_open(event, TimeoutError("time limit exceeded"), stdin)
    except Exception as error:  # noqa: BLE001 - a hook never fails the user's session
        return fail_open(event, error, stdin)


def fail_open(event: str, error: Exception, stdin: str | bytes) -> Answer:
    """Log an error, and return the answer that lets the session continue.

    With TUNE_SKILL_STRICT=1, the error is raised instead.
    """
    if is_strict():
        raise error
    write_log_line(f"{event}: {type(error).__name__}: {reason(error)}", _read_session_id(stdin))
    return allow()


def _read_session_id(stdin: str | bytes) -> str | None:
    try:
        id = json.loads(stdin).get("session_id")
    except (ValueError, AttributeError, RecursionError):
        return None
    return id if isinstance(id, str) else None


def _parse_input(stdin_json: str) -> Mapping[str, Any]:
    if not stdin_json.strip():
        return {}
    parsed = json.loads(stdin_json)
    if not isinstance(parsed, dict):
        raise ValueError(f"stdin is not a JSON object, but a {type(parsed).__name__}")
    return parsed
