"""Find names of the form `plugin:name` whose plugin is in the project and has no such agent, command or skill."""

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from actions.agent_types import normalize_agent_type
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.find_units import find_plugin_units, find_units
from actions.project.frontmatter import read_name
from actions.project.installers import is_copied_from
from actions.project.manifest_paths import has_rejected_path
from actions.project.other_tools import names_other_commands
from actions.project.plugins import MARKETPLACE, find_plugin, find_plugins
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.paths import Role
from actions.skill.similar_names import is_similar
from actions.skill.skill import Skill, SkillFile

_AGENT = regex(r"""(?a)\bsubagent_type\W{0,4}[:=]\s*["'`]?([\w-]+):([\w:-]*\w)(?![\w/*<{$-])""")
_SKILL_CALL = regex(r"""(?a)\bSkill\(\s*(?:skill\s*[:=]\s*)?["']([a-zA-Z][\w-]*):([\w:-]*\w)["']""")
_COMMAND = regex(r"(?a)(?<![\w/.:@-])(?<!<!-- )/([a-z][\w-]*):([a-z][\w:-]*\w)(?![\w/*<{$-]|\.\w|:[\w<{$*])")
_ANY_COMMAND = regex(r"/[a-z][\w-]*:[a-z]")
"""A quick filter: a text without a match names no command of a plugin."""
_UNCERTAINTY_WORDS = regex(
    r"(?i)\b(?:no|not|never|without|todo|tbd|wip|coming soon"
    r"|removed|deprecated|planned|future|old|former(?:ly)?|was|were|instead|rename\w*|e\.g"
    r"|for example|such as|optional\w*|reject\w*|considered|if (?:it )?(?:exists|installed|available|present))\b"
    r"|n['’]t\b|\bnew `?/"
)
"""Words that show that the names in their sentence need not exist."""
_PLACEHOLDERS = frozenset("cmd command command-name command_name commandname name skill skill-name".split())
"""Names that stand for any name in the description of a call, such as `/plugin:command`."""
_EXAMPLE_HEAD = regex(r"(?i)\W*(?:examples?|exemples?|beispiele?|ejemplos?)\W*")
"""The head of a column in a table."""
_FOLDERS = frozenset({"agents", "commands", "skills"})
_REPORT_MARK = regex(r"\W*\[(?:WARN|PASS|FAIL|OK|ERROR|INFO|SKIP)\w*\]")
"""A line of a sample report."""
_CALLED_KINDS = (UnitKind.COMMAND, UnitKind.SKILL)
_CALL_FORMS = (
    ("subagent_type", _AGENT, (UnitKind.AGENT,)),
    ("/", _COMMAND, _CALLED_KINDS),
    ("Skill(", _SKILL_CALL, _CALLED_KINDS),
)
"""How a text calls units: a mark in the line of every call, the expression of a call, and the kinds of units."""


class UnknownName(msgspec.Struct, frozen=True):
    """A `plugin:name` that no unit has: its location, the called kind of unit, and a similar name or "".

    `is_in_reference` is whether the text is a reference, and not the unit's main text. `is_known` is whether the
    project shows what was meant: it has a unit of a similar name, or one of this name elsewhere.
    """

    file: str
    line: int
    name: str
    kind: UnitKind
    near: str
    is_in_reference: bool
    is_known: bool

    @property
    def has_wrong_prefix(self) -> bool:
        """Whether the similar name differs before the colon: no plugin has the called one's name."""
        return self.near != "" and self.near.partition(":")[0] != self.name.partition(":")[0]


def find_unknown_names(project: Project, unit: Unit, skill: Skill) -> Iterator[UnknownName]:
    """Yield the `plugin:name` calls in a unit's text whose plugin is in the project and has no such unit.

    Also yields calls of the unit's own plugin by a part of its name, such as `qt:run` for `qt-suite:run`.
    """
    for file in skill.instructions:
        if "subagent_type" in file.text or "Skill(" in file.text or _ANY_COMMAND.search(file.text):
            yield from _find_in_file(project, unit, file)


def _find_in_file(project: Project, unit: Unit, file: SkillFile) -> Iterator[UnknownName]:
    start = file.doc.body_start
    for number, line in enumerate(file.doc.lines[start - 1 :], start):
        for mark, pattern, kinds in _CALL_FORMS if ":" in line else ():
            for plugin, rest in pattern.findall(line) if mark in line else ():
                known = _map_names(project).get(plugin)
                name = f"{plugin}:{rest}"
                if known is None:
                    near = _find_intended(project, unit, name, kinds)
                elif any(_has_name(known.get(kind, ()), kind, name) for kind in kinds):
                    continue
                else:
                    near = _find_near(name, known, kinds)
                if known is None and not near:
                    continue
                is_excused = rest in _PLACEHOLDERS or (mark == "/" and names_other_commands(file.text))
                is_elsewhere = _has_workflow(project, plugin, rest) or _is_in_part(project, name, kinds)
                if not (is_excused or is_elsewhere or may_be_missing(file, number)):
                    is_in_reference = file.role is Role.REFERENCE
                    is_known = bool(near) or mark != "/" or _is_known_elsewhere(project, plugin, rest)
                    if is_known or not _is_in_example_column(file, number, name):
                        yield UnknownName(file.path, number, name, kinds[0], near, is_in_reference, is_known)


def _find_intended(project: Project, unit: Unit, name: str, kinds: tuple[UnitKind, ...]) -> str:
    """Return the name in the unit's plugin that a call by a part of the plugin's name means, or "".

    The part must not be the name of another plugin, also not in a marketplace, or of a folder of commands.
    """
    prefix, _, rest = name.partition(":")
    plugin = find_plugin(project, unit.loading_path)
    known = _map_names(project).get(plugin.name) if plugin else None
    if plugin is None or known is None or not _is_part(prefix, plugin.name):
        return ""
    intended = f"{plugin.name}:{rest}"
    has_unit = any(intended in known.get(kind, ()) for kind in kinds)
    return intended if has_unit and prefix not in _list_other_prefixes(project) else ""


def _is_part(prefix: str, plugin: str) -> bool:
    return plugin.startswith(f"{prefix}-") or plugin.endswith(f"-{prefix}")


@memoize
def _list_other_prefixes(project: Project) -> frozenset[str]:
    """Return the entries of all marketplaces, also of plugins elsewhere, and the folders in names of units."""
    paths = (path for path in project.files if f"/{path}".endswith(f"/{MARKETPLACE}"))
    lists = (project.read_object(path).get("plugins") for path in paths)
    entries = (entry for entries in lists for entry in (entries if isinstance(entries, list) else ()))
    names = {str(entry.get("name")) for entry in entries if isinstance(entry, dict)}
    return frozenset(names.union(*(unit.name.split(":")[:-1] for unit in find_units(project))))


def _has_name(names: Collection[str], kind: UnitKind, name: str) -> bool:
    """Return whether a called name is known. Agent types may differ in their spelling."""
    is_agent = kind is UnitKind.AGENT
    return name in names or (is_agent and normalize_agent_type(name) in map(normalize_agent_type, names))


def list_agents(project: Project, unit: Unit) -> Mapping[str, str]:
    """Return the full names of the agents in a unit's plugin and in `.claude/agents`, by their bare names."""
    agents = (agent for agent in find_units(project) if agent.kind is UnitKind.AGENT)
    plugin = find_plugin(project, unit.loading_path)
    roots = (None, plugin.root if plugin else None)
    return {
        agent.name.rpartition(":")[2]: agent.name for agent in agents if agent.plugin_root in roots and agent.is_loaded
    }


def may_be_missing(file: SkillFile, line: int) -> bool:
    """Return whether a name on a line may be missing on purpose: in a counterexample or a plan, or as its sentence
    suggests.
    """
    fence = file.doc.fence_at(line)
    inside = file.doc.lines_inside(fence) if fence else ()
    is_report = fence is not None and fence.lang in ("", "text") and any(map(_REPORT_MARK.match, inside))
    is_sample = is_report or any("❌" in text for text in inside)
    return (
        is_sample
        or file.doc.is_counterexample(line)
        or file.doc.is_planned(line)
        or _UNCERTAINTY_WORDS.search(file.doc.sentence(line)) is not None
    )


def _is_in_example_column(file: SkillFile, line: int, name: str) -> bool:
    """Return whether a row of a table has a name below a head such as "Example": it may be made up."""
    return any(_EXAMPLE_HEAD.fullmatch(head) and name in cell for head, cell in file.doc.cells(line))


@memoize
def _map_names(project: Project) -> Mapping[str, Mapping[UnitKind, frozenset[str]]]:
    """Return the names of units by plugin and kind. Plugins of the same name are merged.

    A plugin whose manifest has a rejected path is left out, because the fault is in the manifest and not in the names.
    """
    plugins = find_plugins(project).values()
    rejected = {plugin.name for plugin in plugins if has_rejected_path(plugin.manifest)}
    names_by_plugin: dict[str, dict[UnitKind, set[str]]] = {plugin.name: {} for plugin in plugins}
    for unit in find_plugin_units(project):
        if unit.plugin_root is not None:
            prefix = unit.name.partition(":")[0]
            names = names_by_plugin.setdefault(prefix, {}).setdefault(unit.kind, set())
            own_name = _read_own_name(project, unit).removeprefix(f"{prefix}:")
            names |= {unit.name, *([f"{prefix}:{own_name}"] if own_name else [])}
    return {
        name: {kind: frozenset(names) for kind, names in kinds.items()}
        for name, kinds in names_by_plugin.items()
        if name not in rejected
    }


def _read_own_name(project: Project, unit: Unit) -> str:
    """Return the name in a unit's frontmatter, or "". Calls may use this name, too. Source: the CLI 2.1.330."""
    raw = (project.read_bytes(unit.path) or b"") if unit.kind in (UnitKind.SKILL, UnitKind.COMMAND) else b""
    return read_name(raw)


def _has_workflow(project: Project, plugin: str, rest: str) -> bool:
    """Return whether a plugin has a workflow of this name. Workflows are called like commands."""
    folders = (candidate.join("workflows") for candidate in find_plugins(project).values() if candidate.name == plugin)
    return any(posixpath.splitext(name)[0] == rest for folder in folders for name in project.list_folder(folder))


def _is_in_part(project: Project, name: str, kinds: Collection[UnitKind]) -> bool:
    """Return whether a part of a plugin, such as `packs/trees/commands`, has a unit of this name that is copied.

    Claude Code does not look there, but a hook of the plugin, for example, links the units of the chosen parts.
    """
    usual = ("agents",) if UnitKind.AGENT in kinds else ("commands", "skills")
    folders = (folder for folder in _map_parts(project).get(name, ()) if posixpath.basename(folder) in usual)
    return any(is_copied_from(project, folder, _find_top(project, folder)) for folder in folders)


@memoize
def _map_parts(project: Project) -> Mapping[str, Sequence[str]]:
    """Map the full names of units to the folders `agents`, `commands` and `skills` deeper in their plugin."""
    pairs = []
    for path in project.files:
        folder, _, file_name = path.removesuffix("/SKILL.md").rpartition("/")
        if path.endswith(".md") and posixpath.basename(folder) in _FOLDERS and _find_top(project, folder):
            plugin = find_plugin(project, path)
            pairs.append((f"{plugin.name if plugin else ''}:{file_name.removesuffix('.md')}", folder))
    return group_by_key(pairs)


def _find_top(project: Project, folder: str) -> str:
    """Return the topmost folder of a folder of units in its plugin, or "" if it is the plugin's own, or hidden."""
    plugin = find_plugin(project, f"{folder}/")
    inner = folder.removeprefix(plugin.root).strip("/") if plugin else ""
    top, _, rest = inner.partition("/")
    return top if rest and "/." not in f"/{inner}" else ""


def _is_known_elsewhere(project: Project, plugin: str, rest: str) -> bool:
    """Return whether the project has a unit of this name in another place, or with the plugin's name before or after.

    The place may be another plugin, or a folder in which Claude Code does not look for units.
    """
    names = _list_bare_names(project)
    return not names.isdisjoint((rest, f"{plugin}-{rest}", f"{rest}-{plugin}"))


@memoize
def _list_bare_names(project: Project) -> frozenset[str]:
    """Return the names of all units without their plugins, and of all Markdown files directly in a folder for units."""
    markdown = (path for path in project.files if path.endswith(".md"))
    texts = (path for path in markdown if posixpath.basename(posixpath.dirname(path)) in _FOLDERS)
    stems = (posixpath.splitext(posixpath.basename(path))[0] for path in texts)
    return frozenset((*stems, *(unit.name.rpartition(":")[2] for unit in find_units(project))))


def _find_near(name: str, known: Mapping[UnitKind, frozenset[str]], kinds: tuple[UnitKind, ...]) -> str:
    """Return the known name with the same last part or, without one, the similar name; "" unless exactly one fits."""
    last = name.rpartition(":")[2]
    names = sorted({candidate for kind in kinds for candidate in known.get(kind, ())})
    matches = [candidate for candidate in names if candidate.rpartition(":")[2] == last] or [
        candidate for candidate in names if is_similar(candidate, name)
    ]
    return matches[0] if len(matches) == 1 else ""
