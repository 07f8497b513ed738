"""Test hooks by running them with sample input in a temporary project, without the shell that Claude Code uses."""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

import schemas
from orchestrator.errors import one_line
from orchestrator.fs import durable
from orchestrator.fs.temp_folder import create_temp_folder
from orchestrator.guard.hooks.samples import build_sample, build_transcript
from orchestrator.guard.sessions import consent
from orchestrator.guard.sessions.config import DEFAULTS, ProjectConfig
from orchestrator.guard.sessions.paths import data_dir
from orchestrator.installation.command import NAME
from orchestrator.installation.settings import SILENT_EVENTS, TIMEOUT, build_hook_words, format_command
from orchestrator.installation.status import ActiveHook, read_status


class TryResult(msgspec.Struct, frozen=True):
    """The result of running a hook.

    `answer` is the answer that the hook printed, or None. `problem` is what went wrong, or "".
    """

    event: str
    command: str
    milliseconds: float
    answer: dict[str, Any] | None
    problem: str


def try_hooks(events: Sequence[str], speak_at_tools: bool) -> list[TryResult]:
    """Run the installed hook of each event, or the hook to be installed if there is none.

    An installed command is run only if `install` would write the same command, because the settings could come from a
    cloned repository.
    """
    active = read_status(speak_at_tools).hooks
    results: list[TryResult] = []
    for event in events:
        hooks = [hook for hook in active if hook.event == event]
        results += [
            TryResult(event, hook.command, 0.0, None, _describe_skipped(hook)) for hook in hooks if not hook.current
        ]
        if not hooks or any(hook.current for hook in hooks):
            is_plugin = any(hook.scope == "plugin" for hook in hooks)
            words = [NAME, "hook", event] if is_plugin else build_hook_words(event, speak_at_tools)
            results.append(try_hook(event, words))
    return results


def _describe_skipped(hook: ActiveHook) -> str:
    return one_line(
        f"not run, because this installation did not write it ({hook.scope} settings): {hook.command[:200]}"
    )


def try_hook(event: str, words: list[str]) -> TryResult:
    """Run a hook with sample input and return its errors, which Claude Code ignores in a session."""
    command = format_command(words, event)
    with _create_project() as folder:
        start = time.perf_counter()
        try:
            process = subprocess.run(
                words, input=build_sample(event, folder / "session.jsonl"), cwd=folder, env=_build_environment(folder),
                capture_output=True, text=True, timeout=TIMEOUT, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return TryResult(event, command, TIMEOUT * 1000.0, None, f"no answer within {TIMEOUT} s")
        except OSError as error:
            return TryResult(event, command, 0.0, None, one_line(f"{words[0]} cannot be started: {error.strerror}"))
        milliseconds = (time.perf_counter() - start) * 1000
    if process.returncode:
        last = (process.stderr.strip().splitlines() or ["no message"])[-1]
        return TryResult(event, command, milliseconds, None, one_line(f"exit code {process.returncode}: {last}"))
    return TryResult(event, command, milliseconds, *_parse_answer("" if event in SILENT_EVENTS else process.stdout))


def _parse_answer(text: str) -> tuple[dict[str, Any] | None, str]:
    """Return the answer that a hook printed (None if it printed none), and the problem with it ("" if none)."""
    if not text:
        return None, ""
    try:
        answer = json.loads(text)
        schemas.check("hook_output", answer)
    except ValueError as error:
        return None, one_line(f"invalid answer for Claude Code: {error}")
    return answer, ""


@contextmanager
def _create_project() -> Iterator[Path]:
    """Create a temporary project with a session and the configuration of this project.

    The judge is switched off in it, because its answers cost money.
    """
    with create_temp_folder("hooks") as folder:
        durable.ensure_private_dir(data_dir(folder))
        if (config := ProjectConfig()).values:
            hooks = {key: config.get("hooks", key) for key in DEFAULTS["hooks"]} | {"judge": "none"}
            durable.write_json(data_dir(folder) / "config.json", {**config.values, "hooks": hooks})
            consent.give_consent(
                folder, {f"hooks.{key}": value for key, value in hooks.items()}, _get_state_folder(folder)
            )
        (folder / "session.jsonl").write_text(build_transcript())
        yield folder


def _build_environment(folder: Path) -> dict[str, str]:
    """Return the environment for a hook in a temporary project, which protects the user's state."""
    own_variables = ("MACF_EVENTS_LOG_PATH", "TUNE_SKILL_JUDGE", "AMPLIHACK_PS_STATE_DIR")
    inherited = {name: value for name, value in os.environ.items() if name not in own_variables}
    return {
        **inherited,
        "CLAUDE_PROJECT_DIR": str(folder),
        "TMPDIR": str(folder),
        "XDG_STATE_HOME": str(_get_state_folder(folder)),
        "TUNE_SKILL_STRICT": "1",
    }


def _get_state_folder(folder: Path) -> Path:
    return folder / "state"
