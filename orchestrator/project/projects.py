"""Find and read the projects of the units of one scan, each only once."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, partial
from itertools import islice
from pathlib import Path

from actions.project.archives import is_archive
from actions.project.find_units import find_archived_units, find_misnamed_skills, find_units, is_sample, may_be_unit
from actions.project.overlays import find_overlays
from actions.project.place import Place, place_alone, place_in_project
from actions.project.project import Project
from actions.skill.paths import MAIN, list_parents
from actions.skill.skill import Skill
from orchestrator.fs.git_silence import find_silence
from orchestrator.project.project_reader import MAX_FILES, find_project_folder, read_project
from orchestrator.project.settings import SettingsFinder
from orchestrator.project.skill_finder import find_skills_below
from orchestrator.project.unit_finder import LocatedUnit, list_units
from templates.filters import counted

_MAX_ARCHIVES = 3
"""Maximum number of archives that a note lists."""


def is_in_archive(path: Path, root: Path) -> bool:
    """Return whether a folder of the project at `root` is an archive or in one."""
    return path != root and any(map(is_archive, list_parents(f"{path.relative_to(root).as_posix()}/x")))


class Projects:
    """The projects that a scan has read, and their settings. A pickled copy of this object is empty."""

    def __init__(self) -> None:
        self._read: dict[Path, Project] = {}
        self._archived: dict[Path, Path] = {}
        """Maps the files of left-out units in archives to the roots of the projects."""
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
        """Return a note for each project that git does not list or that has too many files, each link that could be a
        unit, and misnamed SKILL.md.
        """
        silent = [f"{silence}. Ignored files are not left out" for silence in map(find_silence, self._read) if silence]
        large: list[str] = []
        links: list[str] = []
        misnamed: list[str] = []
        why = "only file systems that ignore case find it as SKILL.md; rename it to SKILL.md"
        for root, project in self._read.items():
            if project.unlisted:
                large.append(f"{root}: more than {MAX_FILES:,} files, so not all were listed; exclude some folders")
            checked = {unit.path for unit in find_units(project)}
            unread = (name for name in sorted(project.unread) if project.links.get(name) not in checked)
            paths = (root / name for name in unread if may_be_unit(name))
            links += (f"{path}: not checked, because it is a link" for path in filter(os.path.islink, paths))
            misnamed += (f"{root / name}: not checked, because {why}" for name in find_misnamed_skills(project))
        return [*silent, *large, *links, *misnamed, *self._describe_archived()]

    def _describe_archived(self) -> Iterator[str]:
        """Yield a note for each project whose units in archives were left out."""
        for root in dict.fromkeys(self._archived.values()):
            paths = sorted(path for path, project in self._archived.items() if project == root)
            names = (path.relative_to(root).as_posix() for path in paths)
            folders = dict.fromkeys(max(filter(is_archive, list_parents(name)), key=len, default=".") for name in names)
            listed = ", ".join(f"{folder}/" for folder in islice(folders, _MAX_ARCHIVES))
            more = f" and {len(folders) - _MAX_ARCHIVES} more" if len(folders) > _MAX_ARCHIVES else ""
            count = counted(len(paths), "unit")
            yield f"{root}: {count} in archives not checked ({listed}{more}); name an archive to check it"

    def with_files(self, root: Path, changes: Mapping[str, bytes]) -> "Projects":
        """Return a copy in which files of the project at `root` have other content, such as unsaved text."""
        changed = Projects()
        changed._read[root] = self.read(root).with_files(changes) if changes else self.read(root)
        return changed

    def list_units(self, root: Path) -> list[LocatedUnit]:
        """Return all units of the project at `root`, sorted by path."""
        return list_units(root, self.read(root))

    def list_archived(self, root: Path) -> list[LocatedUnit]:
        """Return the units of the project at `root` that are in archives, sorted by path."""
        project = self.read(root)
        return [LocatedUnit(root, project, unit) for unit in find_archived_units(project)]

    def _leave_out_archived(self, folder: Path) -> Collection[Path]:
        """Return the files of the units in archives below a folder, and record them for a note.

        Returns () if the folder itself is in an archive.
        """
        top, root = self.settings.resolve(folder), self.find_root(folder)
        archived = [located.path for located in self.list_archived(root) if located.path.is_relative_to(top)]
        if not archived or is_in_archive(top, root):
            return ()
        self._archived |= dict.fromkeys(archived, root)
        return frozenset(archived)

    def find_skills_below(self, folder: Path) -> list[Path]:
        """Return the skills below a folder, without fragments of other skills.

        Samples and archived skills are left out, unless there are no other skills.
        """
        all_skills = find_skills_below(folder)
        if not all_skills:
            return []
        skills = [skill for skill in all_skills if not is_sample(skill.relative_to(folder).as_posix())] or all_skills
        archived = self._leave_out_archived(folder)
        skills = [skill for skill in skills if self.settings.resolve(skill) / MAIN not in archived] or skills
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
        """Return the root of the project around a folder, preferring a project that was read before."""
        known_roots, path = {str(root): root for root in self._read}, str(folder)
        while path not in known_roots:  # on strings, because this runs for each skill and Path is slow
            if os.path.lexists(f"{path}/.git") or path == os.path.dirname(path):  # noqa: PTH120
                return find_project_folder(folder)
            path = os.path.dirname(path)  # noqa: PTH120
        return known_roots[path]
