"""Determine whether a file is maintained in its project, so that correcting it there helps.

One table holds the evidence that a file is a copy that the project does not own: an update would undo an edit.
"""

import posixpath
from collections.abc import Callable

from actions.memo import memoize
from actions.project.plugins import MARKETPLACE
from actions.project.project import Project
from actions.project.resolve_path import get_project_path
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.document import find_frontmatter_end
from actions.skill.paths import find_loading_folder, list_parents
from actions.skill.skill import SkillFile

_VERSION_MARK = regex(r"\.([\w-]+)[_-]version(?:\.(?:txt|json))?")
"""The name of a file with the version of the tool that installed the skill of its name, such as `.graphify_version`."""
_VENDORED = regex(
    r"(?i)\A\W*vendored (?:copy of|from)\b|\bthis is an? (?:\w+ ){0,2}vendored\b"
    r"|\bthis (?:skill|file|folder|copy) (?:is|was|has been) (?:\w+ ){0,2}vendored\b(?! (?:below|in|into|under)\b)"
    r"|\best[ae] (?:skill |habilidad )?(?:es|fue|ha sido) (?:\w+ ){0,3}vendorizad[ao]\b"
)
"""A sentence about the skill itself. Others are about what it works on: `use the vendored copy of jq`."""
_UPDATE = regex(r"\bcurl\b[^\n`]{0,200}(?:-o|>)[ ]*[\"']?\S{0,100}/skills/([\w-]+)/SKILL\.md\b")
"""A command that replaces the text of a skill by that of a server."""
_MANAGED = regex(r"[ ]{0,3}<!--[ ]*[\w.-]+:managed\b")
_MANAGED_KEY = regex(r"#[ ]*[\w.-]+:managed\b")
"""A comment above, or in the frontmatter, of the tool that wrote the file and writes it again: `aiwg:managed v2`."""
_NOTICES = ("NOTICE", "NOTICE.md", "VENDORED.md", "UPSTREAM.md")
_UNCHANGED = regex(
    r"(?i)(?:\A\W*|\b(?:skill(?:\.md)?|folder|directory)\b[^.]{0,60}\b)vendored\b[^.]{0,80}\b(?:verbatim|byte-identical|unmodified)\b"
    r"|\bdo not (?:hand-)?edit\b[^.]{0,40}\bSKILL\.md\b"
)
"""What a notice says of the skill, not of a library in it."""
_LOCK = regex(r"(?:\A|/)[\w.-]*lock\.json\Z")
_PACKAGE_LOCKS = frozenset({"package-lock.json", "npm-shrinkwrap.json"})
_SKILL_LOCKS = ("skills-lock.json", ".clawhub/lock.json")
"""Files in which installers list the skills that they installed: `npx skills`, ClawHub."""
_REGISTRY_KEYS = frozenset({"ownerId", "slug", "version"})
"""Keys of the `_meta.json` that ClawHub writes into a skill."""
_WELL_KNOWN = ("A skill for creating new skills and iteratively improving them.",)
"""First sentences of skills that are copied whole into many projects: `skill-creator` of Anthropic."""
_FIRST_LINES, _HEAD = 60, 4
"""Numbers of lines in which a text says where it comes from, and in which a tool marks it."""


def is_installed(project: Project, unit: Unit, file: SkillFile) -> bool:
    """Return whether a file is part of a copy that the project does not own, by any row of the table."""
    if unit.kind is UnitKind.SKILL and any(shows(project, unit) for shows in _EVIDENCE_OF_SKILL):
        return True
    if _is_in_copied_marketplace(project, unit):
        return True
    return _is_managed(file) or _has_locked_digest(project, get_project_path(unit, file.path))


def _is_managed(file: SkillFile) -> bool:
    lines = file.doc.lines
    end = find_frontmatter_end(lines) or 0
    return any(map(_MANAGED_KEY.match, lines[1:end])) or any(map(_MANAGED.match, lines[: end + _HEAD]))


def _is_in_copied_marketplace(project: Project, unit: Unit) -> bool:
    """Return whether a unit is in a marketplace below `.claude/skills`, from where Claude Code does not load it."""
    top, separator, inner = f"/{unit.path}".partition("/.claude/skills/")
    if not separator or find_loading_folder(unit.path) is not None:
        return False
    folders = (f"{top}{separator}{folder}"[1:] for folder in list_parents(inner) if folder)
    return any(posixpath.join(folder, MARKETPLACE) in project.files for folder in folders)


def _has_version_mark(project: Project, unit: Unit) -> bool:
    marks = map(_VERSION_MARK.fullmatch, project.list_folder(unit.folder))
    return any(mark[1] == posixpath.basename(unit.folder) for mark in marks if mark)


def _says_so(project: Project, unit: Unit) -> bool:
    """Return whether the skill says that it is a copy, begins like a well-known one, or replaces its own text."""
    main = project.read_text_file(unit.path)
    lines = main.doc.lines[:_FIRST_LINES] if main else ()
    is_in_project = unit.is_loaded and unit.plugin_root is None
    updates = {match[1] for line in lines for match in _UPDATE.finditer(line)} if is_in_project else set[str]()
    is_well_known = any(line.strip() in _WELL_KNOWN for line in lines)
    return is_well_known or posixpath.basename(unit.folder) in updates or any(map(_VENDORED.search, lines))


def _has_notice(project: Project, unit: Unit) -> bool:
    """Return whether a notice beside the skill says that it is vendored without changes."""
    paths = (posixpath.join(unit.folder, name) for name in _NOTICES)
    texts = [(project.read_bytes(path) or b"").decode("utf-8", "replace") for path in paths]
    return any(map(_UNCHANGED.search, texts))


def _is_from_registry(project: Project, unit: Unit) -> bool:
    return project.read_object(posixpath.join(unit.folder, "_meta.json")).keys() >= _REGISTRY_KEYS


def _is_in_skill_lock(project: Project, unit: Unit) -> bool:
    """Return whether the list of an installer, in a folder above the skill, has the name of its folder."""
    folders = (*list_parents(unit.folder), "")
    return any(
        posixpath.basename(unit.folder) in _read_lock(project, posixpath.join(folder, name))
        for folder in folders
        for name in _SKILL_LOCKS
    )


def _read_lock(project: Project, path: str) -> frozenset[str]:
    """Return the names of the skills in a lock file."""
    skills = project.read_object(path).get("skills")
    return frozenset(name for name, entry in skills.items() if entry) if isinstance(skills, dict) else frozenset()


def _has_locked_digest(project: Project, path: str) -> bool:
    """Return whether a lock file in a folder above a file has the SHA-256 of the file: an edit would break it."""
    folders = {posixpath.dirname(path), *list_parents(path), ""}
    locks = [lock for lock in _list_locks(project) if posixpath.dirname(lock) in folders]
    if not locks:
        return False
    from hashlib import sha256  # loads OpenSSL, which only this needs

    digest = sha256(project.read_bytes(path) or b"").hexdigest().encode()
    return any(digest in (project.read_bytes(lock) or b"") for lock in locks)


@memoize
def _list_locks(project: Project) -> tuple[str, ...]:
    locks = (path for path in project.files if _LOCK.search(path))
    return tuple(path for path in locks if posixpath.basename(path) not in _PACKAGE_LOCKS)


_EVIDENCE_OF_SKILL: tuple[Callable[[Project, Unit], bool], ...] = (
    _has_version_mark,
    _says_so,
    _has_notice,
    _is_from_registry,
    _is_in_skill_lock,
)
"""What shows that a skill as a whole is a copy."""
