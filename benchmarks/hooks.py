"""What a hook costs: the recording ones against the bare interpreter, and a Stop with power steering.

    python benchmarks/hooks.py [ROUNDS]

The cases of a table are interleaved in one run: the ratios hold where the times do not.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
ENTRY = ROOT / "orchestrator" / "hooks" / "entry.py"
BARE = [sys.executable, "-I", "-S"]

GIVEN = {
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


def transcript(path: Path, megabytes: int) -> None:
    """Write a session of edits and test runs, as long as asked for."""
    with path.open("w") as file:
        file.write(_line("user", {"role": "user", "content": "Add a cache to the loader, with tests"}))
        number = 0
        while file.tell() < megabytes * 1_000_000:
            number += 1
            name = "Edit" if number % 3 else "Bash"
            given = {"file_path": f"/p/src/m{number}.py", "old_string": "x" * 300, "new_string": "y" * 300}
            call = {"type": "tool_use", "id": f"t{number}", "name": name, "input": given}
            call["input"] = given if name == "Edit" else {"command": "pytest -q"}
            file.write(_line("assistant", {"role": "assistant", "id": f"m{number}", "content": [call]}))
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "42 passed in 1.0s\n" * 20}
            file.write(_line("user", {"role": "user", "content": [result]}))


def _line(kind: str, message: dict) -> str:
    return json.dumps({"type": kind, "sessionId": "s", "cwd": "/p", "message": message}) + "\n"


def timed(command: list[str], env: dict[str, str], given: bytes) -> float:
    """Give the milliseconds of a process."""
    began = time.perf_counter()
    subprocess.run(command, env=env, input=given, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - began) * 1000


def main(rounds: int) -> None:
    """Print the medians."""
    with tempfile.TemporaryDirectory() as name:
        project = Path(name)
        env = {"PATH": os.environ["PATH"], "HOME": name, "TMPDIR": name, "CLAUDE_PROJECT_DIR": name}
        command = [sys.executable, str(ROOT / "tune_skill.py"), "config", "set", "hooks.power_steering", "true"]
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
        session = project / f"{GIVEN['session_id']}.jsonl"
        transcript(session, 10)
        long = json.dumps({**GIVEN, "transcript_path": str(session)}).encode()
        speaking = [sys.executable, str(ROOT / "tune_skill.py"), "hook"]
        cases = {
            "python -I -S -c pass": [*BARE, "-c", "pass"],
            "python -I -S -c 'import json'": [*BARE, "-c", "import json"],
            **{event: [*BARE, str(ENTRY), event] for event in ("PreToolUse", "PostToolUse", "SubagentStop")},
        }
        times = {case: [] for case in cases}
        for _ in range(rounds):
            for case, command in cases.items():
                times[case].append(timed(command, env, json.dumps(GIVEN).encode()))
        bare = median(times["python -I -S -c pass"])
        for case, found in times.items():
            print(f"{case:<32} {median(found):6.1f} ms  {median(found) / bare:.2f}x")
        for event in ("SessionStart", "UserPromptSubmit", "Stop"):
            found = [timed([*speaking, event], env, long) for _ in range(5)]
            print(f"{event + ', 10 MB transcript':<32} {median(found):6.0f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
