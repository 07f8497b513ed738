"""Determine which tool loads a unit, from where it is and from what the project around it is made for.

One table holds the evidence; the first row that fits decides. A pattern whose consequence is something that Claude Code
does with a loaded unit asks here, and has no exceptions of its own.

Source: the CLI 2.1.332; `tests/e2e/facts/test_unit_facts.py` asks it. It does not read `.agents/skills`, but follows
links in `.claude`.
"""

import posixpath
from collections.abc import Callable, Iterator
from enum import Enum

from actions.memo import memoize, memoize_all
from actions.project.other_tools import has_sign_of_other_tool, is_for_other_tool
from actions.project.plugins import find_entries, find_plugin, find_plugins
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.paths import MAIN, find_loading_folder


class Loader(Enum):
    """What loads a unit."""

    CLAUDE_CODE = "Claude Code, from where the unit is"
    CLAUDE_CODE_AFTER_COPY = "Claude Code, after the unit was copied to a place from which it loads"
    OTHER_TOOL = "only another tool"
    NOTHING = "no tool: it is a document with the name of a skill"


_BEGINNINGS = (b"---", b"\xef\xbb\xbf---")
_TEXTS_OF_USE = ("README.md", "INSTALL.md", "install.sh", "setup.sh", "install.ps1", "Makefile", "package.json")
"""Files in the root that say or do where the units of the project are copied."""
_NAMES_PLACE = regex(r"\.claude\b|claude plugin|/plugin (?:install|marketplace)|skills add\b")
_NAMES_SKILL_PLACE = regex(r"\.claude/skills\b|claude plugin|/plugin install|skills add\b")
_NAMES_SKILLS = regex(r"(?i)\bskills?\b|SKILL\.md")
_SIGNS_OF_CLAUDE = ("CLAUDE.md", ".claude", ".claude-plugin")
_SIGNS_OF_OTHERS = ("opencode.json", "opencode.jsonc", "openclaw.json", ".openclaw", ".clawhub", ".pi")
_FOLDER_OF_OTHERS = regex(r"~/\.(?:codex|config/opencode|cursor|gemini|openclaw|pi)\b")
_OTHER_TOOL = regex(
    r"\b(?:Codex|Copilot|Cursor|Gemini CLI|OpenClaw|OpenCode|opencode|Windsurf|Cline|Kiro|Antigravity|Roo Code)\b"
    r"|agentskills\.io|skills add\b|(?i:\bagent skills\b|\b(?:other|any|all|multiple) (?:\w+ )?agents\b)"
)
"""What a text says that is also for other tools than Claude Code, or for all that follow the specification."""
_PACKAGES = ("package.json", "pyproject.toml", "Cargo.toml", "go.mod")
_MEMORY_FILES = ("CLAUDE.md", "AGENTS.md")
_MIN_OWN_FORMAT = 3
"""Minimum number of skills beside each other for a format of their own."""


def find_loader(project: Project, unit: Unit) -> Loader:
    """Return what loads a unit, by the first row of the table that fits."""
    return next((loader for fits, loader in _EVIDENCE if fits(project, unit)), Loader.CLAUDE_CODE_AFTER_COPY)


def is_for_claude_code(project: Project, unit: Unit) -> bool:
    """Return whether Claude Code loads a unit, from where it is or after it was copied."""
    return find_loader(project, unit) in (Loader.CLAUDE_CODE, Loader.CLAUDE_CODE_AFTER_COPY)


def is_for_claude_code_alone(project: Project, unit: Unit) -> bool:
    """Return whether Claude Code loads a unit from where it is, and nothing shows that the project is for other tools.

    What only other tools reject is then no fault.
    """
    is_own = find_loader(project, unit) is Loader.CLAUDE_CODE and _is_in_own_folder(project, unit)
    return is_own and not has_sign_of_other_tool(project) and not _OTHER_TOOL.search(_read_texts_of_use(project))


def is_in_plugin(project: Project, unit: Unit) -> bool:
    """Return whether a plugin loads a unit: from its place, or through a link to the folder of a skill."""
    return unit.plugin_root is not None or _is_linked_in_plugin(project, unit)


def _is_linked_in_plugin(project: Project, unit: Unit) -> bool:
    """Return whether the folder `skills` of a plugin has a link with the name of the folder of a skill."""
    name = f"skills/{posixpath.basename(unit.folder)}"
    is_skill = unit.kind is UnitKind.SKILL and unit.folder != ""
    return is_skill and any(plugin.join(name) in project.unread for plugin in find_plugins(project).values())


@memoize
def find_unseen_roots(project: Project) -> frozenset[str]:
    """Return the paths of the SKILL.md in the roots of plugins that Claude Code 2.1.332 does not load.

    It loads the one in the root if the manifest has no `skills` and the plugin has no such folder, or if the manifest
    names the root.
    """
    plugins = [plugin for plugin in find_plugins(project).values() if plugin.join(MAIN) in project.files]
    return frozenset(
        plugin.join(MAIN)
        for plugin in plugins
        if ("skills" in plugin.manifest or plugin.join("skills") in project.folders)
        and (plugin.root or ".") not in plugin.list_paths("skills")
    )


def _is_unseen_root(project: Project, unit: Unit) -> bool:
    return unit.path in find_unseen_roots(project)


def _is_listed(project: Project, unit: Unit) -> bool:
    """Return whether a marketplace of Claude Code lists the plugin of a unit."""
    return unit.plugin_root is not None and any(entry.root == unit.plugin_root for entry in find_entries(project))


def _is_linked(project: Project, unit: Unit) -> bool:
    """Return whether a link leads to the unit, or `.claude/skills` is one, or has one with the name of its folder.

    A link in the folder `skills` of a plugin counts, too.
    """
    links = project.unread
    return (
        unit.link != ""
        or _is_linked_in_plugin(project, unit)
        or any(link.endswith((".claude/skills", f".claude/skills/{posixpath.basename(unit.folder)}")) for link in links)
    )


def _is_in_foreign_folder(project: Project, unit: Unit) -> bool:
    return is_for_other_tool(unit)


def _is_in_own_folder(project: Project, unit: Unit) -> bool:
    is_deeper = unit.kind is UnitKind.SKILL and find_loading_folder(unit.path) is None
    return unit.plugin_root is not None or (unit.is_loaded and not is_deeper)


def _is_in_foreign_project(project: Project, unit: Unit) -> bool:
    """Return whether the project is made for another tool: it has its configuration, and nothing of Claude Code."""
    return _is_foreign(project)


@memoize
def _is_foreign(project: Project) -> bool:
    if any(project.exists(sign) for sign in _SIGNS_OF_CLAUDE) or _NAMES_PLACE.search(_read_texts_of_use(project)):
        return False
    has_sign = any(project.exists(sign) for sign in _SIGNS_OF_OTHERS) or "pi" in project.read_object("package.json")
    return has_sign or _FOLDER_OF_OTHERS.search(_read_texts_of_use(project)) is not None


def _is_document(project: Project, unit: Unit) -> bool:
    """Return whether a SKILL.md without frontmatter is a document: of a package, a program, or for memory files.

    It is a skill if it is in a folder `skills` in which at least half have frontmatter, or if the project says where
    skills go.
    """
    if unit.kind is not UnitKind.SKILL or not _is_bare(project, unit.path):
        return False
    if _NAMES_SKILL_PLACE.search(_read_texts_of_use(project)):
        return False
    paths = _list_neighbours(project, unit)
    bare = sum(_is_bare(project, path) for path in paths)
    has_skills_beside = unit.folder.rpartition("/")[0].endswith("skills") and bare <= len(paths) / 2
    is_named = _is_part_of_package(project, unit) or _is_in_memory_file(project, unit)
    is_own_format = not has_skills_beside and (bare >= _MIN_OWN_FORMAT or is_named)
    return _is_foreign(project) or is_own_format or _is_alone_in_program(project, unit)


def _is_alone_in_program(project: Project, unit: Unit) -> bool:
    """Return whether no text says that the project has skills, and the unit looks like the design text of one folder.

    It is in no folder `skills`, the project has no other skill outside of `.claude` and plugins, and its root has other
    folders than the unit's.
    """
    top, *_ = unit.folder.split("/")
    others = (name for name in project.list_folder("") if not name.startswith(".") and name in project.folders)
    is_inner = "skills" not in unit.folder.split("/") and any(name != top for name in others)
    if unit.folder == "" or not is_inner or _NAMES_SKILLS.search(_read_texts_of_use(project)):
        return False
    memory = b"".join(project.read_bytes(name) or b"" for name in _MEMORY_FILES).decode("utf-8", "replace")
    return not _NAMES_SKILLS.search(memory) and _list_free_skills(project) == (unit.path,)


@memoize_all
def _list_free_skills(project: Project) -> Iterator[str]:
    """Yield the paths of the SKILL.md that are neither below a folder with a dot nor in a plugin."""
    for path in project.files:
        is_main = path == MAIN or path.endswith(f"/{MAIN}")
        if is_main and not f"/{path}".count("/.") and find_plugin(project, path) is None:
            yield path


def _is_part_of_package(project: Project, unit: Unit) -> bool:
    return any(posixpath.join(unit.folder, name) in project.files for name in _PACKAGES)


def _is_in_memory_file(project: Project, unit: Unit) -> bool:
    """Return whether a memory file in the root names the folder of a unit, so that the model reads it as a document."""
    texts = (project.read_bytes(name) or b"" for name in _MEMORY_FILES)
    return unit.folder != "" and any(f"{unit.folder}/".encode() in text for text in texts)


def _list_neighbours(project: Project, unit: Unit) -> list[str]:
    """Return the paths of the SKILL.md in the folders beside that of a unit, and its own."""
    group = posixpath.dirname(unit.folder)
    paths = (posixpath.join(group, name, MAIN) for name in project.list_folder(group))
    return [path for path in paths if path in project.files]


def _is_bare(project: Project, path: str) -> bool:
    return not (project.read_bytes(path) or b"").startswith(_BEGINNINGS)


@memoize
def _read_texts_of_use(project: Project) -> str:
    return b"\n".join(project.read_bytes(name) or b"" for name in _TEXTS_OF_USE).decode("utf-8", "replace")


_EVIDENCE: tuple[tuple[Callable[[Project, Unit], bool], Loader], ...] = (
    (_is_unseen_root, Loader.NOTHING),
    (_is_listed, Loader.CLAUDE_CODE),
    (_is_linked, Loader.CLAUDE_CODE),
    (_is_in_foreign_folder, Loader.OTHER_TOOL),
    (_is_in_own_folder, Loader.CLAUDE_CODE),
    (_is_document, Loader.NOTHING),
    (_is_in_foreign_project, Loader.OTHER_TOOL),
)
"""What shows who loads a unit; the first row that fits decides. Where none does, the unit is meant to be copied."""
