"""Find files that cannot be parsed, among the files of a skill and the files that hooks and servers start."""

from collections.abc import Iterator
from contextlib import suppress

import msgspec

from actions.project.project import Project
from actions.project.started_files import find_started_files
from actions.project.syntax_faults import find_code_fault, find_data_fault
from actions.project.units import Unit, UnitKind
from actions.skill.paths import Role
from actions.skill.skill import Skill, SkillFile


class BrokenFile(msgspec.Struct, frozen=True):
    """A file that cannot be parsed.

    The finding is reported at `file` and `line`. `path` is the broken file; `fault_line` is the line of its fault.
    """

    file: str
    line: int
    path: str
    fault_line: int
    problem: str


def find_broken_files(project: Project, unit: Unit, skill: Skill, *, is_code: bool) -> Iterator[BrokenFile]:
    """Yield the scripts (if `is_code`) or the data files of a unit that cannot be parsed, except test files."""
    find_fault = find_code_fault if is_code else find_data_fault
    if skill.kind is UnitKind.SKILL:
        for file in skill.files:
            if file.role is not Role.UNRELATED and not file.is_markdown and (fault := find_fault(file)):
                yield BrokenFile(file.path, fault.line, file.path, fault.line, fault.problem)
        return
    for started in find_started_files(project, unit):
        with suppress(UnicodeDecodeError):
            file = SkillFile(started.path, project.read_bytes(started.path) or b"")
            if fault := find_fault(file):
                yield BrokenFile(unit.path, started.line, started.path, fault.line, fault.problem)
