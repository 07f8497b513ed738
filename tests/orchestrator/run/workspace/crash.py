"""Kill a writer before each of its system calls that changes the disk, recover, and print the problems as JSON.

Usage: crash.py FOLDER SCENARIO UNIT... Each unit is "" for a skill, or the file of another unit. The program has one
thread, because it forks one child per kill.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from orchestrator.fs.durable import write_json
from orchestrator.run.workspace.workspace import Workspace
from schemas.records import FileChange

CALLS_THAT_CHANGE_THE_DISK = (
    "replace", "rename", "unlink", "mkdir", "rmdir", "fchmod", "write", "pwrite", "truncate", "ftruncate", "open",
)  # fmt: skip
"""A kill before any other system call leaves the same files as a kill before the next one of these."""
CREATE_FLAGS = os.O_CREAT | os.O_TRUNC
BEFORE = {
    "SKILL.md": b"one\r\n" * 50, "old/gone.md": b"old\n", "run.sh": b"#!/bin/sh\n", "tool": b"#!/bin/sh\n", "memo.md": b"m\n",
}  # fmt: skip
FIXES = {
    "FIX-001": {"SKILL.md": b"two\r\n" * 50, "new/deep/a.md": b"fresh\n", "old/gone.md": None, "tool": b"#!/bin/sh\n"},
    "FIX-002": {
        "SKILL.md": b"three\r\n" * 50, "run.sh": b"#!/bin/sh\necho\n", "new/deep/a.md": None, "memo.md": None,
        "MEMO.md": b"m\n",
    },
}  # fmt: skip
MODES = {"run.sh": {0o755}, "memo.md": {0o600}, "MEMO.md": {0o600}, "tool": {0o640, 0o750}}
"""The modes that a file may have; FIX-001 makes `tool` executable, FIX-002 renames `memo.md`."""
Snapshot = dict[str, tuple[int, bytes]]


def snapshot(skill: Path) -> Snapshot:
    return {
        str(p.relative_to(skill)): (p.stat().st_mode, p.read_bytes() if p.is_file() else b"") for p in skill.rglob("*")
    }


def make_change(space: Workspace, file: str, new: bytes | None) -> FileChange:
    path = space.root / file
    before = sha256(path.read_bytes()).hexdigest() if path.exists() else None
    action = "delete" if new is None else "modify" if before else "create"
    mode = 0o755 if file == "tool" else None
    return FileChange(file, action, "", before, None if new is None else space.store(new), mode)


def save(space: Workspace, *fixes: str) -> None:
    write_json(
        space.work_dir / "state.json", {"applied_fixes": [{"fix_id": f, "verification_result": "pass"} for f in fixes]}
    )


StartCounting = Callable[[], None]
"""A function that an action calls to begin the count of its system calls."""


def apply(space: Workspace, start_counting: StartCounting, fix: str, *earlier_fixes: str) -> None:
    start_counting()
    with space.hold("run-1"):
        space.apply(fix, [make_change(space, file, new) for file, new in FIXES[fix].items()])
        save(space, *earlier_fixes, fix)
        space.close()


def apply_first(space: Workspace, start_counting: StartCounting) -> None:
    apply(space, start_counting, "FIX-001")


def apply_second(space: Workspace, start_counting: StartCounting) -> None:
    apply(space, start_counting, "FIX-002", "FIX-001")


def apply_and_undo(space: Workspace, start_counting: StartCounting) -> None:
    with space.hold("run-1"):
        space.apply("FIX-001", [make_change(space, file, new) for file, new in FIXES["FIX-001"].items()])
        start_counting()
        space.undo()


def roll_back_all(space: Workspace, start_counting: StartCounting) -> None:
    start_counting()
    with space.hold("run-1"):
        space.rollback()
        save(space)
        space.close()


def recover(space: Workspace, start_counting: StartCounting) -> None:
    start_counting()
    with space.hold("run-2"):
        pass


def list_applied_fixes(work: Path) -> list[str]:
    state = work / "state.json"
    return [f["fix_id"] for f in json.loads(state.read_bytes())["applied_fixes"]] if state.exists() else []


def build_expected_files(fixes: list[str]) -> dict[str, bytes]:
    files: dict[str, bytes | None] = dict(BEFORE)
    for fix in fixes:
        files.update(FIXES[fix])
    return {file: data for file, data in files.items() if data is not None}


Action = Callable[[Workspace, StartCounting], None]


def changes_disk(call: Callable[..., object], arguments: tuple[object, ...]) -> bool:
    """Return whether a call changes the disk: most calls of `open` only read."""
    return call.__name__ != "open" or bool(int(str(arguments[1])) & CREATE_FLAGS)


def run_in_child(action: Action, space: Workspace, kill_at: int) -> bool:
    """Run `action` in a child that is killed before its change number `kill_at`; return whether it was killed."""
    pid = os.fork()
    if not pid:
        remaining_changes = [kill_at]

        def kill_at_number(original: Callable[..., object]) -> Callable[..., object]:
            def call(*args: object, **kwargs: object) -> object:
                remaining_changes[0] -= changes_disk(original, args)
                if not remaining_changes[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
                return original(*args, **kwargs)

            return call

        def start_counting() -> None:
            for name in CALLS_THAT_CHANGE_THE_DISK:
                setattr(os, name, kill_at_number(getattr(os, name)))

        action(space, start_counting)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit("the child failed")
    return os.WIFSIGNALED(status)


def check_skill(skill: Path, work: Path, files_after_kill: Snapshot, unit: str) -> list[str]:
    problems = [
        f"{file} is torn"
        for file, (_, data) in files_after_kill.items()
        if not Path(file).name.startswith(".tune-skill-")
        and data not in (b"", *BEFORE.values(), *FIXES["FIX-001"].values(), *FIXES["FIX-002"].values())
    ]
    after = snapshot(skill)
    expected_files = build_expected_files(list_applied_fixes(work))
    files = {file: data for file, (mode, data) in after.items() if (skill / file).is_file()}
    folders = {file for file in after if (skill / file).is_dir()} - {"old"}
    if files != expected_files:
        problems.append(f"after recovery: {sorted(files)}, state {list_applied_fixes(work)}")
    if folders != {str(p) for file in expected_files for p in Path(file).parents if str(p) != "."} - {
        "old"
    } and "FIX-002" not in list_applied_fixes(work):
        problems.append(f"folders left: {folders}")
    modes = {file: after[file][0] & 0o777 for file in MODES if file in after}
    problems += [f"{file} has mode {mode:o}" for file, mode in modes.items() if mode not in MODES[file]]
    if (modes["tool"] == 0o750) is not ("FIX-001" in list_applied_fixes(work)):
        problems.append(f"tool has mode {modes['tool']:o}, state {list_applied_fixes(work)}")
    with Workspace(skill, work, unit).hold("run-4") as workspace_after:
        if workspace_after:
            problems.append("recovered twice")
    return problems


def prepare(top: Path, unit: str, actions: list[Action], first_kill: int) -> Workspace:
    """Write the skill, run `actions`, and save a copy of all folders in `top`/before.

    first_kill: the number of the change before which the last action is killed, or 0.
    """
    skill, work = top / "before" / "skill", top / "before" / "work"
    for file, data in BEFORE.items():
        (skill / file).parent.mkdir(parents=True, exist_ok=True)
        (skill / file).write_bytes(data)
    for file, mode in (("run.sh", 0o755), ("tool", 0o640), ("memo.md", 0o600)):
        (skill / file).chmod(mode)
    work.mkdir()
    (top / "before" / "state").mkdir()
    restore(top)
    space = Workspace(top / "skill", top / "work", unit)
    for action in actions[:-1] if first_kill else actions:
        action(space, lambda: None)
    if first_kill and not run_in_child(actions[-1], space, first_kill):
        raise SystemExit("the first kill came too late")
    for name in SAVED_FOLDERS:
        shutil.rmtree(top / "before" / name)
        shutil.copytree(top / name, top / "before" / name)
    return space


SAVED_FOLDERS = ("skill", "work", "state")


def restore(top: Path) -> None:
    """Restore the skill, the work dir and the registry as `prepare` left them."""
    for name in SAVED_FOLDERS:
        shutil.rmtree(top / name, ignore_errors=True)
        shutil.copytree(top / "before" / name, top / name)
    shutil.rmtree(top / "other", ignore_errors=True)


def run_scenario(top: Path, unit: str, actions: list[Action], action: Action, first_kill: int = 0) -> dict[str, object]:
    """Run `actions`, then kill `action` before each of its changes in turn; return the number of kills and the problems.

    unit: "" for a skill, else the file of another unit, whose folder is the project.
    first_kill: the number of the change before which the last one of `actions` is killed, or 0.
    """
    kills, problems = 0, []
    space = prepare(top, unit, actions, first_kill)
    for number in range(1, 1000):
        restore(top)
        was_killed = run_in_child(action, space, number)
        files_after_kill = snapshot(space.root)
        with Workspace(space.root, top / "other", unit).hold("run-3"):
            pass
        problems += [
            f"kill {number}: {problem}" for problem in check_skill(space.root, top / "work", files_after_kill, unit)
        ]
        if not was_killed:
            break
        kills += 1
    return {"kills": kills, "problems": problems}


SCENARIOS: dict[str, Callable[[Path, str], dict[str, object]]] = {
    "apply": lambda top, unit: run_scenario(top, unit, [], apply_first),
    "apply a second fix": lambda top, unit: run_scenario(top, unit, [apply_first], apply_second),
    "undo": lambda top, unit: run_scenario(top, unit, [], apply_and_undo),
    "roll back": lambda top, unit: run_scenario(top, unit, [apply_first, apply_second], roll_back_all),
    "recover": lambda top, unit: run_scenario(top, unit, [apply_first], recover, first_kill=17),
    "recover a rollback": lambda top, unit: run_scenario(
        top, unit, [apply_first, apply_second, roll_back_all], recover, first_kill=5
    ),
}

if __name__ == "__main__":
    os.fsync = os.fstat  # A kill, unlike a power cut, loses no data that the system has not yet written to the disk.
    folder, scenario, *units = sys.argv[1:]
    results = []
    for unit in units:
        results.append(SCENARIOS[scenario](Path(folder), unit))
        shutil.rmtree(folder)
        Path(folder).mkdir()
    print(json.dumps(results))
