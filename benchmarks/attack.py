"""Define what the attacks on a run share: a skill with awkward bytes, a fresh process, and what must hold."""

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


EXTRAS = ("orchestrator.servers.", "orchestrator.tuning.", "orchestrator.model.")
"""Modules that no bench uses: the SDK and the servers take seconds to import."""


def import_everything() -> None:
    """Import what any command of a bench imports, so that its processes start in milliseconds."""
    for package in (orchestrator, actions, schemas, templates):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.startswith(EXTRAS):
                import_module(module.name)
    for name in ("jinja2", "jsonschema", "rich.console"):
        import_module(name)
    templates._text().get_template("report.md.j2")


def tree(folder: Path) -> Tree:
    """Return the mode and sha256 of everything below `folder`, except temporary files of writers."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        if not path.name.startswith(TEMP):
            data = path.read_bytes() if path.is_file() else b""
            found[str(path.relative_to(folder))] = (stat.S_IMODE(path.stat().st_mode), hashlib.sha256(data).hexdigest())
    return found


def temp_files(folder: Path) -> list[str]:
    """Return the temporary files that writers left."""
    return [str(path.relative_to(folder)) for path in folder.rglob(f"{TEMP}*")]


@dataclass(frozen=True)
class Done:
    """The result of a command: its exit code (negative: the signal that killed it) and its output."""

    code: int
    said: str


class Bench:
    """A folder with a skill, and the command to call on it, each time in a process of its own.

    A process is a fork of this one, which has imported everything.
    """

    def __init__(self, folder: Path, files: Files, unit: str = "") -> None:
        """Prepare a bench. unit: the file that a run is about, where the files are a project and no skill."""
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

    def fresh(self) -> None:
        """Start again with an unchanged skill."""
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "temp").mkdir(parents=True, exist_ok=True)  # rmtree leaves what is mounted there
        for name, (mode, data) in self.files.items():
            path = self.skill / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(mode)

    def run(self, work: str = "work") -> Done:
        """Execute a whole `run --apply all`."""
        return self.call(*self.run_line(work))

    def run_line(self, work: str = "work") -> list[str]:
        """Return the command line of `run --apply all`."""
        options = ["--apply", "all", "--judge", "none", "--no-sessions", "--quiet"]
        return ["run", str(self.skill / self.unit), *options, "--work-dir", str(self.folder / work)]

    def call(self, *arguments: str, first: Callable[[], object] | None = None) -> Done:
        """Call the command and wait for its end."""
        return self.end_of(self.start(*arguments, first=first))

    def start(self, *arguments: str, first: Callable[[], object] | None = None) -> int:
        """Start the command and return its process id; the new process calls `first` before it."""
        pid = os.fork()
        if not pid:
            try:
                self._become(arguments, first)
            finally:
                os._exit(70)
        return pid

    def end_of(self, pid: int) -> Done:
        """Wait for a command and return its result."""
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return Done(code, self._output_file.read_text(errors="replace"))

    @property
    def _output_file(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}-said.txt")

    def _become(self, arguments: tuple[str, ...], first: Callable[[], object] | None) -> None:
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
    """A run without an attack: the bytes that may appear, and the skill before and after it."""

    contents: frozenset[str]
    before: Tree
    after: Tree
    fixes: int


def reference(bench: Bench) -> Reference:
    """Measure a run from its start to its end."""
    bench.fresh()
    before = tree(bench.skill)
    done = bench.run()
    if done.code not in (0, 1):
        raise SystemExit(f"a run without an attack ended with {done.code}: {done.said[-500:]}")
    blobs = {path.name for path in (bench.work / "blobs").iterdir()}
    fixes = sum(f.status is FixStatus.APPLIED for f in StateStore(bench.work).load().proposed_fixes)
    return Reference(frozenset(blobs | {digest for _, digest in before.values()}), before, tree(bench.skill), fixes)


def inspect(bench: Bench, known: Reference) -> tuple[str, list[str]]:
    """Return the phase that an attacked run reached, and the problems in its files."""
    now = tree(bench.skill)
    torn = [f"{path} holds bytes of no version" for path, (_, digest) in now.items() if digest not in known.contents]
    problems = [*torn, *(f"{path} is gone" for path in known.before if path not in now)]
    wanted = {bench.unit: known.before[bench.unit]} if bench.unit else known.before
    copied = tree(bench.work / "backup") if (bench.work / "backup").exists() else wanted
    if {path: it for path, it in copied.items() if path == bench.unit or not bench.unit} != wanted:
        problems.append("the backup is not what the run is about, as it came")
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
    """Return the problems of a run that the next command continued: its state and journal must agree."""
    problems = [f"left behind: {name}" for name in temp_files(bench.skill)]
    if (bench.folder / work / "state.json").exists():
        state = StateStore(bench.folder / work).load(read_only=True)
        applied = {fix.id for fix in state.proposed_fixes if fix.status is FixStatus.APPLIED}
        entries = Journal(bench.folder / work / "journal.jsonl", bench.skill.resolve() / bench.unit)
        standing_fixes = {fix for entry in find_applied(entries.read_entries()) for fix in entry.fixes}
        if applied != standing_fixes or entries.read_open_entries():
            problems.append(f"the state names {sorted(applied)}, the journal {sorted(standing_fixes)}")
    return problems


def check_rollback(bench: Bench, known: Reference, *works: str) -> list[str]:
    """Roll back all runs, the latest first, and return the remaining problems."""
    problems = []
    for work in works:
        if (bench.folder / work / "state.json").exists():
            back = bench.call("rollback", str(bench.folder / work), "--all")
            if back.code:
                problems.append(f"rollback: exit {back.code}: {back.said.strip()[-300:]}")
    if tree(bench.skill) != known.before:
        problems.append("the rollback did not give the original bytes and modes")
    return problems
