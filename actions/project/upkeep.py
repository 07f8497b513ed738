"""Determine whether a file is maintained in its project, so that correcting it there helps.

One table holds the evidence that a file is a copy that the project does not own: an update would undo an edit. What
the file says of itself is no evidence, because a sentence may be about something else.
"""

import posixpath
from collections.abc import Callable

from actions.memo import memoize
from actions.project.generated import is_copied
from actions.project.plugins import MARKETPLACE
from actions.project.project import Project
from actions.project.resolve_path import get_project_path
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.paths import find_loading_folder, list_parents
from actions.skill.skill import SkillFile

_VERSION_MARK = regex(r"\.([\w-]+)[_-]version(?:\.(?:txt|json))?")
"""The name of a hidden file with the version of the tool that installed the skill of its name: `.graphify_version`."""
_UPDATE = regex(r"\bcurl\b[^\n`]{0,200}(?:-o|>)[ ]*[\"']?\S{0,100}/skills/([\w-]+)/SKILL\.md\b")
"""A command that replaces the text of a skill by that of a server."""
_NOTICES = ("NOTICE", "NOTICE.md", "VENDORED.md", "UPSTREAM.md")
_UNCHANGED = regex(
    r"(?i)\bSKILL\.md\b[^.]{0,80}\b(?:verbatim|byte-identical|unmodified)\b"
    r"|\bdo not (?:hand-)?edit\b[^.]{0,40}\bSKILL\.md\b"
)
"""What a notice says of the skill, not of a library in it."""
_EXPORTED = regex(
    r"(?i)(?=.*\b(?:exported|copied|mirrored|vendored) (?:from|with)\b)"
    r".*\b(?:unchanged|unmodified|verbatim|without (?:any )?(?:modifications?|changes))\b"
)
"""A paragraph that says of a folder, by its name, that its content is another program's and is published unchanged."""
_LEFTOVER = regex(r"(?i)(.*\w)(?: - copy(?: \(\d+\))?| copy(?: \d+)?)(\.\w+)?")
"""The name that a file manager gives to a copy beside the original: `count - Copy`, `SKILL copy 2.md`."""
_LOCK = regex(r"(?:\A|/)(?:[\w.-]*lock|\.[\w.-]+-manifest)\.json\Z")
"""Files in which installers list the digests of what they wrote, such as `bundle.lock.json`, `.aiwg-manifest.json`."""
_PACKAGE_LOCKS = frozenset({"package-lock.json", "npm-shrinkwrap.json"})
_SKILL_LOCKS = ("skills-lock.json", ".clawhub/lock.json")
"""Files in which installers list the skills that they installed: `npx skills`, ClawHub."""
_REGISTRY_KEYS = frozenset({"ownerId", "slug", "version"})
"""Keys of the `_meta.json` that ClawHub writes into a skill."""
_FIRST_LINES = 60
"""Number of lines in which a skill says how it is updated."""


def find_sign_of_copy(project: Project, unit: Unit, file: SkillFile) -> str:
    """Return what shows that a file is part of a copy that the project does not own, or "". An edit would be lost."""
    for sign, shows in _SIGNS_OF_SKILL.items() if unit.kind is UnitKind.SKILL else ():
        if shows(project, unit):
            return sign
    if is_leftover_copy(project, get_project_path(unit, file.path)):
        return "it is a leftover copy, to be deleted"
    if _is_in_copied_marketplace(project, unit):
        return "its marketplace is in .claude/skills"
    if is_copied(project, unit, file):
        return "it is fetched from elsewhere or vendored"
    has_digest = _has_locked_digest(project, get_project_path(unit, file.path))
    return "an installer recorded its digest" if has_digest else ""


def is_leftover_copy(project: Project, path: str) -> bool:
    """Return whether a file or a folder above it has the name of a copy that was left beside its original."""
    names = (path, *list_parents(path)) if "copy" in path.lower() else ()
    return any(_is_copy_of_neighbour(project, name) for name in names)


def is_leftover_part(project: Project, unit: Unit, path: str) -> bool:
    """Return whether a file of a unit is such a copy. `path`: relative to the unit."""
    return is_leftover_copy(project, get_project_path(unit, path))


def _is_copy_of_neighbour(project: Project, path: str) -> bool:
    folder, name = posixpath.split(path)
    match = _LEFTOVER.fullmatch(name)
    return match is not None and project.exists(posixpath.join(folder, f"{match[1]}{match[2] or ''}"))


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


def _replaces_itself(project: Project, unit: Unit) -> bool:
    """Return whether a skill of the project has a command that overwrites it where Claude Code loads it."""
    main = project.read_text_file(unit.path)
    if main is None or not unit.is_loaded or unit.plugin_root is not None:
        return False
    updates = (match[1] for line in main.doc.lines[:_FIRST_LINES] for match in _UPDATE.finditer(line))
    return posixpath.basename(unit.folder) in updates


def _has_notice(project: Project, unit: Unit) -> bool:
    """Return whether a notice beside the skill says that it is vendored without changes."""
    paths = (posixpath.join(unit.folder, name) for name in _NOTICES)
    texts = [(project.read_bytes(path) or b"").decode("utf-8", "replace") for path in paths]
    return any(map(_UNCHANGED.search, texts))


def _is_exported(project: Project, unit: Unit) -> bool:
    """Return whether a README above a skill names a folder of it, and says that it is exported unchanged."""
    return any(_says_exported(project, above, unit.folder) for above in (*list_parents(unit.folder), ""))


def _says_exported(project: Project, above: str, folder: str) -> bool:
    name = folder.removeprefix(f"{above}/").split("/")[0]
    readme = (project.read_bytes(posixpath.join(above, "README.md")) or b"").decode("utf-8", "replace")
    marks = (f"`{name}`", f"`{name}/`", f"({name})", f"({name}/)", f"(./{name})") if name else ()
    return any(_EXPORTED.match(line) for line in readme.splitlines() if any(mark in line for mark in marks))


def _is_from_registry(project: Project, unit: Unit) -> bool:
    meta = project.read_object(posixpath.join(unit.folder, "_meta.json"))
    return meta.keys() >= _REGISTRY_KEYS and meta["slug"] == posixpath.basename(unit.folder)


def _is_in_skill_lock(project: Project, unit: Unit) -> bool:
    """Return whether an installer's list, in a folder above the skill, says where the skill comes from."""
    folders = (*list_parents(unit.folder), "")
    locks = (project.read_object(posixpath.join(folder, name)) for folder in folders for name in _SKILL_LOCKS)
    return any(_is_from_elsewhere(lock.get("skills"), posixpath.basename(unit.folder)) for lock in locks)


def _is_from_elsewhere(skills: object, name: str) -> bool:
    """Return whether the entry of a skill has a source that is not a folder, or a version and when it was installed."""
    entry = skills.get(name) if isinstance(skills, dict) else None
    if not isinstance(entry, dict):
        return False
    source, kind = entry.get("source"), entry.get("sourceType")
    is_remote = isinstance(source, str) and source != "" and not source.startswith((".", "/", "~")) and kind != "local"
    return is_remote or entry.keys() >= {"version", "installedAt"}


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


_SIGNS_OF_SKILL: dict[str, Callable[[Project, Unit], bool]] = {
    "an installer left its version beside it": _has_version_mark,
    "a command in it replaces its own text": _replaces_itself,
    "a notice beside it says that it is unchanged": _has_notice,
    "a README says that its folder is exported unchanged": _is_exported,
    "its _meta.json names its registry": _is_from_registry,
    "a lock file names its source": _is_in_skill_lock,
}
"""What shows that a skill as a whole is a copy."""
