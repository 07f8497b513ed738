"""Compare what linters report of whole repositories, and their time, on copies of the same repositories in one run.

    python benchmarks/peer_findings.py FOLDER [FOLDER ...] --tools DIR [--draw 20 -o FILE]

Each FOLDER is a repository. DIR holds the linters as `benchmarks/peers.py` installs them, this checkout among them.
Counted are errors and warnings, and findings of medium severity or worse of tune-skill; notes and low findings are not.
--draw writes that many findings of each linter at random, for a reader to judge.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.peers import NPM

SEED = 30
HEAVY = ("error", "warning")


@dataclass(frozen=True)
class Reported:
    """One finding of a linter in a repository."""

    tool: str
    repository: str
    severity: str
    rule: str
    file: str
    line: int
    message: str


@dataclass(frozen=True)
class Run:
    """The findings of one run of a linter, and its CPU seconds."""

    findings: list[Reported]
    cpu: float


def list_commands(tools: Path) -> dict[str, list[str]]:
    """Return the command of each installed linter that prints JSON about the current folder."""
    ours = [str(tools / "bin" / "tune-skill"), "diagnose", ".", "--format", "json", "--no-cache", "--jobs", "1"]
    commands = {
        "tune-skill": [*ours, "--quiet"],
        "agnix": [str(tools / "bin" / "agnix"), ".", "--format", "json"],
        "skillsaw": [str(tools / "bin" / "skillsaw"), "lint", ".", "--format", "json", "--no-progress"],
        "skillcheck": [str(tools / "bin" / "skillcheck"), ".", "--format", "json"],
        NPM: [str(tools / "node_modules" / ".bin" / "claudelint"), "check-all", "--format", "json", "--no-cache"],
    }
    return {name: command for name, command in commands.items() if Path(command[0]).exists()}


def run_linter(tool: str, command: list[str], repository: Path) -> Run:
    """Run a linter in a copy of a repository. Raises SystemExit if it prints no JSON."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, cwd=repository, stdout=out, stderr=subprocess.DEVNULL)
        _, status, spent = os.wait4(process.pid, 0)
        out.seek(0)
        text = out.read()
    try:
        said = json.loads(text[min(n for n in (text.find("{"), text.find("[")) if n >= 0) :])
    except ValueError as error:
        raise SystemExit(f"{command[0]} in {repository}: exit {status}, no JSON: {text[:200]}") from error
    found = [Reported(tool, repository.name, *row) for row in READERS[tool](said) if row[0] in HEAVY]
    return Run(found, spent.ru_utime + spent.ru_stime)


Row = tuple[str, str, str, int, str]
"""Severity, rule, file, line, message."""


def _read_ours(said: Any) -> Iterator[Row]:
    for row in said:
        for one in row.get("issues", ()):
            at = one["location"]
            file = at["file"] if "unit" in row else f"{row['skill']['path']}/{at['file']}"
            severity = "note" if one["severity"] == "low" else "error" if one["severity"] != "medium" else "warning"
            yield severity, one["pattern"], file, at["line_start"] or 0, one["description"]


def _read_agnix(said: Any) -> Iterator[Row]:
    for one in said["diagnostics"]:
        yield one["level"], one["rule"], one["file"], one["line"], one["message"]


def _read_skillsaw(said: Any) -> Iterator[Row]:
    for one in said["violations"]:
        yield one["severity"], one["rule_id"], one["file_path"] or "", one["line"] or 0, one["message"]


def _read_skillcheck(said: Any) -> Iterator[Row]:
    for result in said["results"]:
        for one in result["diagnostics"]:
            yield one["severity"], one["rule"], result["path"], one["line"] or 0, one["message"]


def _read_claudelint(said: Any) -> Iterator[Row]:
    for part in said["validators"]:
        for severity in HEAVY:
            for one in part[f"{severity}s"]:
                yield severity, one.get("ruleId", ""), one.get("file", ""), one.get("line", 0) or 0, one["message"]


READERS = {
    "tune-skill": _read_ours,
    "agnix": _read_agnix,
    "skillsaw": _read_skillsaw,
    "skillcheck": _read_skillcheck,
    NPM: _read_claudelint,
}


def main() -> None:
    """Print a table of counts and CPU seconds; write a sample if asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--draw", type=int, default=0, help="findings to draw of each linter")
    parser.add_argument("-o", "--output", type=Path, help="where to write them, as JSON lines")
    options = parser.parse_args()
    runs: dict[str, list[Run]] = {tool: [] for tool in list_commands(options.tools)}
    with tempfile.TemporaryDirectory() as temp:
        for folder in options.folders:
            copy = Path(temp) / folder.name
            shutil.copytree(folder, copy, symlinks=True)
            for tool, command in list_commands(options.tools).items():
                runs[tool].append(run_linter(tool, command, copy))
            shutil.rmtree(copy)
    chance, drawn = random.Random(SEED), list[Reported]()
    print(f"{'linter':<18}{'errors':>8}{'warnings':>10}{'CPU':>10}   in {len(options.folders)} repositories")
    for tool, of_tool in runs.items():
        found = [one for run in of_tool for one in run.findings]
        errors = sum(one.severity == "error" for one in found)
        print(f"{tool:<18}{errors:>8}{len(found) - errors:>10}{sum(run.cpu for run in of_tool):>8.2f} s", flush=True)
        drawn += chance.sample(found, min(options.draw, len(found)))
    if options.output:
        options.output.write_text("".join(json.dumps(asdict(one)) + "\n" for one in drawn), "utf-8")


if __name__ == "__main__":
    main()
