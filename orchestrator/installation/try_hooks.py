"""Hooks tried: started with a sample on stdin, as Claude Code does, but with no shell, in a project thrown away."""

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
from orchestrator.guard.hooks.samples import sample, sample_transcript
from orchestrator.guard.sessions import consent
from orchestrator.guard.sessions.config import DEFAULTS, ConsciousnessConfig
from orchestrator.guard.sessions.paths import data_dir
from orchestrator.installation.command import NAME
from orchestrator.installation.settings import SILENT_EVENTS, TIMEOUT, format_command, hook_words
from orchestrator.installation.status import ActiveHook, read_status


@dataclass(frozen=True)
class TryResult:
    """How a hook answered: milliseconds, its answer (None when it says nothing), what was wrong ("" for nothing)."""

    event: str
    command: str
    milliseconds: float
    answer: dict[str, Any] | None
    problem: str


def try_hooks(events: Sequence[str], speak_at_tools: bool) -> list[TryResult]:
    """Run the hooks of events: those that are installed, and those that would be where none is.

    Settings may come with a clone. So no command of theirs is run: only what `install` writes, where they say the same.
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
    return one_line(f"not run, for this installation did not write it ({one.scope} settings): {one.command[:200]}")


def try_hook(event: str, words: list[str]) -> TryResult:
    """Run a hook with a sample. Errors that a session would never notice show here."""
    command = format_command(words, event)
    with _project() as folder:
        began = time.perf_counter()
        try:
            done = subprocess.run(
                words, input=sample(event, folder / "session.jsonl"), cwd=folder, env=_environment(folder),
                capture_output=True, text=True, timeout=TIMEOUT, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return TryResult(event, command, TIMEOUT * 1000.0, None, f"no answer within {TIMEOUT} s")
        except OSError as error:
            return TryResult(event, command, 0.0, None, one_line(f"{words[0]} cannot be started: {error.strerror}"))
        took = (time.perf_counter() - began) * 1000
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        return TryResult(event, command, took, None, one_line(f"exit code {done.returncode}: {last}"))
    return TryResult(event, command, took, *_answer("" if event in SILENT_EVENTS else done.stdout))


def _answer(text: str) -> tuple[dict[str, Any] | None, str]:
    if not text:
        return None, ""
    try:
        answer = json.loads(text)
        schemas.check("hook_output", answer)
    except ValueError as error:
        return None, one_line(f"not an answer that Claude Code takes: {error}")
    return answer, ""


@contextmanager
def _project() -> Iterator[Path]:
    """Make a project with a session, and the configuration of this one but for the judge: a test costs nothing."""
    with TemporaryDirectory(prefix="tune-skill-hooks-") as name:
        folder = Path(name)
        durable.ensure_private_dir(data_dir(folder))
        if (own := ConsciousnessConfig()).values:
            hooks = {key: own.get("hooks", key) for key in DEFAULTS["hooks"]} | {"judge": "none"}
            durable.write_json(data_dir(folder) / "config.json", {**own.values, "hooks": hooks})
            consent.give_consent(folder, {f"hooks.{key}": value for key, value in hooks.items()}, _state(folder))
        (folder / "session.jsonl").write_text(sample_transcript())
        yield folder


def _environment(folder: Path) -> dict[str, str]:
    ours = ("MACF_EVENTS_LOG_PATH", "TUNE_SKILL_JUDGE", "AMPLIHACK_PS_STATE_DIR")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "CLAUDE_PROJECT_DIR": str(folder), "TMPDIR": str(folder), "XDG_STATE_HOME": str(_state(folder)),
            "TUNE_SKILL_STRICT": "1"}  # fmt: skip


def _state(folder: Path) -> Path:
    return folder / "state"
