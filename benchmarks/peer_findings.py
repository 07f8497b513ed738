"""Compare the findings and CPU time of linters on copies of the same repositories.

    python benchmarks/peer_findings.py FOLDER [FOLDER ...] --tools DIR [--draw 20 -o FILE]

Each FOLDER is a repository. DIR is the folder into which `benchmarks/peers.py` installed the linters and this checkout.
Errors and warnings count, and findings of tune-skill of at least medium severity; notes and low findings do not.
--draw writes a random sample of findings of each linter, for a reader to judge.
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
COUNTED = ("error", "warning")


@dataclass(frozen=True)
class ReportedFinding:
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

    findings: list[ReportedFinding]
    cpu: float


def list_commands(tools: Path) -> dict[str, list[str]]:
    """Return the command of each installed linter that checks the current folder and prints JSON."""
    own_command = [str(tools / "bin" / "tune-skill"), "diagnose", ".", "--format", "json", "--no-cache", "--jobs", "1"]
    commands = {
        "tune-skill": [*own_command, "--quiet"],
        "agnix": [str(tools / "bin" / "agnix"), ".", "--format", "json"],
        "skillsaw": [str(tools / "bin" / "skillsaw"), "lint", ".", "--format", "json", "--no-progress"],
        "skillcheck": [str(tools / "bin" / "skillcheck"), ".", "--format", "json"],
        NPM: [str(tools / "node_modules" / ".bin" / "claudelint"), "check-all", "--format", "json", "--no-cache"],
    }
    return {name: command for name, command in commands.items() if Path(command[0]).exists()}


def run_linter(tool: str, command: list[str], repository: Path) -> Run:
    """Run a linter in a copy of a repository. Raises SystemExit if it prints something else than JSON.

    One that finds nothing to check prints nothing.
    """
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, cwd=repository, stdout=out, stderr=subprocess.DEVNULL)
        _, status, spent = os.wait4(process.pid, 0)
        out.seek(0)
        text = out.read()
    if not text.strip():
        return Run([], spent.ru_utime + spent.ru_stime)
    try:
        output = json.loads(text[min(n for n in (text.find("{"), text.find("[")) if n >= 0) :])
    except ValueError as error:
        raise SystemExit(f"{command[0]} in {repository}: exit {status}, no JSON: {text[:200]}") from error
    found = [ReportedFinding(tool, repository.name, *row) for row in READERS[tool](output) if row[0] in COUNTED]
    return Run(found, spent.ru_utime + spent.ru_stime)


Row = tuple[str, str, str, int, str]
"""Severity, rule, file, line, message."""


def _read_ours(output: Any) -> Iterator[Row]:
    for row in output if isinstance(output, list) else ():  # an object says that the repository has nothing to check
        for issue in row.get("issues", ()):
            at = issue["location"]
            file = at["file"] if "unit" in row else f"{row['skill']['path']}/{at['file']}"
            severity = {"low": "note", "medium": "warning"}.get(issue["severity"], "error")
            yield severity, issue["pattern"], file, at["line_start"] or 0, issue["description"]


def _read_agnix(output: Any) -> Iterator[Row]:
    for finding in output["diagnostics"]:
        yield finding["level"], finding["rule"], finding["file"], finding["line"], finding["message"]


def _read_skillsaw(output: Any) -> Iterator[Row]:
    for finding in output["violations"]:
        yield (
            finding["severity"],
            finding["rule_id"],
            finding["file_path"] or "",
            finding["line"] or 0,
            finding["message"],
        )


def _read_skillcheck(output: Any) -> Iterator[Row]:
    for result in output["results"]:
        for finding in result["diagnostics"]:
            yield finding["severity"], finding["rule"], result["path"], finding["line"] or 0, finding["message"]


def _read_claudelint(output: Any) -> Iterator[Row]:
    for part in output["validators"]:
        for severity in COUNTED:
            for finding in part[f"{severity}s"]:
                yield (
                    severity,
                    finding.get("ruleId", ""),
                    finding.get("file", ""),
                    finding.get("line", 0) or 0,
                    finding["message"],
                )


READERS = {
    "tune-skill": _read_ours,
    "agnix": _read_agnix,
    "skillsaw": _read_skillsaw,
    "skillcheck": _read_skillcheck,
    NPM: _read_claudelint,
}


def main() -> None:
    """Print a table of counts and CPU seconds; write a sample if `--output` is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--tools", type=Path, required=True)
    parser.add_argument("--draw", type=int, default=0, help="size of the sample per linter")
    parser.add_argument("-o", "--output", type=Path, help="write the sample to this file, as JSON lines")
    options = parser.parse_args()
    runs: dict[str, list[Run]] = {tool: [] for tool in list_commands(options.tools)}
    with tempfile.TemporaryDirectory() as temp:
        for folder in options.folders:
            copy = Path(temp) / folder.name
            shutil.copytree(folder, copy, symlinks=True)
            for tool, command in list_commands(options.tools).items():
                runs[tool].append(run_linter(tool, command, copy))
            shutil.rmtree(copy)
    draw, drawn = random.Random(SEED), list[ReportedFinding]()
    print(f"{'linter':<18}{'errors':>8}{'warnings':>10}{'CPU':>10}   in {len(options.folders)} repositories")
    for tool, of_tool in runs.items():
        findings = [finding for run in of_tool for finding in run.findings]
        errors = sum(finding.severity == "error" for finding in findings)
        print(f"{tool:<18}{errors:>8}{len(findings) - errors:>10}{sum(run.cpu for run in of_tool):>8.2f} s", flush=True)
        drawn += draw.sample(findings, min(options.draw, len(findings)))
    if options.output:
        options.output.write_text("".join(json.dumps(asdict(finding)) + "\n" for finding in drawn), "utf-8")


if __name__ == "__main__":
    main()
