"""Hooks tried as Claude Code runs them: by their command line, with a sample on stdin, in a project thrown away."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import schemas
from orchestrator import durable
from orchestrator.errors import one_line
from orchestrator.hooks.samples import sample, sample_transcript
from orchestrator.installation.settings import TIMEOUT
from orchestrator.sessions import consent
from orchestrator.sessions.config import DEFAULTS, ConsciousnessConfig
from orchestrator.sessions.paths import data_dir


@dataclass(frozen=True)
class Trial:
    """How a hook answered: milliseconds, its answer (None when it says nothing), what was wrong ("" for nothing)."""

    event: str
    command: str
    milliseconds: float
    answer: dict[str, Any] | None
    problem: str


def tried(event: str, command: str) -> Trial:
    """Run a hook's command line with a sample. Errors that a session would never notice show here."""
    with _project() as folder:
        began = time.perf_counter()
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", command], input=sample(event, folder / "session.jsonl"), cwd=folder,
                env=_environment(folder), capture_output=True, text=True, timeout=TIMEOUT, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Trial(event, command, TIMEOUT * 1000.0, None, f"no answer within {TIMEOUT} s")
        took = (time.perf_counter() - began) * 1000
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        return Trial(event, command, took, None, one_line(f"exit code {done.returncode}: {last}"))
    return Trial(event, command, took, *_answer(done.stdout))


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
            consent.switch(folder, {f"hooks.{key}": value for key, value in hooks.items()}, _state(folder))
        (folder / "session.jsonl").write_text(sample_transcript())
        yield folder


def _environment(folder: Path) -> dict[str, str]:
    ours = ("MACF_EVENTS_LOG_PATH", "TUNE_SKILL_JUDGE", "AMPLIHACK_PS_STATE_DIR")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "CLAUDE_PROJECT_DIR": str(folder), "TMPDIR": str(folder), "XDG_STATE_HOME": str(_state(folder)),
            "TUNE_SKILL_STRICT": "1"}  # fmt: skip


def _state(folder: Path) -> Path:
    return folder / "state"
