"""Provide a small skill with unusual bytes, and a bench to change it."""

import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.run.workspace.workspace import Workspace
from schemas.records import FileChange

BIRDS = b"avocets curlews dunlins godwits knots lapwings oystercatchers plovers sanderlings turnstones".split()
AGES = "young old small large loud shy grey white brown ringed".split()
SHORES = "north east south west sandy rocky muddy quiet".split()


def name_line(number: int) -> str:
    """Return a line, one for each number below 6,400, whose words tell its place from others."""
    (age, bird), shore = divmod(number // 64, 10), number % 64
    return f"Count {AGES[age]} {BIRDS[bird].decode()} of the {SHORES[shore // 8]} and {SHORES[shore % 8]} shore.\n"


STEPS = [b"step %d\n" % n for n in range(1, 41)]
for number, bird in enumerate(BIRDS):  # lines that tell places apart
    STEPS.insert(5 * number + 2, b"Then count all %s there.\n" % bird)

FILES = {
    "SKILL.md": b"\xef\xbb\xbf---\r\nname: plover\r\n---\r\n\r\nCount the birds.\r\nno newline at the end",
    "phases/one.md": b"".join(STEPS),
    "phases/two.md": b"old phase\n",
    "run.sh": b"#!/bin/sh\necho tide\n",
}


@dataclass
class Bench:
    """A skill and a work dir, with shorthands that build changes, apply them as fixes and roll them back."""

    skill: Path
    work: Path

    @property
    def space(self) -> Workspace:
        return Workspace(self.skill, self.work)

    def modify(self, file: str, new: bytes) -> FileChange:
        before = hashlib.sha256((self.skill / file).read_bytes()).hexdigest()
        return FileChange(file, "modify", "", before, self.space.store(new))

    def create(self, file: str, data: bytes, mode: int | None = None) -> FileChange:
        return FileChange(file, "create", "", None, self.space.store(data), mode)

    def delete(self, file: str) -> FileChange:
        return FileChange(file, "delete", "", hashlib.sha256((self.skill / file).read_bytes()).hexdigest(), None)

    def apply_fix(self, fix_id: str, *changes: FileChange) -> None:
        space = self.space
        with space.hold("run-1"):
            space.apply(fix_id, changes)
            space.close()

    def apply_edit(self, fix_id: str, file: str, old: bytes, new: bytes) -> None:
        data = (self.skill / file).read_bytes()
        assert data.count(old) == 1
        self.apply_fix(fix_id, self.modify(file, data.replace(old, new)))

    def rollback(self, *fix_ids: str):
        space = self.space
        with space.hold("run-1"):
            result = space.rollback(fix_ids or None)
            space.close()
        return result

    def read(self, file: str) -> bytes:
        return (self.skill / file).read_bytes()

    def snapshot(self) -> dict[str, tuple[int, bytes]]:
        """Return each path below the skill with its mode and its bytes; a folder has no bytes."""
        return {
            str(path.relative_to(self.skill)): (
                stat.S_IMODE(path.lstat().st_mode),
                path.read_bytes() if path.is_file() else b"",
            )
            for path in sorted(self.skill.rglob("*"))
        }


@pytest.fixture
def bench(tmp_path) -> Bench:
    skill = tmp_path / "plover"
    for name, data in FILES.items():
        path = skill / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (skill / "run.sh").chmod(0o751)
    (skill / "empty").mkdir()
    return Bench(skill, tmp_path / "work")
