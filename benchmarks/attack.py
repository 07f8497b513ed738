"""Provide the shared parts of attacks on a run: a skill with unusual bytes, a process per command, and checks."""

import hashlib
import json
import os
import pkgutil
import shutil
import stat
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import actions
import orchestrator
import schemas
import templates
from orchestrator.cli import main as command
from orchestrator.errors import TuneSkillError
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.journal import Journal, find_applied
from schemas.vocabulary import FixStatus

TEMP = ".tune-skill-"
Tree = dict[str, tuple[int, str]]
Files = Mapping[str, tuple[int, bytes]]

TIDES: Files = {
    "SKILL.md": (
        0o664,
        b"---\nname: tides\ndescription: Logs the tides of a harbour. Use when a user asks for the tide.\n---\n\n"
        b"# Tides\n\nRead [measure](phases/1-measures.md), then [report](phases/2-report.md).  \n\n"
        b"Never report a height that was not measured. If a step fails, tell the user.\n",
    ),
    "phases/1-measure.md": (
        0o600,
        b"\xef\xbb\xbf# Measure\r\n\r\n```javascript\r\nconst heights = Task({\r\n"
        b"  subagent_type: 'general-purpos',\r\n  prompt: `Read the gauge of ${harbour} ten times.`\r\n})\r\n"
        b"if (heights.failed) throw new Error('no gauge')\r\n```\r\n",
    ),
    "phases/2-report.md": (
        0o644,
        b"# Report\n\n```bash\npython scripts/report.py --out_file report.md heights.csv\n```\n\nTell the user the "
        b"path of the report, and compare it with the request.  ",
    ),
    "scripts/gauge.sh": (0o755, b"#!/bin/sh\necho 3.2\n"),
    "scripts/report.py": (
        0o755,
        b"import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument('heights')\n"
        b"parser.add_argument('--out-file')\nprint(parser.parse_args())\n",
    ),
}
"""A skill in which a run fixes three faults in three files: one has CRLF and a BOM, one has no final line end."""


UNUSED_MODULES = ("orchestrator.servers.", "orchestrator.tuning.", "orchestrator.model.")
"""Prefixes of modules that no bench uses; the SDK and the servers take seconds to import."""


def import_everything() -> None:
    """Import all modules that commands of a bench use, so that its processes start in milliseconds."""
    for package in (orchestrator, actions, schemas, templates):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.startswith(UNUSED_MODULES):
                import_module(module.name)
    for name in ("jinja2", "jsonschema", "rich.console"):
        import_module(name)
    templates._text().get_template("report.md.j2")


def hash_files(folder: Path) -> Tree:
    """Return the mode and sha256 of each file and folder below `folder`, except temporary files of writers."""
    hashes: Tree = {}
    for path in sorted(folder.rglob("*")):
        if not path.name.startswith(TEMP):
            data = path.read_bytes() if path.is_file() else b""
            hashes[str(path.relative_to(folder))] = (
                stat.S_IMODE(path.stat().st_mode),
                hashlib.sha256(data).hexdigest(),
            )
    return hashes


def list_temp_files(folder: Path) -> list[str]:
    """Return the temporary files that writers left."""
    return [str(path.relative_to(folder)) for path in folder.rglob(f"{TEMP}*")]


@dataclass(frozen=True)
class CommandResult:
    """The exit code of a command (negative: the signal that killed it) and its output."""

    code: int
    output: str


class Bench:
    """A folder with a skill, on which commands are called, each in a new process.

    A process is a fork of this one, which has imported everything.
    """

    def __init__(self, folder: Path, files: Files, unit: str = "") -> None:
        """Prepare a bench. unit: the file that a run tunes, if the files are a project instead of a skill."""
        import_everything()
        self.folder, self.files, self.unit = folder, files, unit
        self.skill, self.work = folder / "skill", folder / "work"
        self.env = {
            **{name: value for name, value in os.environ.items() if name != "TUNE_SKILL_STRICT"},
            "HOME": str(folder),
            "TMPDIR": str(folder / "temp"),
            "ANTHROPIC_API_KEY": "dummy",
            "XDG_STATE_HOME": str(folder / "state"),
            "MACF_EVENTS_LOG_PATH": str(folder / "events" / "log.jsonl"),
            "NO_COLOR": "1",
        }

    def reset(self) -> None:
        """Delete the folder and write the unchanged skill."""
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "temp").mkdir(parents=True, exist_ok=True)  # rmtree leaves mounted folders
        for name, (mode, data) in self.files.items():
            path = self.skill / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(mode)

    def run(self, work: str = "work") -> CommandResult:
        """Run `run --apply all` to its end."""
        return self.call(*self.build_run_command(work))

    def build_run_command(self, work: str = "work") -> list[str]:
        """Return the command line of `run --apply all`."""
        options = ["--apply", "all", "--judge", "none", "--no-sessions", "--quiet"]
        return ["run", str(self.skill / self.unit), *options, "--work-dir", str(self.folder / work)]

    def call(self, *arguments: str, first: Callable[[], object] | None = None) -> CommandResult:
        """Run a command and return its result."""
        return self.wait_for(self.start(*arguments, first=first))

    def start(self, *arguments: str, first: Callable[[], object] | None = None) -> int:
        """Start the command and return its process id; the new process calls `first` before the command."""
        pid = os.fork()
        if not pid:
            try:
                self._run_in_child(arguments, first)
            finally:
                os._exit(70)
        return pid

    def wait_for(self, pid: int) -> CommandResult:
        """Wait for a command and return its result."""
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return CommandResult(code, self._output_file.read_text(errors="replace"))

    @property
    def _output_file(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}-output.txt")

    def _run_in_child(self, arguments: tuple[str, ...], first: Callable[[], object] | None) -> None:
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(self.env)
        out = os.open(self._output_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        if first:
            first()
        try:
            command(list(arguments))
        except SystemExit as end:
            os._exit(end.code if isinstance(end.code, int) else 0)


@dataclass(frozen=True)
class Reference:
    """A run without an attack: digests of all valid contents, the skill before and after the run, and its fixes."""

    contents: frozenset[str]
    before: Tree
    after: Tree
    fixes: int


def measure_reference(bench: Bench) -> Reference:
    """Run all fixes without an attack, and return the reference."""
    bench.reset()
    before = hash_files(bench.skill)
    result = bench.run()
    if result.code not in (0, 1):
        raise SystemExit(f"a run without an attack ended with {result.code}: {result.output[-500:]}")
    blobs = {path.name for path in (bench.work / "blobs").iterdir()}
    fixes = sum(f.status is FixStatus.APPLIED for f in StateStore(bench.work).load().proposed_fixes)
    return Reference(
        frozenset(blobs | {digest for _, digest in before.values()}), before, hash_files(bench.skill), fixes
    )


def inspect(bench: Bench, known: Reference) -> tuple[str, list[str]]:
    """Return the phase that an attacked run reached, and the problems in its files."""
    now = hash_files(bench.skill)
    torn = [
        f"{path} has the content of no version" for path, (_, digest) in now.items() if digest not in known.contents
    ]
    problems = [*torn, *(f"{path} is missing" for path in known.before if path not in now)]
    expected = {bench.unit: known.before[bench.unit]} if bench.unit else known.before
    copied = hash_files(bench.work / "backup") if (bench.work / "backup").exists() else expected
    if {path: entry for path, entry in copied.items() if path == bench.unit or not bench.unit} != expected:
        problems.append("the backup differs from the original files")
    if not (bench.work / "state.json").exists():
        return "before the first state", problems
    try:
        values = json.loads((bench.work / "state.json").read_bytes())
        schemas.check("state", values)
        unfinished = Journal(bench.work / "journal.jsonl", bench.skill.resolve() / bench.unit).read_open_entries()
    except (ValueError, TuneSkillError) as error:
        return "unreadable", [*problems, f"state or journal cannot be read: {error}"]
    return ("a fix half way" if unfinished else str(values["phase"])), problems


def roll_back_all(bench: Bench, work: str) -> list[str]:
    """Return the problems of a continued run: temporary files, and differences between its state and journal."""
    problems = [f"temporary file left: {name}" for name in list_temp_files(bench.skill)]
    if (bench.folder / work / "state.json").exists():
        state = StateStore(bench.folder / work).load(read_only=True)
        applied = {fix.id for fix in state.proposed_fixes if fix.status is FixStatus.APPLIED}
        entries = Journal(bench.folder / work / "journal.jsonl", bench.skill.resolve() / bench.unit)
        journal_fixes = {fix for entry in find_applied(entries.read_entries()) for fix in entry.fixes}
        if applied != journal_fixes or entries.read_open_entries():
            problems.append(f"the state has applied {sorted(applied)}, the journal {sorted(journal_fixes)}")
    return problems


def check_rollback(bench: Bench, known: Reference, *works: str) -> list[str]:
    """Roll back all runs, the latest first, and return the remaining problems."""
    problems = []
    for work in works:
        if (bench.folder / work / "state.json").exists():
            rollback = bench.call("rollback", str(bench.folder / work), "--all")
            if rollback.code:
                problems.append(f"rollback: exit {rollback.code}: {rollback.output.strip()[-300:]}")
    if hash_files(bench.skill) != known.before:
        problems.append("the rollback did not restore the original bytes and modes")
    return problems
