"""Define the commands whose disk calls fail in `faults.py`: how each begins and recovers, and what must hold then."""

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
    Done,
    Files,
    Reference,
    check_rollback,
    inspect,
    reference,
    roll_back_all,
    temp_files,
    tree,
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
"""A plugin in which a run on the hooks file fixes four faults, one of them by the mode of a script."""
SETTINGS: Files = {
    ".claude/settings.local.json": (0o600, b'{"model": "opus",\r\n "hooks": {"Stop": []}}'),
    ".claude/settings.json": (0o644, b'{"permissions": {"allow": ["Read"]}}\n'),
    ".mcp.json": (0o640, b'{"mcpServers": {"tides": {"command": "tides"}}}'),
    ".git/HEAD": (0o644, b"ref: refs/heads/main\n"),
}
"""A project in which `install` changes three files of the user."""


class Target(ABC):
    """A command that meets a fault, and the folder before it. name: as the table prints it."""

    def __init__(self, name: str, bench: Bench, words: Sequence[str], stage: Path) -> None:
        self.name, self.bench, self.words, self._stage = name, bench, tuple(words), stage
        shutil.copytree(bench.folder, stage, symlinks=True)

    def restore(self) -> None:
        """Restore the folder to what it was before the command."""
        shutil.rmtree(self.bench.folder)
        shutil.copytree(self._stage, self.bench.folder, symlinks=True)

    def start(self, first: Callable[[], object]) -> Done:
        """Run the command in the folder of the skill; its process calls `first` before."""
        return self.call(*self.words, first=first)

    def call(self, *words: str, first: Callable[[], object] = lambda: None) -> Done:
        """Run a command in the folder of the skill."""

        def begin() -> None:
            os.chdir(self.bench.skill)
            first()

        return self.bench.call(*words, first=begin)

    @abstractmethod
    def find_problems(self, turn: int) -> Iterable[str]:
        """Inspect the files after a fault, recover in one of several ways, and yield what was lost."""


class RunTarget(Target):
    """`run`, `apply`, `resume` or `rollback`; the next command is the same or `resume`, a new run, or `rollback`."""

    def __init__(self, name: str, bench: Bench, words: Sequence[str], stage: Path, known: Reference) -> None:
        super().__init__(name, bench, words, stage)
        self._known = known

    def find_problems(self, turn: int) -> Iterator[str]:
        """Check that no file is mixed, the state agrees with the journal, and a rollback gives the original bytes."""
        phase, problems = inspect(self.bench, self._known)
        yield from problems
        has_begun = phase != "before the first state"
        next_command = ("itself", "a new run", "rollback")[turn % 3] if has_begun else "a new run"
        work, done = "work", Done(0, "")
        match next_command:
            case "a new run":
                work, done = "work2", self.bench.run("work2")
            case "rollback":
                done = self.call("rollback", str(self.bench.work), "--all")
            case _ if self.words[0] == "rollback":
                done = self.call(*self.words)
            case _:
                done = self.call("resume", str(self.bench.work), "--quiet")
                if done.code == 3:  # it had stopped before the choice of fixes was saved
                    done = self.call(*self.words)
        if done.code not in (0, 1):
            yield f"{next_command}: exit {done.code}: {done.said.strip()[-300:]}"
        wanted = self._known.before if self.words[0] == "rollback" else self._known.after
        if next_command == "itself" and tree(self.bench.skill) != wanted:
            yield "the skill is not what the command makes of it without a fault"
        yield from roll_back_all(self.bench, work)
        yield from check_rollback(self.bench, self._known, "work2", "work")


def open_run_targets(folder: Path, what: str, files: Files, unit: str = "") -> Iterator[RunTarget]:
    """Yield the commands of a run on a skill, or on one unit of a project."""
    bench = Bench(folder / what, files, unit)
    known = reference(bench)
    if known.fixes < 3:
        raise SystemExit(f"{known.fixes} fixes were applied to the {what}; at least 3 are needed")
    work, stage = str(bench.work), lambda name: folder / f"{what}-{name}"
    rollback = RunTarget(f"rollback, {what}", bench, ("rollback", work, "--all"), stage("rollback"), known)
    bench.fresh()
    yield RunTarget(f"run, {what}", bench, bench.run_line(), stage("run"), known)
    bench.fresh()
    options = ("--pause", "--judge", "none", "--no-sessions", "--quiet", "--work-dir", work)
    if (paused := bench.call("run", str(bench.skill / unit), *options)).code != 3:
        raise SystemExit(f"the run did not pause: exit {paused.code}: {paused.said[-300:]}")
    yield RunTarget(f"apply, {what}", bench, ("apply", work, "--all", "--quiet"), stage("apply"), known)
    yield rollback


class InstallTarget(Target):
    """`install` or `uninstall`, in a project with settings of the user."""

    def __init__(self, name: str, bench: Bench, words: Sequence[str], stage: Path, versions: Sequence[Any]) -> None:
        super().__init__(name, bench, words, stage)
        self._versions = versions

    def find_problems(self, turn: int) -> Iterator[str]:
        """Check that each file of the user has its bytes before or after, and that `uninstall` leaves nothing."""
        before, installed = self._versions
        now = tree(self.bench.skill)
        yield from (f"{path} is gone" for path in before if path not in now)
        for path, (mode, digest) in now.items():
            if path in before and (mode, digest) not in (before[path], installed.get(path)):
                yield f"{path} has bytes or a mode of no version"
        if turn % 2 and (done := self.call(*self.words)).code:
            yield f"again: exit {done.code}: {done.said.strip()[-300:]}"
        if turn % 2 and self.words[0] == "install" and _without_backups(tree(self.bench.skill)) != installed:
            yield "the files are not what an install without a fault makes of them"
        if (done := self.call("uninstall")).code:
            yield f"uninstall: exit {done.code}: {done.said.strip()[-300:]}"
        after = tree(self.bench.skill)
        yield from (f"{path} is not as it was" for path in before if after.get(path) != before[path])
        yield from (f"left behind: {path}" for path in [*temp_files(self.bench.skill), *(after.keys() - before.keys())])


def _without_backups(files: dict[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    return {path: entry for path, entry in files.items() if ".backup-" not in path}


def open_install_targets(folder: Path) -> Iterator[InstallTarget]:
    """Yield `install` and `uninstall`."""
    bench = Bench(folder / "install", {})
    bench.files = SETTINGS
    bench.fresh()
    before = tree(bench.skill)
    install = ("install", "--hooks")
    begun = InstallTarget("install", bench, install, folder / "install-stage", ())
    begun.call(*install)
    versions = (before, _without_backups(tree(bench.skill)))
    end = InstallTarget("uninstall", bench, ("uninstall",), folder / "uninstall-stage", versions)
    begun._versions = versions
    yield from (begun, end)


class Greeter(Model):
    """The scripted model of a trial: polite if the skill says so; as a reader it finds each criterion met."""

    def greet(self, prompt: str, skill: str) -> str:
        """Return what the skill makes Claude Code say."""
        return "Hello to you, please." if "PLEASE" in skill else "Hello to you."

    def answer(self, prompt: str, schema: Any) -> Any:
        """Answer the question for the criteria of a rubric."""
        met = {"number": 1, "met": True, "quote": "Hello to you", "reason": "It is a greeting."}
        return {"criteria": [met]}


class NotingPlayer(Player):
    """A player that notes outside of its process what is paid: the folder of a session, or a digest of a question."""

    notes: int

    async def run_session(self, request: Any) -> Session:
        """Play a session and note its folder."""
        session: Session = await super().run_session(request)
        os.write(self.notes, f"session {request.folder.parent}\n".encode())
        return session

    async def send_query(self, query: Any, **more: Any) -> Any:
        """Answer a question and note it."""
        result = await super().send_query(query, **more)
        os.write(self.notes, f"question {hashlib.sha256(query.prompt.encode()).hexdigest()}\n".encode())
        return result


@dataclass(frozen=True)
class Kind:
    """A kind of paid command. has_ended: whether a result is that of a command without a fault."""

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
    """`trial` or `improve`. After a fault the same command ends it: nothing that the ledger holds is paid again."""

    def __init__(self, kind: Kind, bench: Bench, stage: Path) -> None:
        super().__init__(kind.name, bench, kind.words, stage)
        self._kind = kind
        self._original = (bench.skill / "greeter" / "SKILL.md").read_bytes()
        self._paid: list[str] = []
        self._usual: Counter[str] | None = None

    def restore(self) -> None:
        """Restore the folder, and forget what was paid."""
        super().restore()
        self._paid = []

    def call(self, *words: str, first: Callable[[], object] = lambda: None) -> Done:
        """Run a command with the scripted model, and keep what it paid for."""
        reader, writer = os.pipe()

        def begin() -> None:
            player = NotingPlayer(self._kind.model())
            player.notes = writer
            agent.run_session, client.send_query = player.run_session, player.send_query  # type: ignore[assignment]
            first()

        done = super().call(*words, first=begin)
        os.close(writer)
        with os.fdopen(reader) as notes:
            self._paid += notes.read().splitlines()
        return done

    def find_problems(self, turn: int) -> Iterator[str]:
        """Check the skill, let the command end, and compare the ledger with what was paid."""
        main = self.bench.skill / "greeter" / "SKILL.md"
        if main.read_bytes() != self._original and b"PLEASE" not in main.read_bytes():
            yield "SKILL.md is of no version"
        if not self._find_result():
            again = ("resume", "--quiet") if turn % 2 and self.name == "improve" and self._has_begun() else self.words
            if (done := self.call(*again)).code:
                yield f"{again[0]}: exit {done.code}: {done.said.strip()[-300:]}"
        if not (result := self._find_result()):
            yield "it has no result"
            return
        yield from self._check_ledger()
        if result.get("run"):
            back = self.call("rollback", Path(result["run"]).name, "--all")
            if back.code or main.read_bytes() != self._original:
                yield f"rollback: exit {back.code}: {back.said.strip()[-300:]}"
        yield from (f"left behind: {path.name}" for path in (self.bench.folder / "temp").iterdir())
        yield from (f"left behind: {name}" for name in temp_files(self.bench.skill) if "/skill-tuning/" not in name)

    def _has_begun(self) -> bool:
        return any(self.bench.skill.glob(f"{self._kind.folders}/{self._kind.result}"))

    def _find_result(self) -> dict[str, Any]:
        """Return the result of the command that ended as the command without a fault does; {} if none did."""
        for path in self.bench.skill.glob(f"{self._kind.folders}/{self._kind.result}"):
            result: dict[str, Any] = json.loads(path.read_bytes())
            schemas.check("improvement" if self.name == "improve" else "trial", result)
            if self._kind.has_ended(result):
                return result
        return {}

    def _check_ledger(self) -> Iterator[str]:
        ledgers = [path for path in self.bench.skill.glob(f"{self._kind.folders}/ledger.jsonl") if path.stat().st_size]
        if len(ledgers) != 1:
            yield f"{len(ledgers)} ledgers"
            return
        records = [json.loads(line) for line in ledgers[0].read_bytes().splitlines()]
        held: set[tuple[Any, ...]] = set()
        for record in records:
            key = tuple(record["run"])
            if record["event"] in ("began", "held") and key in held:
                yield f"paid twice: {key}"
            held |= {key} if record["event"] == "held" else set()
        begun = {record["folder"] for record in records if record["event"] == "began" and "folder" in record}
        usual = self._usual = Counter(self._paid) if self._usual is None else self._usual
        for note, times in Counter(self._paid).items():
            what, _, name = note.partition(" ")
            if what == "session" and (times > 1 or name not in begun):
                yield f"{name} was paid {times} times, and {'is' if name in begun else 'is not'} in the ledger"
            elif what == "question" and times > max(usual[note], 1) + 2:  # two were asked when the fault came
                yield f"a question was asked {times} times"


def open_paid_target(folder: Path, kind: Kind) -> PaidTarget:
    """Return a trial or an improvement of a small skill."""
    bench = Bench(folder / kind.name, {})
    bench.fresh()
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
    """Yield the targets whose names contain one of some words; all without words."""
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
