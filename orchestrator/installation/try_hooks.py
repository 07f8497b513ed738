"""Try hooks: run them with sample input, as Claude Code does but without a shell, in a temporary project."""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import schemas
from orchestrator.errors import one_line
from orchestrator.fs import durable
from orchestrator.guard.hooks.samples import build_sample, build_transcript
from orchestrator.guard.sessions import consent
from orchestrator.guard.sessions.config import DEFAULTS, ProjectConfig
from orchestrator.guard.sessions.paths import data_dir
from orchestrator.installation.command import NAME
from orchestrator.installation.settings import SILENT_EVENTS, TIMEOUT, format_command, hook_words
from orchestrator.installation.status import ActiveHook, read_status


@dataclass(frozen=True)
class TryResult:
    """The result of a hook: milliseconds, its answer (None without one), the problem ("" without one)."""

    event: str
    command: str
    milliseconds: float
    answer: dict[str, Any] | None
    problem: str


def try_hooks(events: Sequence[str], speak_at_tools: bool) -> list[TryResult]:
    """Run the installed hooks of events, and for an event without one the hook that would be installed.

    A command from the settings, which may come with a clone, is never run: only what `install` writes, if they agree.
    """
    active = read_status(speak_at_tools).hooks
    found: list[TryResult] = []
    for event in events:
        present = [one for one in active if one.event == event]
        found += [TryResult(event, one.command, 0.0, None, _foreign(one)) for one in present if not one.current]
        if not present or any(one.current for one in present):
            plugin = any(one.scope == "plugin" for one in present)
            found.append(try_hook(event, [NAME, "hook", event] if plugin else hook_words(event, speak_at_tools)))
    return found


def _foreign(one: ActiveHook) -> str:
    return one_line(f"not run, because this installation did not write it ({one.scope} settings): {one.command[:200]}")


def try_hook(event: str, words: list[str]) -> TryResult:
    """Run a hook with a sample; errors that a session would not notice are reported."""
    command = format_command(words, event)
    with _project() as folder:
        began = time.perf_counter()
        try:
            done = subprocess.run(
                words, input=build_sample(event, folder / "session.jsonl"), cwd=folder, env=_environment(folder),
                capture_output=True, text=True, timeout=TIMEOUT, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return TryResult(event, command, TIMEOUT * 1000.0, None, f"no answer within {TIMEOUT} s")
        except OSError as error:
            return TryResult(event, command, 0.0, None, one_line(f"{words[0]} cannot be started: {error.strerror}"))
        took = (time.perf_counter() - began) * 1000
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return TryResult(event, command, took, None, one_line(f"exit code {done.returncode}: {last}"))
    return TryResult(event, command, took, *_parse_answer("" if event in SILENT_EVENTS else done.stdout))


def _parse_answer(text: str) -> tuple[dict[str, Any] | None, str]:
    if not text:
        return None, ""
    try:
        answer = json.loads(text)
        schemas.check("hook_output", answer)
    except ValueError as error:
        return None, one_line(f"invalid answer for Claude Code: {error}")
    return answer, ""


@contextmanager
def _project() -> Iterator[Path]:
    """Make a temporary project with a session and this project's configuration, without the judge, which costs."""
    with TemporaryDirectory(prefix="tune-skill-hooks-") as name:
        folder = Path(name)
        durable.ensure_private_dir(data_dir(folder))
        if (own := ProjectConfig()).values:
            hooks = {key: own.get("hooks", key) for key in DEFAULTS["hooks"]} | {"judge": "none"}
            durable.write_json(data_dir(folder) / "config.json", {**own.values, "hooks": hooks})
            consent.give_consent(folder, {f"hooks.{key}": value for key, value in hooks.items()}, _state(folder))
        (folder / "session.jsonl").write_text(build_transcript())
        yield folder


def _environment(folder: Path) -> dict[str, str]:
    ours = ("MACF_EVENTS_LOG_PATH", "TUNE_SKILL_JUDGE", "AMPLIHACK_PS_STATE_DIR")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "CLAUDE_PROJECT_DIR": str(folder), "TMPDIR": str(folder), "XDG_STATE_HOME": str(_state(folder)),
            "TUNE_SKILL_STRICT": "1"}  # fmt: skip


def _state(folder: Path) -> Path:
    return folder / "state"
