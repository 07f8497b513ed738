"""Define a case: a skill with its settings, its recorded sessions and the project around it."""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from actions.memo import cached_property
from actions.project.place import Place, place_alone
from actions.project.project import Project
from actions.project.units import Unit
from actions.skill.settings import Settings
from actions.skill.skill import Skill
from schemas.vocabulary import UnitKind

if TYPE_CHECKING:
    from actions.session.answer import Answer
    from actions.session.observation import Observation
    from actions.session.transcript import Transcript
    from schemas.considerations import Consideration

_DEFAULT_SETTINGS = Settings()
_JSON_KINDS = (UnitKind.HOOKS, UnitKind.MANIFEST, UnitKind.MCP)
Limited = Callable[[Callable[[], None]], None]
"""Runs a function and raises TimeoutError if it takes too long."""


def _run(work: Callable[[], None]) -> None:
    work()


class Case(msgspec.Struct, frozen=True, dict=True):
    """A skill, its settings and its recorded sessions.

    `contents` maps SHA-256 hashes to the bytes of drafted changes, so that a fix can be tried in memory. `settings`
    select patterns and suppress findings. `sessions` are recorded sessions that used the skill. `considerations` are
    the questions about them. `session_notes` say why sessions are missing. `judged` has a judge's answers by session
    and consideration. `observations` are what a judge observed in runs. `limited` runs each check and may raise
    TimeoutError in it. `locate` finds the skill's project when a check first needs it. By default, the skill itself is
    the project.
    """

    skill: Skill
    contents: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    settings: Settings = _DEFAULT_SETTINGS
    sessions: tuple["Transcript", ...] = ()
    considerations: tuple["Consideration", ...] = ()
    session_notes: tuple[str, ...] = ()
    judged: Mapping[str, Mapping[str, "Answer"]] = msgspec.field(default_factory=dict)
    observations: tuple["Observation", ...] = ()
    limited: Limited = _run
    locate: Callable[[Skill], Place] = place_alone

    @cached_property
    def memo(self) -> dict[str, object]:
        """Results of memoized functions. A changed case starts without results."""
        return {}

    @cached_property
    def _place(self) -> Place:
        return self.locate(self.skill)

    @cached_property
    def unread(self) -> frozenset[str]:
        """The texts of the skill that no run reads. Empty if the search fails, as if a run read all texts."""
        from actions.skill.reach import find_unread  # most commands need no search

        found = list[frozenset[str]]()
        if self.skill.kind is UnitKind.SKILL:
            with suppress(Exception):  # DF-010 searches as well, and its failure is reported
                self.limited(lambda: found.append(find_unread(self.skill)))
        return found[0] if found else frozenset()

    @property
    def unchecked(self) -> str:
        """Why the unit cannot be checked, or "". Its JSON is too large or nested too deeply to be parsed."""
        if self.skill.kind not in _JSON_KINDS:
            return ""
        document = self.project.read_json(self.skill.main_path)
        return f"{self.skill.main_path}: not checked, {document.error}" if document and document.exceeds_limit else ""

    @property
    def project(self) -> Project:
        """The project that contains the skill. It has the files of the skill as they are in this case."""
        return self._place.project

    @property
    def unit(self) -> Unit:
        """The skill as a unit of its project."""
        return self._place.unit

    def with_skill(self, skill: Skill, locate: Callable[[Skill], Place] | None = None) -> "Case":
        """Return this case with another skill. Pass a new `locate` if the project was read again, too."""
        return replace(self, skill=skill, locate=locate or self.locate)

    def find_file(self, path: str) -> bytes | None:
        """Return the bytes of a file that a fix may change, or None if it does not exist.

        A fix of a skill changes files of the skill. A fix of another unit may change any file of the project.
        """
        file = self.skill.by_path.get(path)
        if self.skill.kind is UnitKind.SKILL or file:
            return file.raw if file else None
        return self.project.read_bytes(path)

    def with_files(self, changes: Mapping[str, bytes | None], executable: Collection[str] = ()) -> "Case":
        """Return the case after some files were replaced, deleted or made executable.

        `changes` maps each path to the new bytes, or to None to delete the file. Paths are relative to the folder of
        the skill. For another kind of unit, they are relative to the project.
        """
        if self.skill.kind is UnitKind.SKILL:
            return self.with_skill(self.skill.with_files(changes))
        skill_files = {path: raw for path, raw in changes.items() if path in self.skill.by_path}
        project_files = {path: raw for path, raw in changes.items() if path not in skill_files}
        project = self.project.with_files(project_files, executable)
        return self.with_skill(self.skill.with_files(skill_files), replace(self._place, project=project).with_skill)
