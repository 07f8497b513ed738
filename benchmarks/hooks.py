"""Measure the cost of recording hooks relative to a bare interpreter, and of a Stop with power steering.

    python benchmarks/hooks.py [ROUNDS] [--against COMMIT]

--against: compare only the Stop hook of this checkout and of a commit. The cases of a table are interleaved, so ratios
are comparable on a busy machine.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
ENTRY = ROOT / "orchestrator" / "guard" / "hooks" / "entry.py"
BARE = [sys.executable, "-I", "-S"]

HOOK_INPUT = {
    "session_id": "1a2b3c4d-0000-4000-8000-000000000000",
    "transcript_path": "/nowhere/session.jsonl",
    "cwd": "/nowhere",
    "prompt_id": "5e6f7a8b-0000-4000-8000-000000000000",
    "hook_event_name": "PostToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "make check", "description": "Run the checks"},
    "tool_response": {"stdout": "line of output\n" * 100, "stderr": "", "interrupted": False},
    "tool_use_id": "toolu_0000",
}


def write_transcript(path: Path, megabytes: int) -> None:
    """Write a session of edits and test runs that has this size."""
    with path.open("w") as file:
        file.write(_line("user", {"role": "user", "content": "Add a cache to the loader, with tests"}))
        number = 0
        while file.tell() < megabytes * 1_000_000:
            number += 1
            name = "Edit" if number % 3 else "Bash"
            edit_input = {"file_path": f"/p/src/m{number}.py", "old_string": "x" * 300, "new_string": "y" * 300}
            call = {"type": "tool_use", "id": f"t{number}", "name": name, "input": edit_input}
            call["input"] = edit_input if name == "Edit" else {"command": "pytest -q"}
            file.write(_line("assistant", {"role": "assistant", "id": f"m{number}", "content": [call]}))
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "42 passed in 1.0s\n" * 20}
            file.write(_line("user", {"role": "user", "content": [result]}))


def _line(kind: str, message: dict) -> str:
    return json.dumps({"type": kind, "sessionId": "s", "cwd": "/p", "message": message}) + "\n"


def time_command(command: list[str], env: dict[str, str], stdin: bytes) -> tuple[float, float]:
    """Return the wall time and CPU time of a process in milliseconds."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, input=stdin, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main(rounds: int, against: str = "") -> None:
    """Print the medians."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        env = {"PATH": os.environ["PATH"], "HOME": name, "TMPDIR": name, "CLAUDE_PROJECT_DIR": name}
        command = [sys.executable, str(ROOT / "tune_skill.py"), "config", "set", "hooks.power_steering", "true"]
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
        session = project / f"{HOOK_INPUT['session_id']}.jsonl"
        write_transcript(session, 10)
        long = json.dumps({**HOOK_INPUT, "transcript_path": str(session)}).encode()
        if against:
            checkout = project / "before"
            subprocess.run(["git", "worktree", "add", "-q", "--detach", str(checkout), against], cwd=ROOT, check=True)
            stops = {"this checkout": ROOT, against: checkout}
            programs = {
                name: [sys.executable, str(root / "tune_skill.py"), "hook", "Stop"] for name, root in stops.items()
            }
            try:
                print_times({case: (command, long) for case, command in programs.items()}, env, rounds)
            finally:
                subprocess.run(["git", "worktree", "remove", "--force", str(checkout)], cwd=ROOT, check=True)
            return
        hook_command = [sys.executable, str(ROOT / "tune_skill.py"), "hook"]
        short = json.dumps(HOOK_INPUT).encode()
        cases = {
            "python -I -S -c pass": ([*BARE, "-c", "pass"], short),
            "python -I -S -c 'import json'": ([*BARE, "-c", "import json"], short),
            **{event: ([*BARE, str(ENTRY), event], short) for event in ("PreToolUse", "PostToolUse", "SubagentStop")},
        }
        print_times(cases, env, rounds)
        for event in ("SessionStart", "UserPromptSubmit", "Stop"):
            cases[f"{event}, 10 MB transcript"] = ([*hook_command, event], long)
        print("\nhooks with output, and a Stop with power steering")
        print_times(cases, env, max(5, rounds // 5))


def print_times(cases: dict[str, tuple[list[str], bytes]], env: dict[str, str], rounds: int) -> None:
    """Print the median times of the cases, and their ratios to the first case."""
    times: dict[str, list[tuple[float, float]]] = {case: [] for case in cases}
    for _ in range(rounds):
        for case, (command, stdin) in cases.items():
            times[case].append(time_command(command, env, stdin))
    baseline: list[float] = []
    for case, of_case in times.items():
        wall, cpu = (median(column) for column in zip(*of_case, strict=True))
        baseline = baseline or [wall, cpu]
        print(f"{case:<32} {wall:6.1f} ms {wall / baseline[0]:6.2f}x   CPU {cpu:6.1f} ms {cpu / baseline[1]:6.2f}x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", nargs="?", type=int, default=50)
    parser.add_argument("--against", default="")
    options = parser.parse_args()
    main(options.rounds, options.against)
