"""Define the commands whose disk calls fail in `faults.py`: how each starts and recovers, and the checks after it."""

import hashlib
import json
import os
import shutil
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import schemas
from actions.fixes.merging import MAX_UNMERGED
from benchmarks.attack import (
    TIDES,
    Bench,
    CommandResult,
    Files,
    Reference,
    check_rollback,
    hash_files,
    inspect,
    list_temp_files,
    measure_reference,
    roll_back_all,
)
from benchmarks.many_fixes import make_files
from orchestrator.model import agent, client
from orchestrator.model.agent import Session
from tests.orchestrator.tuning.improve.conftest import SKILL, Model, Player, write_tasks

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "release-notes"
HOOKS = b"""{"hooks": {
  "preToolUse": [{"hooks": [{"type": "command", "command": "bash ${CLAUDE_PLUGIN_ROOT}/scripts/chek.sh"}]}],
  "Stop": [{"hooks": [
    {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/bin/count"},
    {"type": "command", "command": "node", "args": ["$CLAUDE_PLUGIN_ROOT/scripts/end.js"]}]}]
}}
"""
PLUGIN: Files = {
    ".claude-plugin/plugin.json": (0o644, b'{"name": "birds"}\n'),
    "hooks/hooks.json": (0o600, HOOKS.replace(b"\n", b"\r\n")),
    "bin/count": (0o640, b"#!/bin/sh\nexit 0"),
    "scripts/check.sh": (0o755, b"exit 0\n"),
    "scripts/end.js": (0o644, b"process.exit(0)\n"),
}
"""A plugin in which a run on the hooks file fixes four faults; one fix changes the mode of a script."""
SETTINGS: Files = {
    ".claude/settings.local.json": (0o600, b'{"model": "opus",\r\n "hooks": {"Stop": []}}'),
    ".claude/settings.json": (0o644, b'{"permissions": {"allow": ["Read"]}}\n'),
    ".mcp.json": (0o640, b'{"mcpServers": {"tides": {"command": "tides"}}}'),
    ".git/HEAD": (0o644, b"ref: refs/heads/main\n"),
}
"""A project in which `install` changes three files of the user."""


class Target(ABC):
    """A command whose disk calls fail, and the folder before it. name: its name in the table."""

    def __init__(self, name: str, bench: Bench, words: Sequence[str], stage: Path) -> None:
        self.name, self.bench, self.words, self._stage = name, bench, tuple(words), stage
        shutil.copytree(bench.folder, stage, symlinks=True)

    def restore(self) -> None:
        """Restore the folder to its state before the command."""
        shutil.rmtree(self.bench.folder)
        shutil.copytree(self._stage, self.bench.folder, symlinks=True)

    def start(self, first: Callable[[], object]) -> CommandResult:
        """Run the command in the folder of the skill; its process calls `first` before the command."""
        return self.call(*self.words, first=first)

    def call(self, *words: str, first: Callable[[], object] = lambda: None) -> CommandResult:
        """Run a command in the folder of the skill."""

        def begin() -> None:
            os.chdir(self.bench.skill)
            first()

        return self.bench.call(*words, first=begin)

    @abstractmethod
    def find_problems(self, turn: int) -> Iterable[str]:
        """Inspect the files after a fault, recover, and yield the problems. turn: selects the way to recover."""


class RunTarget(Target):
    """`run`, `apply`, `resume` or `rollback`; the next command is the same or `resume`, a new run, or `rollback`."""

    def __init__(self, name: str, bench: Bench, words: Sequence[str], stage: Path, known: Reference) -> None:
        super().__init__(name, bench, words, stage)
        self._known = known

    def find_problems(self, turn: int) -> Iterator[str]:
        """Check the content of files, that state and journal agree, and that a rollback restores the original bytes."""
        phase, problems = inspect(self.bench, self._known)
        yield from problems
        has_begun = phase != "before the first state"
        next_command = ("itself", "a new run", "rollback")[turn % 3] if has_begun else "a new run"
        work, outcome = "work", CommandResult(0, "")
        match next_command:
            case "a new run":
                work, outcome = "work2", self.bench.run("work2")
            case "rollback":
                outcome = self.call("rollback", str(self.bench.work), "--all")
            case _ if self.words[0] == "rollback":
                outcome = self.call(*self.words)
            case _:
                outcome = self.call("resume", str(self.bench.work), "--quiet")
                if outcome.code == 3:  # it stopped before the choice of fixes was saved
                    outcome = self.call(*self.words)
        if outcome.code not in (0, 1):
            yield f"{next_command}: exit {outcome.code}: {outcome.output.strip()[-300:]}"
        expected = self._known.before if self.words[0] == "rollback" else self._known.after
        if next_command == "itself" and hash_files(self.bench.skill) != expected:
            yield "the skill differs from that after a command without a fault"
        yield from roll_back_all(self.bench, work)
        yield from check_rollback(self.bench, self._known, "work2", "work")


def open_run_targets(folder: Path, what: str, files: Files, unit: str = "") -> Iterator[RunTarget]:
    """Yield the commands of a run on a skill, or on one unit of a project."""
    bench = Bench(folder / what, files, unit)
    known = measure_reference(bench)
    if known.fixes < 3:
        raise SystemExit(f"{known.fixes} fixes were applied to the {what}; at least 3 are needed")
    work, stage = str(bench.work), lambda name: folder / f"{what}-{name}"
    rollback = RunTarget(f"rollback, {what}", bench, ("rollback", work, "--all"), stage("rollback"), known)
    bench.reset()
    yield RunTarget(f"run, {what}", bench, bench.build_run_command(), stage("run"), known)
    bench.reset()
    options = ("--pause", "--judge", "none", "--no-sessions", "--quiet", "--work-dir", work)
    if (paused := bench.call("run", str(bench.skill / unit), *options)).code != 3:
        raise SystemExit(f"the run did not pause: exit {paused.code}: {paused.output[-300:]}")
    yield RunTarget(f"apply, {what}", bench, ("apply", work, "--all", "--quiet"), stage("apply"), known)
    yield rollback


class InstallTarget(Target):
    """`install` or `uninstall`, in a project with settings of the user."""

    def __init__(self, name: str, bench: Bench, words: Sequence[str], stage: Path, versions: Sequence[Any]) -> None:
        super().__init__(name, bench, words, stage)
        self._versions = versions

    def find_problems(self, turn: int) -> Iterator[str]:
        """Check that each of the user's files has its old or new bytes, and that `uninstall` restores all files."""
        before, installed = self._versions
        now = hash_files(self.bench.skill)
        yield from (f"{path} is missing" for path in before if path not in now)
        for path, (mode, digest) in now.items():
            if path in before and (mode, digest) not in (before[path], installed.get(path)):
                yield f"{path} has the content or mode of no version"
        if turn % 2 and (outcome := self.call(*self.words)).code:
            yield f"again: exit {outcome.code}: {outcome.output.strip()[-300:]}"
        if turn % 2 and self.words[0] == "install" and _without_backups(hash_files(self.bench.skill)) != installed:
            yield "the files differ from those after an install without a fault"
        if (outcome := self.call("uninstall")).code:
            yield f"uninstall: exit {outcome.code}: {outcome.output.strip()[-300:]}"
        after = hash_files(self.bench.skill)
        yield from (f"{path} differs from the original" for path in before if after.get(path) != before[path])
        yield from (
            f"file left: {path}" for path in [*list_temp_files(self.bench.skill), *(after.keys() - before.keys())]
        )


def _without_backups(files: dict[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    return {path: entry for path, entry in files.items() if ".backup-" not in path}


def open_install_targets(folder: Path) -> Iterator[InstallTarget]:
    """Yield `install` and `uninstall`."""
    bench = Bench(folder / "install", {})
    bench.files = SETTINGS
    bench.reset()
    before = hash_files(bench.skill)
    install = ("install", "--hooks")
    install_target = InstallTarget("install", bench, install, folder / "install-stage", ())
    install_target.call(*install)
    versions = (before, _without_backups(hash_files(bench.skill)))
    uninstall_target = InstallTarget("uninstall", bench, ("uninstall",), folder / "uninstall-stage", versions)
    install_target._versions = versions
    yield from (install_target, uninstall_target)


class Greeter(Model):
    """The scripted model of a trial. It is polite if the skill asks for it, and finds all criteria of a rubric met."""

    def greet(self, prompt: str, skill: str) -> str:
        """Return the greeting of Claude Code with a skill."""
        return "Hello to you, please." if "PLEASE" in skill else "Hello to you."

    def answer(self, prompt: str, schema: Any) -> Any:
        """Answer the question for the criteria of a rubric."""
        met = {"number": 1, "met": True, "quote": "Hello to you", "reason": "It is a greeting."}
        return {"criteria": [met]}


class RecordingPlayer(Player):
    """A player that writes each paid call to a pipe: the folder of a session, or the digest of a question."""

    notes: int

    async def run_session(self, request: Any) -> Session:
        """Play a session and record its folder."""
        session: Session = await super().run_session(request)
        os.write(self.notes, f"session {request.folder.parent}\n".encode())
        return session

    async def send_query(self, query: Any, **more: Any) -> Any:
        """Answer a question and record its digest."""
        result = await super().send_query(query, **more)
        os.write(self.notes, f"question {hashlib.sha256(query.prompt.encode()).hexdigest()}\n".encode())
        return result


@dataclass(frozen=True)
class Kind:
    """A kind of paid command. has_ended: whether a result equals that of a command without a fault."""

    name: str
    words: tuple[str, ...]
    folders: str
    result: str
    has_ended: Callable[[dict[str, Any]], bool]
    model: Callable[[], Any]


TRIAL = Kind(
    "trial",
    ("trial", "greeter", "--against", "old", "--tasks", "tasks.json", "--runs", "2", "--jobs", "2", "--yes",
     "--max-cost-usd", "100", "--quiet"),
    ".workflow/skill-trials/*", "result.json", lambda result: result["after"]["succeeded"] == 4, Greeter,
)  # fmt: skip
IMPROVE = Kind(
    "improve",
    ("improve", "greeter", "--tasks", "tasks.json", "--exam-runs", "2", "--practice-runs", "2", "--jobs", "2", "--yes",
     "--max-cost-usd", "100", "--quiet"),
    ".workflow/skill-improvements/*", "improvement.json", lambda result: result["stage"] == "applied", Model,
)  # fmt: skip


class PaidTarget(Target):
    """`trial` or `improve`. After a fault the same command completes it and pays nothing in the ledger again."""

    def __init__(self, kind: Kind, bench: Bench, stage: Path) -> None:
        super().__init__(kind.name, bench, kind.words, stage)
        self._kind = kind
        self._original = (bench.skill / "greeter" / "SKILL.md").read_bytes()
        self._paid: list[str] = []
        self._usual: Counter[str] | None = None

    def restore(self) -> None:
        """Restore the folder, and clear the paid calls."""
        super().restore()
        self._paid = []

    def call(self, *words: str, first: Callable[[], object] = lambda: None) -> CommandResult:
        """Run a command with the scripted model, and collect its paid calls."""
        reader, writer = os.pipe()

        def begin() -> None:
            player = RecordingPlayer(self._kind.model())
            player.notes = writer
            agent.run_session, client.send_query = player.run_session, player.send_query  # type: ignore[assignment]
            first()

        outcome = super().call(*words, first=begin)
        os.close(writer)
        with os.fdopen(reader) as notes:
            self._paid += notes.read().splitlines()
        return outcome

    def find_problems(self, turn: int) -> Iterator[str]:
        """Check the skill, complete the command, and compare the ledger with the paid calls."""
        main = self.bench.skill / "greeter" / "SKILL.md"
        if main.read_bytes() != self._original and b"PLEASE" not in main.read_bytes():
            yield "SKILL.md has the content of no version"
        if not self._find_result():
            again = ("resume", "--quiet") if turn % 2 and self.name == "improve" and self._has_begun() else self.words
            if (outcome := self.call(*again)).code:
                yield f"{again[0]}: exit {outcome.code}: {outcome.output.strip()[-300:]}"
        if not (result := self._find_result()):
            yield "no result"
            return
        yield from self._check_ledger()
        if result.get("run"):
            rollback = self.call("rollback", Path(result["run"]).name, "--all")
            if rollback.code or main.read_bytes() != self._original:
                yield f"rollback: exit {rollback.code}: {rollback.output.strip()[-300:]}"
        yield from (f"temporary file left: {path.name}" for path in (self.bench.folder / "temp").iterdir())
        yield from (
            f"temporary file left: {name}" for name in list_temp_files(self.bench.skill) if "/skill-tuning/" not in name
        )

    def _has_begun(self) -> bool:
        return any(self.bench.skill.glob(f"{self._kind.folders}/{self._kind.result}"))

    def _find_result(self) -> dict[str, Any]:
        """Return the result that equals that of a command without a fault; {} if there is none."""
        for path in self.bench.skill.glob(f"{self._kind.folders}/{self._kind.result}"):
            result: dict[str, Any] = json.loads(path.read_bytes())
            schemas.check("improvement" if self.name == "improve" else "trial", result)
            if self._kind.has_ended(result):
                return result
        return {}

    def _check_ledger(self) -> Iterator[str]:
        ledgers = [path for path in self.bench.skill.glob(f"{self._kind.folders}/ledger.jsonl") if path.stat().st_size]
        if len(ledgers) != 1:
            yield f"{len(ledgers)} ledgers; 1 is expected"
            return
        records = [json.loads(line) for line in ledgers[0].read_bytes().splitlines()]
        held_keys: set[tuple[Any, ...]] = set()
        for record in records:
            key = tuple(record["run"])
            if record["event"] in ("began", "held") and key in held_keys:
                yield f"paid twice: {key}"
            held_keys |= {key} if record["event"] == "held" else set()
        begun = {record["folder"] for record in records if record["event"] == "began" and "folder" in record}
        usual = self._usual = Counter(self._paid) if self._usual is None else self._usual
        for note, times in Counter(self._paid).items():
            what, _, name = note.partition(" ")
            if what == "session" and (times > 1 or name not in begun):
                yield f"{name} was paid {times} times, and {'is' if name in begun else 'is not'} in the ledger"
            elif what == "question" and times > max(usual[note], 1) + 2:  # two questions were open at the fault
                yield f"a question was asked {times} times"


def open_paid_target(folder: Path, kind: Kind) -> PaidTarget:
    """Return a trial or an improvement of a small skill."""
    bench = Bench(folder / kind.name, {})
    bench.reset()
    bench.skill.mkdir()
    texts = {"greeter": SKILL}
    if kind is TRIAL:
        head = SKILL.partition("Say hello")[0]
        texts = {"greeter": f"{head}Always say PLEASE.\n", "old": f"{head}Say something.\n"}
    for name, text in texts.items():
        (bench.skill / name).mkdir()
        (bench.skill / name / "SKILL.md").write_text(text)
    if kind is TRIAL:
        checks = [{"text": "please"}, {"rubric": "It is a greeting."}]
        write_tasks(bench.skill, 2, checks=checks)
    else:
        write_tasks(bench.skill, 8, warm=20)
    return PaidTarget(kind, bench, folder / f"{kind.name}-stage")


def open_targets(folder: Path, only: Sequence[str]) -> Iterator[Target]:
    """Yield the targets named in `only`, or all if it is empty."""
    example = {
        str(path.relative_to(EXAMPLE)): ((0o644, 0o600, 0o664)[number % 3], path.read_bytes())
        for number, path in enumerate(sorted(EXAMPLE.rglob("*.md")))
    }
    many = {
        path: ((0o644, 0o600, 0o664)[number % 3], text.encode())
        for number, (path, text) in enumerate(make_files(MAX_UNMERGED + 1, "files", "options", "types").items())
    }
    makers: dict[str, Callable[[], Iterable[Target]]] = {
        "skill": lambda: open_run_targets(folder, "skill", TIDES),
        "example": lambda: open_run_targets(folder, "example", example),
        "many": lambda: open_run_targets(folder, "many", many),
        "unit": lambda: open_run_targets(folder, "unit", PLUGIN, "hooks/hooks.json"),
        "install": lambda: open_install_targets(folder),
        "trial": lambda: [open_paid_target(folder, TRIAL)],
        "improve": lambda: [open_paid_target(folder, IMPROVE)],
    }
    for name, make in makers.items():
        if not only or name in only:
            yield from make()
