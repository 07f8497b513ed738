"""Kill a trial repeatedly at random times and continue it: no run may be paid twice, no process may be left.

    ./dev bench trial_kills            20 kills
    ./dev bench trial_kills --kills 3

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
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.scripted_api import Reply, ScriptedApi, said, text, tool, tools_of

Checks = tuple[Mapping[str, str], ...]

ROOT = Path(__file__).parents[1]
_SKILL = "---\nname: greeter\ndescription: Greets people. Use when a person is greeted.\n---\n# Greeter\n\n{}\n"
_MOST, _AT_WORK = 60, 0.8
_LEDGERS = ".workflow/skill-trials/*/ledger.jsonl"
_CHECKS = ({"text": "please"}, {"command": "sleep 0.2"})
_READ = ({"rubric": "It is polite."},)


@dataclass
class Killed:
    """The result: kills, processes that outlived a kill by two seconds, runs paid twice, and the trial's result."""

    kills: int = 0
    left: list[str] = field(default_factory=list)
    twice: list[Any] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)


def greeter(request: Any) -> Any:
    """Use the skill, then follow its text. A reader answers slowly."""
    if "StructuredOutput" in tools_of(request):
        met = {"number": 1, "met": True, "quote": "Hello, please.", "reason": "so"}
        return Reply((tool("StructuredOutput", criteria=[met]),), delay=0.5)
    words = said(request)
    if "Base directory for this skill" not in words:
        return tool("Skill", skill="greeter")
    return text("Hello, please." if "PLEASE" in words else "Hello.")


def kill_trials(folder: Path, kills: int, seed: int, tasks: int = 2, runs: int = 3, checks: Checks = _CHECKS) -> Killed:
    """Kill a trial so many times, then let it come to its end."""
    draw, done = random.Random(seed), Killed()
    project, temp = folder / "project", folder / "temp"
    for name, rule in (("greeter", "Always say PLEASE."), ("old", "Say something.")):
        (project / name).mkdir(parents=True)
        (project / name / "SKILL.md").write_text(_SKILL.format(rule))
    temp.mkdir()
    pipe = subprocess.PIPE
    asked = [{"name": f"greet-{n}", "prompt": f"Greet number {n}.", "checks": checks} for n in range(tasks)]
    (project / "tasks.json").write_text(json.dumps({"tasks": asked}))
    words = [sys.executable, str(ROOT / "tune_skill.py"), "trial", "greeter", "--against", "old", "--tasks",
             "tasks.json", "--runs", str(runs), "--jobs", "2", "--yes", "--max-cost-usd", "100",
             "--format", "json", "--quiet"]  # fmt: skip
    with ScriptedApi(greeter) as api:
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder / "home"), "TMPDIR": str(temp), "PYTHONPATH": str(ROOT),
            "ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "dummy", "TUNE_SKILL_STRICT": "1",
        }  # fmt: skip
        for _ in range(_MOST):
            process = subprocess.Popen(words, cwd=project, env=environment, stdout=pipe, stderr=pipe)
            if done.kills < kills:
                if draw.random() < _AT_WORK:
                    _until_it_writes(project, process)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(draw.uniform(0.0, 3.0))
            if done.kills < kills and process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                done.kills += 1
                done.left += list_survivors(temp)
                continue
            out, err = process.communicate()
            if process.returncode:
                raise RuntimeError(err.decode())
            done.result = json.loads(out)
            break
        done.left += [f"a folder: {path.name}" for path in temp.glob("tune-skill-*")]
    _count(project, done)
    return done


def _until_it_writes(project: Path, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a command has noted what it does: on a busy machine most kills would fall into its start."""

    def size() -> int:
        return sum(ledger.stat().st_size for ledger in project.glob(_LEDGERS))

    before = size()
    while size() == before and process.poll() is None:
        time.sleep(0.01)


def _count(project: Path, done: Killed) -> None:
    """Read the ledgers: a run that was held never begins again, and is held once."""
    for ledger in project.glob(_LEDGERS):
        held: set[tuple[Any, ...]] = set()
        for line in ledger.read_text().splitlines():
            record = json.loads(line)
            key = tuple(record["run"])
            done.events[record["event"]] += 1
            if record["event"] in ("began", "held") and key in held:
                done.twice.append(key)
            if record["event"] == "held":
                held.add(key)


def list_survivors(temp: Path) -> list[str]:
    """Return the processes of a killed trial that are still there after two seconds."""
    until, found = time.monotonic() + 2, [""]
    while found and time.monotonic() < until:
        time.sleep(0.05)
        found = _processes(temp)
    return found


def _processes(temp: Path) -> list[str]:
    found = []
    for process in Path("/proc").iterdir():
        with suppress(OSError):
            ours = f"TMPDIR={temp}".encode() in (process / "environ").read_bytes()
            if ours and (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def main() -> int:
    """Print what came of it; returns 1 when something was left or paid twice."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kills", type=int, default=20)
    kills, total, seed = parser.parse_args().kills, Killed(), 0
    while total.kills < kills:
        with tempfile.TemporaryDirectory(prefix="trial-kills-") as folder:
            done = kill_trials(Path(folder), min(5, kills - total.kills), seed, checks=(*_CHECKS, *_READ))
        seed += 1
        total.kills += done.kills
        total.left += done.left
        total.twice += done.twice
        total.events += done.events
        counts = {name: done.result[name] for name in ("verdict", "before", "after")}
        print(f"trial {seed}: {done.kills} kills, {dict(done.events)}, {counts}", flush=True)
    print(f"{total.kills} kills: {len(total.twice)} runs paid twice, {len(total.left)} processes or folders left")
    print(*total.left, sep="\n")
    return int(bool(total.twice or total.left))


if __name__ == "__main__":
    sys.exit(main())
