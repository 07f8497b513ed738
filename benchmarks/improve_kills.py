"""Kill an improvement repeatedly at random times and continue it: nothing may be paid twice, no process may be left.

    ./dev bench improve_kills            20 kills
    ./dev bench improve_kills --kills 5

The real Claude Code of the SDK's wheel; only the model is scripted. A kill is SIGKILL to the command alone.
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
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.trial_kills import list_survivors
from tests.orchestrator.tuning.improve.conftest import SKILL, Model, write_tasks
from tests.scripted_api import ScriptedApi

ROOT = Path(__file__).parents[1]
_MOST, _LONGEST = 80, 15.0
"""The number of commands for one improvement, and the seconds at work after which a kill falls."""


@dataclass
class Killed:
    """The kills, the stages in which they fell, what outlived a kill, keys paid twice, and the last state."""

    kills: int = 0
    stages: Counter[str] = field(default_factory=Counter)
    left: list[str] = field(default_factory=list)
    twice: list[Any] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    leaks: int = 0


def kill_improvement(folder: Path, kills: int, seed: int) -> Killed:
    """Kill an improvement so many times, then let it come to its end."""
    draw, done, model = random.Random(seed), Killed(), Model()
    project, temp = folder / "project", folder / "temp"
    (project / "greeter").mkdir(parents=True)
    (project / "greeter" / "SKILL.md").write_text(SKILL)
    temp.mkdir()
    tasks = write_tasks(project, 8, warm=20)
    words = [sys.executable, str(ROOT / "tune_skill.py"), "improve", "greeter", "--tasks", tasks, "--exam-runs", "2",
             "--practice-runs", "2", "--jobs", "2", "--yes", "--max-cost-usd", "100", "--quiet"]  # fmt: skip
    with ScriptedApi(model) as api:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder / "home"), "TMPDIR": str(temp), "PYTHONPATH": str(ROOT),
            "ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "dummy", "TUNE_SKILL_STRICT": "1",
        }  # fmt: skip
        for _ in range(_MOST):
            process = subprocess.Popen(
                words, cwd=project, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )  # fmt: skip
            if done.kills < kills:
                _wait_for_work(project, process)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(draw.uniform(0.0, _LONGEST))
            if done.kills < kills and process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                done.kills += 1
                done.stages[read_state(project).get("stage", "no state")] += 1
                done.left += list_survivors(temp)
                continue
            _, err = process.communicate()
            if process.returncode > 1:
                raise RuntimeError(err.decode())
            break
        done.left += [f"a folder: {path.name}" for path in temp.glob("tune-skill-*")]
    done.state = read_state(project)
    done.twice = find_twice(project)
    prompts = {task["name"]: task["prompt"] for task in json.loads(Path(tasks).read_text())["tasks"]}
    done.leaks = sum(prompts[name] in asked for name in done.state["exam_tasks"] for asked in model.asked)
    return done


def _wait_for_work(project: Path, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a command has paid or saved something: on a busy machine most kills would fall into its start."""

    def size() -> int:
        return sum(path.stat().st_size for path in project.glob(".workflow/skill-improvements/*/ledger.jsonl"))

    before = size()
    while size() == before and process.poll() is None:
        time.sleep(0.01)


def read_state(project: Path) -> dict[str, Any]:
    """Return the state of the only improvement of a project; {} before there is one."""
    for path in project.glob(".workflow/skill-improvements/*/improvement.json"):
        state: dict[str, Any] = json.loads(path.read_text())
        return state
    return {}


def find_twice(project: Path) -> list[Any]:
    """Return the runs and questions that began again after they were paid."""
    found, held = [], set()
    for path in project.glob(".workflow/skill-improvements/*/ledger.jsonl"):
        for record in map(json.loads, path.read_text().splitlines()):
            key = tuple(record["run"])
            found += [key] if record["event"] in ("began", "held") and key in held else []
            held |= {key} if record["event"] == "held" else set()
    return found


def main() -> int:
    """Print what came of it; return 1 when something was left, paid twice, or shown of the exam."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    kills, total, seed = parser.parse_args().kills, Killed(), 0
    while total.kills < kills:
        with tempfile.TemporaryDirectory(prefix="improve-kills-") as folder:
            done = kill_improvement(Path(folder), min(7, kills - total.kills), seed)
        seed += 1
        total.kills += done.kills
        total.left += done.left
        total.twice += done.twice
        total.leaks += done.leaks
        print(f"improvement {seed}: {done.kills} kills {dict(done.stages)}, {done.state['stage']}, "
              f"{done.state['runs']} runs, {done.state['questions']} questions", flush=True)  # fmt: skip
    print(f"{total.kills} kills: {len(total.twice)} paid twice, {len(total.left)} processes or folders left, "
          f"{total.leaks} texts of the exam in questions")  # fmt: skip
    print(*total.left, sep="\n")
    return int(bool(total.twice or total.left or total.leaks))


if __name__ == "__main__":
    sys.exit(main())
