"""Find and read the projects of the units of one scan, each only once."""

import os
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

from actions.project.find_units import find_misnamed_skills, is_sample, may_be_unit
from actions.project.overlays import find_overlays
from actions.project.place import Place, place_alone, place_in_project
from actions.project.project import Project
from actions.skill.skill import Skill
from orchestrator.project.project_reader import MAX_FILES, find_project_folder, read_project
from orchestrator.project.settings import SettingsFinder
from orchestrator.project.skill_finder import find_skills_below
from orchestrator.project.unit_finder import LocatedUnit, list_units


class Projects:
    """The projects that a scan has read, and their settings. Both are lost when it is pickled."""

    def __init__(self) -> None:
        self._read: dict[Path, Project] = {}
        self.settings = SettingsFinder()
        self.find_root = cache(self._find_root)

    def __reduce__(self) -> tuple[type["Projects"], tuple[()]]:
        """Pickle no projects, because their file readers cannot be pickled."""
        return Projects, ()

    def read(self, root: Path) -> Project:
        """Return the project at `root`."""
        if root not in self._read:
            self._read[root] = read_project(root)
        return self._read[root]

    def list_notes(self) -> list[str]:
        """Return a note for each project with too many files, each link that could be a unit, and misnamed SKILL.md."""
        large: list[str] = []
        links: list[str] = []
        misnamed: list[str] = []
        why = "only file systems that ignore case find it as SKILL.md; rename it to SKILL.md"
        for root, project in self._read.items():
            if project.unlisted:
                large.append(f"{root}: more than {MAX_FILES:,} files, so not all were listed; exclude some folders")
            paths = (root / name for name in sorted(project.unread) if may_be_unit(name))
            links += (f"{path}: not checked, because it is a link" for path in filter(os.path.islink, paths))
            misnamed += (f"{root / name}: not checked, because {why}" for name in find_misnamed_skills(project))
        return [*large, *links, *misnamed]

    def with_files(self, root: Path, changes: Mapping[str, bytes]) -> "Projects":
        """Return a copy in which files of the project at `root` have other content, such as unsaved text."""
        changed = Projects()
        changed._read[root] = self.read(root).with_files(changes) if changes else self.read(root)
        return changed

    def list_units(self, root: Path) -> list[LocatedUnit]:
        """Return all units of the project at `root`, sorted by path."""
        return list_units(root, self.read(root))

    def find_skills_below(self, folder: Path) -> list[Path]:
        """Return the skills below a folder, without fragments of other skills.

        Samples are left out, unless all skills there are samples.
        """
        all_skills = find_skills_below(folder)
        if not all_skills:
            return []
        skills = [skill for skill in all_skills if not is_sample(skill.relative_to(folder).as_posix())] or all_skills
        root = self.find_root(folder)
        fragments = {root / path for path in find_overlays(self.read(root))}
        return [skill for skill in skills if not fragments or self.settings.resolve(skill) not in fragments]

    def locate(self, read: Skill, folder: Path) -> Callable[[Skill], Place]:
        """Return a function that locates versions of the skill `read` in its project. folder: the folder of the skill.

        The function reads the project at its first call. A skill outside a project is treated as its own project.
        """
        find_place = cache(partial(self._find_place, read, folder))
        return lambda skill: find_place().with_skill(skill)

    def _find_place(self, skill: Skill, folder: Path) -> Place:
        real = self.settings.resolve(folder)
        root = self.find_root(real)
        if root == real and not os.path.lexists(root / ".git"):
            return place_alone(skill)
        return place_in_project(skill, self.read(root), "/".join(real.relative_to(root).parts))

    def _find_root(self, folder: Path) -> Path:
        """Return the root of the project around a folder. A project that was read before is preferred."""
        known_roots, path = {str(root): root for root in self._read}, str(folder)
        while path not in known_roots:  # on strings, because this runs for each skill and Path is slow
            if os.path.lexists(f"{path}/.git") or path == os.path.dirname(path):  # noqa: PTH120
                return find_project_folder(folder)
            path = os.path.dirname(path)  # noqa: PTH120
        return known_roots[path]
