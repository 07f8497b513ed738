"""Compare the CPU time and memory of linters of skills on the same skills. They check other things.

    python benchmarks/peers.py [FOLDER] [--tools DIR]

Installs this checkout, agnix, skillsaw, skillcheck and skills-ref by pip and claude-code-lint by npm into DIR (default:
a temporary folder), so that each has its bytecode. Tools that cannot be installed are omitted. FOLDER holds skills
(default: the examples). Prints the minimum CPU seconds of two rounds, with the tools interleaved.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from fleet import EXAMPLES, copy_skills  # noqa: E402

PYPI = (str(ROOT), "agnix", "skillsaw", "skillcheck", "skills-ref")
NPM = "claude-code-lint"
ROUNDS = 2
COUNTS = (1, 47)
"""Numbers of skills in the two projects."""


@dataclass(frozen=True)
class Usage:
    """CPU seconds and megabytes of one process."""

    cpu: float
    memory: float


def install_tools(tools: Path) -> dict[str, list[str]]:
    """Install the tools, and return the command of each installed one; `{}` becomes the folder of a skill."""
    tools.mkdir(parents=True, exist_ok=True)
    python = tools / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
    for name in PYPI:
        subprocess.run([python, "-m", "pip", "install", "-q", name], check=False, capture_output=True)
    with suppress(OSError):
        subprocess.run(["npm", "install", "--prefix", str(tools), NPM], check=False, capture_output=True)
    node = tools / "node_modules" / ".bin" / "claudelint"
    own_command = [str(tools / "bin" / "tune-skill"), "diagnose", ".claude/skills", "--jobs", "1", "--no-cache"]
    commands = {
        "tune-skill": own_command,
        "agnix": [str(tools / "bin" / "agnix"), "."],
        "skillsaw": [str(tools / "bin" / "skillsaw"), "lint", "."],
        "skillcheck": [str(tools / "bin" / "skillcheck"), "."],
        "skills-ref (one skill a process)": [str(tools / "bin" / "agentskills"), "validate", "{}"],
        NPM: [str(node), "validate-skills"],
    }
    return {name: command for name, command in commands.items() if Path(command[0]).exists()}


def list_project_commands(tools: Path) -> dict[str, list[str]]:
    """Return the commands of the linters in a folder that check a whole repository."""
    commands = {
        "tune-skill": [str(tools / "bin" / "tune-skill"), "diagnose", ".", "--format", "concise"],
        "agnix": [str(tools / "bin" / "agnix"), "."],
        "skillsaw": [str(tools / "bin" / "skillsaw"), "lint", "."],
        "skillcheck": [str(tools / "bin" / "skillcheck"), "."],
        NPM: [str(tools / "node_modules" / ".bin" / "claudelint"), "check-all"],
    }
    return {name: command for name, command in commands.items() if Path(command[0]).exists()}


def measure_run(command: list[str], project: Path) -> Usage:
    """Run a command in a project, or once for each skill if it takes only one skill."""
    skills = sorted((project / ".claude" / "skills").iterdir())
    runs = [[part.format(skill) for part in command] for skill in (skills if "{}" in command else [""])]
    cpu = memory = 0.0
    for run in runs:
        process = subprocess.Popen(run, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, spent = os.wait4(process.pid, 0)
        if os.waitstatus_to_exitcode(status) not in (0, 1, 2):
            raise SystemExit(f"{run[0]} failed: {status}")
        cpu += spent.ru_utime + spent.ru_stime
        memory = max(memory, spent.ru_maxrss / 1024)
    return Usage(cpu, memory)


def measure_tools(folder: Path, tools: Path, temp: Path) -> dict[str, list[Usage]]:
    """Return the minimum usage of each tool for each of COUNTS."""
    commands = install_tools(tools)
    usages: dict[str, list[Usage]] = {name: [] for name in commands}
    for count in COUNTS:
        project = temp / str(count)
        copy_skills(folder, count, project / ".claude" / "skills")
        rounds = [{name: measure_run(command, project) for name, command in commands.items()} for _ in range(ROUNDS)]
        for name in commands:
            usages[name].append(min((usage_by_name[name] for usage_by_name in rounds), key=lambda usage: usage.cpu))
    return usages


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=EXAMPLES)
    parser.add_argument("--tools", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        temp = Path(name)
        print(f"{'CPU, largest process':34}" + "".join(f"{f'{count} skills':>24}" for count in COUNTS))
        for tool, rows in measure_tools(options.folder, options.tools or temp / "tools", temp).items():
            print(f"{tool:34}" + "".join(f"{row.cpu:>14.2f} s{row.memory:>5.0f} MB" for row in rows))


if __name__ == "__main__":
    main()
