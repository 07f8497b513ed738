"""Summarize the project around a unit for a model: what the unit may call, and what may call the unit.

The size of each section is limited. All sections together have at most about 6,000 tokens. The model can look up what
is left out.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from actions.code.calls import Call, find_calls
from actions.code.literals import read_constant, read_string
from actions.code.options import read_flags
from actions.code.tree import Code
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.project.find_units import find_units
from actions.project.generated import find_generated_line
from actions.project.hooks_file import find_hook_groups
from actions.project.lookup_paths import read_text
from actions.project.mcp_file import find_servers
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.secrets import is_secret_path, withhold_secrets
from actions.skill.frontmatter import parse_frontmatter
from actions.skill.paths import is_script_path, is_text_path
from actions.skill.skill import SkillFile
from templates.filters import counted, visible

MAX_TOKENS = 6_000
_MAX_LINE = 220
_SECTION_LIMITS = {
    "Where it is": 2_400,
    "Scripts that it names": 5_500,
    "Skills, agents and commands beside it": 5_000,
    "Other files beside it": 2_400,
    "What names it": 1_800,
    "MCP servers": 700,
    "Hooks": 1_000,
    "CI": 1_400,
    "Headings of CLAUDE.md and AGENTS.md": 1_800,
    "Skills with the same headings": 900,
    "Files that say that they are generated": 700,
}
"""Maximum number of bytes of each section. Together they stay below MAX_TOKENS."""
_WORKFLOW = regex(r"^\.github/workflows/[^/]+\.ya?ml$|^\.gitlab-ci\.yml$|^azure-pipelines\.yml$")
_WORKFLOW_KEY = regex(r"^\s*(?:-\s+)?(on|run|branches|paths):\s*(.*)$")
_CALLED_KINDS = (UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND)
_MAX_WORKFLOW_LINES, _MAX_OTHER_UNITS, _MAX_FOLDERS, _MAX_FILES_IN_FOLDER, _MAX_CALLERS = 12, 40, 40, 30, 1_000
"""Maximum numbers: lines of a workflow, units outside the plugin, folders, files of a folder, files of other skills."""
_USED_FOLDERS = frozenset("references scripts templates agents commands hooks assets".split())
_UNRELATED_FOLDERS = frozenset("skills test tests fixtures __tests__ node_modules".split())
_HEADING = regex(r"^#{1,4}[ \t]+([^ \t\n].*)$", re.MULTILINE)


def build_digest(project: Project, unit: Unit) -> str:
    """Return the digest of the project around a unit, in sections with headings."""
    text = _read_unit_text(project, unit)
    sections: dict[str, Callable[[], Iterator[str]]] = {
        "Where it is": lambda: _describe_place(project, unit),
        "Scripts that it names": lambda: _describe_scripts(project, text),
        "Skills, agents and commands beside it": lambda: _describe_units(project, unit),
        "Other files beside it": lambda: _list_files(project, unit),
        "What names it": lambda: _find_callers(project, unit),
        "MCP servers": lambda: _describe_servers(project, unit),
        "Hooks": lambda: _describe_hooks(project, unit),
        "CI": lambda: _describe_workflows(project),
        "Headings of CLAUDE.md and AGENTS.md": lambda: _list_memory_headings(project, unit),
        "Skills with the same headings": lambda: _find_similar_skills(project, unit),
        "Files that say that they are generated": lambda: _find_generated_files(project, unit),
    }
    parts = ((title, _fit_lines(build(), _SECTION_LIMITS[title])) for title, build in sections.items())
    return "\n\n".join("\n".join((f"## {title}", *lines)) for title, lines in parts if lines)


def _fit_lines(lines: Iterable[str], limit: int) -> list[str]:
    """Return the lines that fit into `limit` bytes, and a line that counts the lines left out."""
    shortened = [visible(" ".join(line.split()))[:_MAX_LINE] for line in withhold_secrets(iter(lines))]
    fitting: list[str] = []
    for line in shortened:
        limit -= len(line.encode()) + 1
        if limit < 60:
            rest = counted(len(shortened) - len(fitting), "more line")
            return [*fitting, f"… and {rest}; look them up where you need them"]
        fitting.append(line)
    return fitting


def _read_unit_text(project: Project, unit: Unit) -> str:
    """Return the text of a unit: of the Markdown, text, shell and JSON files of a skill, or of the only file."""
    paths = list(project.list_below(unit.folder)) if unit.kind is UnitKind.SKILL else [unit.path]
    return "\n".join(read_text(project, path) or "" for path in paths if path.endswith((".md", ".txt", ".sh", ".json")))


def _describe_place(project: Project, unit: Unit) -> Iterator[str]:
    plugin = "" if unit.plugin_root is None else f", in the plugin at {unit.plugin_root or 'the root'}"
    yield f"{unit.kind} {unit.name}: {unit.path}{plugin}; project {project.name}"
    folder = unit.folder
    while folder:
        folder = posixpath.dirname(folder)
        yield from _wrap(f"{folder or '.'}/: ", _list_entries(project, folder))


def _wrap(start: str, items: Iterable[str]) -> Iterator[str]:
    """Join items into lines that are short enough for `_fit_lines` to keep them whole."""
    line = start
    for item in items:
        if len(line) + len(item) > _MAX_LINE - 2 and line != start:
            yield line.rstrip()
            line = "  "
        line += f"{item}, "
    yield line.rstrip(", ")


def _list_entries(project: Project, folder: str) -> Iterator[str]:
    for name in project.list_folder(folder):
        path = f"{folder}/{name}".lstrip("/")
        if not is_secret_path(path):
            yield f"{name}/" if path in project.folders else name


def _describe_scripts(project: Project, text: str) -> Iterator[str]:
    for path in project.files:
        name = posixpath.basename(path)
        is_script = is_script_path(name) and name != "__init__.py"
        if is_script and re.search(rf"(?<![\w-]){re.escape(name)}(?!\w)", text):
            raw = project.read_bytes(path) if project.files[path].size < 400_000 else None
            body = read_text(project, path)
            if raw and body is not None:
                more = "" if project.files[path].is_executable else ", not executable"
                yield f"{path} ({_format_size(project, path)}{more}): {_describe_use(body)}"
                codes = SkillFile(path, raw).codes
                yield from (f"  {line}" for code in codes[:1] for line in _list_arguments(code))


def _describe_use(text: str) -> str:
    """Return the first line of text in a script, normally of its comment or docstring, and its lines about usage."""
    beginning = "\n".join(text.splitlines()[:80])
    lines = [line.strip(" \t#*/\"';") for line in _hide_secrets(beginning) if not line.startswith("#!")]
    first = [line for line in lines[:40] if line and not line.startswith(("import ", "from ", "set -"))][:1]
    usage = (n for n, line in enumerate(lines) if re.match("(?i)usage\\b", line))
    return "; ".join([*first, *(line for n in usage for line in lines[n : n + 2] if line)][:4])


def _list_arguments(code: Code) -> Iterator[str]:
    flags = [(call, option) for call, option in read_flags(code)]
    options = [
        f"{'/'.join(o.names)}{'=' + o.default if o.default else ''}{_format_required(code, call)}" for call, o in flags
    ]
    positional = [
        first for call in find_calls(code) if call.base == "add_argument" and (first := _get_positional(code, call))
    ]
    yield from _wrap("arguments: ", positional) if positional else ()
    yield from _wrap("options: ", options) if options else ()


def _format_required(code: Code, call: Call) -> str:
    is_required = call.base == "requiredOption" or read_constant(code, call.named.get("required")) in ("True", "true")
    return " (required)" if is_required else ""


def _get_positional(code: Code, call: Call) -> str:
    name = read_string(code, call.args[0]) if call.args else None
    return name if name and not name.startswith("-") else ""


def _describe_units(project: Project, unit: Unit) -> Iterator[str]:
    others = [other for other in find_units(project) if other.kind in _CALLED_KINDS and other.path != unit.path]
    in_plugin = [other for other in others if other.plugin_root == unit.plugin_root]
    for other in in_plugin:
        place = f"{other.path}, {_format_size(project, other.path)}"
        yield f"{other.kind} {other.name} ({place}): {_read_description(project, other)[:160]}"
    elsewhere = [other.name for other in others if other.plugin_root != unit.plugin_root]
    more = [f"and {len(elsewhere) - _MAX_OTHER_UNITS} more"] if len(elsewhere) > _MAX_OTHER_UNITS else []
    yield from _wrap("elsewhere: ", [*elsewhere[:_MAX_OTHER_UNITS], *more]) if elsewhere else ()


def _read_description(project: Project, unit: Unit) -> str:
    lines = (read_text(project, unit.path) or "").splitlines()
    return " ".join(_hide_secrets(parse_frontmatter(tuple(lines)).text("description")))


def _list_files(project: Project, unit: Unit) -> Iterator[str]:
    """Yield the other text files of the unit's plugin with their sizes.

    For a unit without a plugin, these are the files below the folder two levels above the unit's folder.
    """
    base = posixpath.dirname(posixpath.dirname(unit.folder)) if unit.plugin_root is None else unit.plugin_root
    units = {other.path for other in find_units(project)}
    others = (path for path in project.list_below(base) if path not in units and is_text_path(path))
    folders = group_by_key((posixpath.dirname(path), path) for path in others if not is_secret_path(path))
    own_folder = f"{unit.folder}/"
    ranked = sorted(
        (_rank_folder(folder, base), folder) for folder in folders if not f"{folder}/".startswith(own_folder)
    )
    for _, folder in ranked[:_MAX_FOLDERS]:
        paths = folders[folder]
        names = (f"{posixpath.basename(path)} {_format_size(project, path)}" for path in paths[:_MAX_FILES_IN_FOLDER])
        more = [f"and {len(paths) - _MAX_FILES_IN_FOLDER} more"] if len(paths) > _MAX_FILES_IN_FOLDER else []
        yield from _wrap(f"{folder or '.'}/: ", [*names, *more])


def _rank_folder(folder: str, base: str) -> int:
    """Return 0 for folders of files that units use, 2 for tests and folders of other skills, 1 for others."""
    parts = folder.removeprefix(base).strip("/").split("/")
    return 0 if parts[0] in _USED_FOLDERS else 2 if _UNRELATED_FOLDERS & {*parts} else 1


def _format_size(project: Project, path: str) -> str:
    return f"{project.files[path].size / 1000:.1f} KB"


def _find_callers(project: Project, unit: Unit) -> Iterator[str]:
    """Yield the lines of other units that name this unit as a call, in a path or as a quoted word."""
    name = unit.name.rpartition(":")[2].rpartition("/")[2]
    if unit.kind not in _CALLED_KINDS or len(name) < 3:
        return
    called = r"[`:\"']|(?<![\w)/])/|(?:skills|agents|commands)/"
    pattern = re.compile(rf"(?:{called}){re.escape(name)}(?![\w/-])(?!\.(?!md\b)\w)(?!\"\s*:)")
    for path in _list_callers(project, unit):
        text = read_text(project, path) or ""
        lines = enumerate(_hide_secrets(text) if pattern.search(text) else (), 1)
        hits = ((number, line) for number, line in lines if pattern.search(line))
        for number, line in islice(hits, 2):
            yield f"{path}:{number}: {line.strip()[:140]}"


def _list_callers(project: Project, unit: Unit) -> Iterator[str]:
    """Yield the files that may name a unit: units of its plugin, Markdown files of the plugin's skills, other units."""
    others = [other for other in find_units(project) if other.path != unit.path and other.folder != unit.folder]
    in_plugin = [other for other in others if other.plugin_root == unit.plugin_root]
    skills = (other.folder for other in in_plugin if other.kind is UnitKind.SKILL)
    beside = (path for folder in skills for path in project.list_below(folder) if path.endswith(".md"))
    yield from dict.fromkeys(
        (*(other.path for other in in_plugin), *islice(beside, _MAX_CALLERS), *(other.path for other in others))
    )


def _hide_secrets(text: str) -> Iterator[str]:
    """Yield the lines of a text, each line with a secret replaced by `WITHHELD`.

    Pass whole lines and shorten only the results, because a secret that is cut in two is not recognized.
    """
    return withhold_secrets(iter(text.splitlines()))


def _describe_servers(project: Project, unit: Unit) -> Iterator[str]:
    for server in find_servers(project):
        if server.unit.plugin_root in (None, unit.plugin_root):
            yield f"{server.name} ({server.unit.path}): {' '.join(word for _, word in server.words)}"


def _describe_hooks(project: Project, unit: Unit) -> Iterator[str]:
    groups = (group for group in find_hook_groups(project) if group.unit.plugin_root in (None, unit.plugin_root))
    for group in groups:
        commands = (str(hook.get("command") or hook.get("type") or "") for hook in group.hooks)
        yield f"{group.unit.path}: {group.event} {group.matcher or '(all)'}: {'; '.join(commands)}"


def _describe_workflows(project: Project) -> Iterator[str]:
    for path in project.files:
        if _WORKFLOW.search(path):
            matches = (_WORKFLOW_KEY.match(line) for line in _hide_secrets(read_text(project, path) or ""))
            steps = [f"{step[1]} {step[2][:90]}" for step in matches if step and step[2] not in ("", "|", ">-")]
            yield from _wrap(f"{path}: ", steps[:_MAX_WORKFLOW_LINES])


def _list_memory_headings(project: Project, unit: Unit) -> Iterator[str]:
    for other in find_units(project):
        is_above = not other.folder or unit.path.startswith(f"{other.folder}/")
        if other.kind is UnitKind.MEMORY and is_above and other.path != unit.path:
            text = "\n".join(_hide_secrets(read_text(project, other.path) or ""))
            yield from _wrap(f"{other.path}: ", _find_headings(text))


def _find_headings(text: str) -> list[str]:
    """Return the headings of a text, without closing marks."""
    return [heading for title in _HEADING.findall(text) if (heading := title.rstrip(" \t#"))]


@memoize
def _map_headings(project: Project) -> dict[str, frozenset[str]]:
    """Map the paths of skills to their headings."""
    skills = (skill.path for skill in find_units(project) if skill.kind is UnitKind.SKILL)
    return {path: frozenset(_find_headings(read_text(project, path) or "")) for path in skills}


def _find_similar_skills(project: Project, unit: Unit) -> Iterator[str]:
    """Yield the skills that share at least two rare headings with the unit."""
    headings = _map_headings(project)
    counts = Counter(title for titles in headings.values() for title in titles)
    own = headings.get(unit.path, frozenset())
    rare = {title for title in own if counts[title] <= max(3, len(headings) // 10)}
    shared = {path: rare & titles for path, titles in headings.items() if path != unit.path}
    for path, titles in sorted(shared.items(), key=lambda item: (-len(item[1]), item[0]))[:6]:
        if len(titles) > 1:
            yield f"{path}: {'; '.join(sorted(titles)[:6])}"


def _find_generated_files(project: Project, unit: Unit) -> Iterator[str]:
    for path in project.list_below(unit.folder) if unit.folder else [unit.path]:
        lines = (read_text(project, path) or "").splitlines()
        if number := find_generated_line(path, lines):
            *_, line = _hide_secrets("\n".join(lines[:number]))
            yield f"{path}:{number}: {line.strip()[:160]}"
