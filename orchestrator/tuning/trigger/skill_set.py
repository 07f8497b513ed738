"""Read the skills of a trigger test: the measured skills, and the other skills in the listing."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec
from msgspec.structs import replace

from actions.project.listing import ListedSkill
from actions.project.model_listings import ListingSettings, ScopeListing
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput
from orchestrator.fs.home import claude_folder, parse_path
from orchestrator.listing.listings import read_listings
from orchestrator.listing.settings import read_listing_settings
from orchestrator.project.project_reader import find_project_folder
from orchestrator.project.skill_finder import find_skill

_MAX_SKILLS = 200
_SOURCE_ORDER = ("user", "project", "plugin")


class SkillSet(msgspec.Struct, frozen=True):
    """Skills in the order of the listing, with absolute paths.

    path: the measured skill or folder. targets: the full names of the measured skills.
    """

    path: Path
    skills: tuple[ListedSkill, ...]
    targets: tuple[str, ...]
    settings: ListingSettings

    @property
    def subject(self) -> Path:
        """The folder of the measured skill, or of the first one if several are measured."""
        return self.path if len(self.targets) == 1 else Path(self.get(self.targets[0]).path).parent

    def get(self, name: str) -> ListedSkill:
        """Return the first listed skill that has this full name."""
        return next(skill for skill in self.skills if skill.name == name)


def read_skill_set(argument: str, among: Sequence[str]) -> SkillSet:
    """Return the skills that are listed in a test of one skill, or of a folder of skills.

    among: other skills, plugins, projects and folders of skills to list. By default these are the skill's plugin,
    `.claude` folder or parent folder. The user's own skills are always listed. Raises BadInput if no skill can be
    measured.
    """
    folder = parse_path(argument)
    is_folder = folder.is_dir() and not (folder / MAIN).is_file()
    path = (folder if is_folder else find_skill(argument)).resolve()
    own = _read_folder(path)
    measured = [skill for skill in own if not _is_user_skill(skill)] if is_folder else [_find_listed(path, own)]
    others = [skill for other in among for skill in _read_folder(parse_path(other).resolve())]
    if not among and not is_folder:
        others = _read_siblings(path, measured[0])
    skills = _merge(measured, [*others, *own])
    targets = tuple(skill.name for skill in measured if not skill.is_hidden)
    if not targets:
        raise BadInput(f"{argument}: no skill is listed; a model cannot call it (see `tune-skill listing`)")
    return SkillSet(path, skills, targets, read_listing_settings(find_project_folder(path)))


def _read_folder(folder: Path) -> list[ListedSkill]:
    """Return the skills in or below a folder, and the user's own skills. Raises BadInput for several plugins."""
    scopes = read_listings(folder, ()).scopes
    if folder.parent == (claude_folder() / "skills").resolve():
        return [skill for skill in scopes[0].skills if _is_user_skill(skill)]
    if len(scopes) > 1:
        names = ", ".join(scope.folder for scope in scopes[:5])
        raise BadInput(f"{folder}: {len(scopes)} plugins or `.claude` folders; name one of {names}")
    return list(_make_absolute(scopes[0], find_project_folder(folder)))


def _make_absolute(scope: ScopeListing, root: Path) -> Iterator[ListedSkill]:
    for skill in scope.skills:
        yield skill if _is_user_skill(skill) else replace(skill, path=str(root.resolve() / skill.path))


def _find_listed(path: Path, skills: Sequence[ListedSkill]) -> ListedSkill:
    own = next((skill for skill in skills if Path(skill.path).resolve() == path / MAIN), None)
    if own is None:
        raise BadInput(f"{path}: Claude Code does not list this skill; see `tune-skill listing`")
    return own


def _read_siblings(path: Path, skill: ListedSkill) -> list[ListedSkill]:
    """Return the skills in the plugin or `.claude` folder of a skill, or else in its parent folder."""
    root = find_project_folder(path).resolve()
    if _is_user_skill(skill):
        return []
    if path == root:  # the folder above a project can contain anything
        siblings = islice(sorted(path.parent.glob(f"*/{MAIN}")), _MAX_SKILLS)
        return [found for file in siblings for found in _read_folder(file.parent)]
    scope = root / skill.source_folder
    return _read_folder(scope if scope != path else path.parent)


def _merge(measured: Sequence[ListedSkill], others: Sequence[ListedSkill]) -> tuple[ListedSkill, ...]:
    """Return all skills in the order of the listing, without duplicates.

    A user's copy of a measured skill with the same description is left out. Raises BadInput if two skills of one
    source have the same name.
    """
    found: dict[tuple[str, str], ListedSkill] = {}
    texts = {(skill.name, skill.description) for skill in measured if not _is_user_skill(skill)}
    for skill in (*others, *measured):
        if _is_user_skill(skill) and (skill.name, skill.description) in texts:
            continue
        first = found.setdefault((skill.source, skill.name), skill)
        if first.path != skill.path:
            raise BadInput(f"two skills have the name {skill.name}: {first.path} and {skill.path}; remove one")
    return tuple(sorted(found.values(), key=_get_rank))


def _get_rank(skill: ListedSkill) -> tuple[int, bool, str]:
    """Return the rank in the listing. Project skills are ranked by name, because all are copied into one folder."""
    is_project = skill.source == "project"
    is_command = not skill.path.endswith(MAIN)
    return _SOURCE_ORDER.index(skill.source), is_project and is_command, skill.name if is_project else ""


def _is_user_skill(skill: ListedSkill) -> bool:
    return skill.source == "user"
