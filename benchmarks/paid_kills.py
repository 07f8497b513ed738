"""Kill a trial or an improvement repeatedly at random times, continue it, and count what is paid twice or left.

    ./dev bench paid_kills trial              20 kills
    ./dev bench paid_kills improve --kills 5

It uses the real Claude Code of the SDK's wheel; only the model is scripted. A kill is a SIGKILL to the command alone,
mostly after its first paid call. `faults.py` tries many more kills, without Claude Code.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.claude_code import LOW_CPU_ENVIRONMENT
from tests.orchestrator.tuning.improve.conftest import SKILL, Model, write_tasks
from tests.scripted_api import Reply, ScriptedApi, join_user_text, list_tool_names, text_block, tool_call

ROOT = Path(__file__).parents[1]
_TEXT = "---\nname: greeter\ndescription: Greets people. Use when a person is greeted.\n---\n# Greeter\n\n{}\n"
_COMMON = ("--jobs", "2", "--yes", "--max-cost-usd", "100", "--quiet")
_MAX_COMMANDS, _SHARE_AT_WORK = 80, 0.8
"""Maximum number of commands for one task; share of kills that wait until the ledger grows."""


@dataclass(frozen=True)
class Work:
    """A command to kill: its arguments, folders and result file, and the maximum wait before a kill in seconds."""

    words: tuple[str, ...]
    folders: str
    result: str
    longest: float
    prepare: Callable[[Path], None]
    model: Callable[[], Callable[[Any], Any]]


@dataclass
class KillResult:
    """Kills, events of the ledger, processes and folders left after a kill, keys that were paid twice, texts of the
    exam in questions, and the result of the command.
    """

    kills: int = 0
    events: Counter[str] = field(default_factory=Counter)
    left: list[str] = field(default_factory=list)
    twice: list[Any] = field(default_factory=list)
    leaks: int = 0
    result: dict[str, Any] = field(default_factory=dict)


def greet(request: Any) -> Any:
    """Use the skill, then follow its text. Questions to a judge are answered after half a second."""
    if "StructuredOutput" in list_tool_names(request):
        met = {"number": 1, "met": True, "quote": "Hello, please.", "reason": "so"}
        return Reply((tool_call("StructuredOutput", criteria=[met]),), delay=0.5)
    words = join_user_text(request)
    if "Base directory for this skill" not in words:
        return tool_call("Skill", skill="greeter")
    return text_block("Hello, please." if "PLEASE" in words else "Hello.")


def build_trial(tasks: int = 2, runs: int = 3, *, asks: bool = True) -> Work:
    """Build a trial. asks: its tasks also have a rubric, so that a model reads the runs."""
    checks: list[Mapping[str, str]] = [{"text": "please"}, {"command": "sleep 0.2"}]
    checks += [{"rubric": "It is polite."}] if asks else []

    def prepare(project: Path) -> None:
        for name, rule in (("greeter", "Always say PLEASE."), ("old", "Say something.")):
            (project / name).mkdir(parents=True)
            (project / name / "SKILL.md").write_text(_TEXT.format(rule))
        write_tasks(project, tasks, checks=checks)

    words = ("trial", "greeter", "--against", "old", "--tasks", "tasks.json", "--runs", str(runs), *_COMMON)
    return Work(words, ".workflow/skill-trials/*", "result.json", 3.0, prepare, lambda: greet)


def build_improvement() -> Work:
    """Build an improvement of a skill with a planted defect."""

    def prepare(project: Path) -> None:
        (project / "greeter").mkdir(parents=True)
        (project / "greeter" / "SKILL.md").write_text(SKILL)
        write_tasks(project, 8, warm=20)

    words = ("improve", "greeter", "--tasks", "tasks.json", "--exam-runs", "2", "--practice-runs", "2", *_COMMON)
    return Work(words, ".workflow/skill-improvements/*", "improvement.json", 15.0, prepare, Model)


def kill_repeatedly(work: Work, folder: Path, kills: int, seed: int) -> KillResult:
    """Kill a command this many times, then run it to its end."""
    draw, outcome, model = random.Random(seed), KillResult(), work.model()
    project, temp = folder / "project", folder / "temp"
    temp.mkdir(parents=True)
    work.prepare(project)
    words = [sys.executable, str(ROOT / "tune_skill.py"), *work.words]
    with ScriptedApi(model) as api:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder / "home"), "TMPDIR": str(temp), "PYTHONPATH": str(ROOT),
            "ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "dummy", "TUNE_SKILL_STRICT": "1",
            **LOW_CPU_ENVIRONMENT,
        }  # fmt: skip
        for _ in range(_MAX_COMMANDS):
            process = subprocess.Popen(
                words, cwd=project, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )  # fmt: skip
            if outcome.kills < kills:
                if draw.random() < _SHARE_AT_WORK:
                    _wait_for_work(work, project, process)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(draw.uniform(0.0, work.longest))
            if outcome.kills < kills and process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                outcome.kills += 1
                outcome.left += list_survivors(temp)
                continue
            _, err = process.communicate()
            if process.returncode:
                raise RuntimeError(err.decode())
            break
        outcome.left += [f"a folder: {path.name}" for path in temp.glob("tune-skill-*")]
    outcome.result = json.loads(next(project.glob(f"{work.folders}/{work.result}")).read_bytes())
    _read_ledgers(work, project, outcome)
    if isinstance(model, Model):
        prompts = {task["name"]: task["prompt"] for task in json.loads((project / "tasks.json").read_bytes())["tasks"]}
        outcome.leaks = sum(prompts[name] in asked for name in outcome.result["exam_tasks"] for asked in model.prompts)
    return outcome


def _wait_for_work(work: Work, project: Path, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the ledger grows, because on a busy machine most kills would hit the start of a command."""

    def size() -> int:
        return sum(ledger.stat().st_size for ledger in project.glob(f"{work.folders}/ledger.jsonl"))

    before = size()
    while size() == before and process.poll() is None:
        time.sleep(0.01)


def _read_ledgers(work: Work, project: Path, outcome: KillResult) -> None:
    """Count the events, and find keys that began or were held again after they were held."""
    for ledger in project.glob(f"{work.folders}/ledger.jsonl"):
        held_keys: set[tuple[Any, ...]] = set()
        for record in map(json.loads, ledger.read_text().splitlines()):
            key = tuple(record["run"])
            outcome.events[record["event"]] += 1
            outcome.twice += [key] if record["event"] in ("began", "held") and key in held_keys else []
            held_keys |= {key} if record["event"] == "held" else set()


def list_survivors(temp: Path) -> list[str]:
    """Return the processes of a killed command that still run after two seconds."""
    deadline, found = time.monotonic() + 2, [""]
    while found and time.monotonic() < deadline:
        time.sleep(0.05)
        found = _list_processes(temp)
    return found


def _list_processes(temp: Path) -> list[str]:
    found = []
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            is_ours = f"TMPDIR={temp}".encode() in (process / "environ").read_bytes()
            if is_ours and (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def main() -> int:
    """Print the results; return 1 if anything was left or paid twice, or a text of the exam was in a question."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("command", choices=("trial", "improve"))
    parser.add_argument("--kills", type=int, default=20)
    options, total, seed = parser.parse_args(), KillResult(), 0
    work = build_trial() if options.command == "trial" else build_improvement()
    while total.kills < options.kills:
        with tempfile.TemporaryDirectory(prefix="paid-kills-") as folder:
            outcome = kill_repeatedly(work, Path(folder), min(6, options.kills - total.kills), seed)
        seed += 1
        total.kills += outcome.kills
        total.left += outcome.left
        total.twice += outcome.twice
        total.leaks += outcome.leaks
        end = outcome.result.get("stage") or outcome.result.get("verdict")
        print(f"{options.command} {seed}: {outcome.kills} kills, {dict(outcome.events)}, {end}", flush=True)
    print(f"{total.kills} kills: {len(total.twice)} paid twice, {len(total.left)} processes or folders left, "
          f"{total.leaks} texts of the exam in questions")  # fmt: skip
    print(*total.left, sep="\n")
    return int(bool(total.twice or total.left or total.leaks))


if __name__ == "__main__":
    sys.exit(main())
