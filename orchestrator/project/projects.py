"""Find and read the projects around the units of one scan, each once."""

import os
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

from actions.project.find_units import is_sample
from actions.project.overlays import find_overlays
from actions.project.place import Place, place_alone, place_in_project
from actions.project.project import Project
from actions.skill.skill import Skill
from orchestrator.project.project_reader import MAX_FILES, find_project_folder, read_project
from orchestrator.project.skill_finder import find_skills_below
from orchestrator.project.unit_finder import LocatedUnit, list_units


class Projects:
    """The projects that a scan has read. Another process gets an empty one."""

    def __init__(self) -> None:
        self._read: dict[Path, Project] = {}
        self.find_root = cache(self._find_root)

    def __reduce__(self) -> tuple[type["Projects"], tuple[()]]:
        """Pickle nothing: the readers of files stay in their process."""
        return Projects, ()

    def read(self, root: Path) -> Project:
        """Return the project at `root`."""
        if root not in self._read:
            self._read[root] = read_project(root)
        return self._read[root]

    def list_notes(self) -> list[str]:
        """Return a note for each project that has too many files."""
        most, large = f"{MAX_FILES:,}", (root for root, project in self._read.items() if project.unlisted)
        return [f"{root}: more than {most} files; the others are not known here: exclude folders" for root in large]

    def with_files(self, root: Path, changes: Mapping[str, bytes]) -> "Projects":
        """Return projects of which the one at `root` has other files: what an editor holds unsaved."""
        changed = Projects()
        changed._read[root] = self.read(root).with_files(changes) if changes else self.read(root)
        return changed

    def list_units(self, root: Path) -> list[LocatedUnit]:
        """Return all units of the project at `root`, sorted by path."""
        return list_units(root, self.read(root))

    def find_skills_below(self, folder: Path) -> list[Path]:
        """Return the skills below a folder without fragments of others, and without samples unless all are such."""
        found = find_skills_below(folder)
        skills = [skill for skill in found if not is_sample(skill.relative_to(folder).as_posix())] or found
        root = self.find_root(folder) if skills else folder
        overlays = {root / one for one in find_overlays(self.read(root))} if skills else ()
        return [skill for skill in skills if Path(os.path.realpath(skill)) not in overlays]

    def locate(self, read: Skill, folder: Path) -> Callable[[Skill], Place]:
        """Return a function that places versions of the skill that was read from a folder.

        It reads the project at its first call. A skill without a repository is a project of its own.
        """
        find = cache(partial(self._find_place, read, folder))
        return lambda skill: find().with_skill(skill)

    def _find_place(self, skill: Skill, folder: Path) -> Place:
        real = Path(os.path.realpath(folder))
        root = self.find_root(real)
        if root == real and not os.path.lexists(root / ".git"):
            return place_alone(skill)
        return place_in_project(skill, self.read(root), "/".join(real.relative_to(root).parts))

    def _find_root(self, folder: Path) -> Path:
        """Return the root of the project around a folder: one that was read, if no repository begins between them."""
        for one in (folder, *folder.parents):
            if one in self._read:
                return one
            if os.path.lexists(one / ".git"):
                break
        return find_project_folder(folder)
