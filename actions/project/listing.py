"""Compute the listing of skills that Claude Code shows to the model at the start of each session.

Source: the CLI 2.1.330; `tests/e2e/facts` compares with the listing in a request. An entry is `- name: description`,
with `when_to_use` after ` - `, cut at 1,536 characters. If all entries together exceed the budget, whole descriptions
are dropped. The most used skills keep their descriptions longest. Of equally used skills, those at the top of the
list keep them longest.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor

import msgspec

from actions.grouping import group_by_key
from actions.memo import memoize, memoize_all
from actions.project.facts.models import LARGEST_WINDOW, ContextWindow
from actions.project.find_units import find_units
from actions.project.frontmatter import find_frontmatter_fault
from actions.project.loaders import is_for_claude_code_alone
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.document import list_body_lines
from actions.skill.frontmatter import parse_frontmatter
from actions.skill.frontmatter_keys import quote_values
from actions.skill.skill import Skill
from actions.skill.text import MAX_DESCRIPTION

_BUDGET_SHARE = 0.01
_MAX_FALLBACK_CHARS = 100
_CONTROL_CHARACTERS = regex(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""Characters for which Claude Code writes a space. It keeps spaces, such as those of indented lines."""
_HEADING = regex(r"\A#++\s++(?=\S)")
_OWN_KEYS = frozenset(
    "agent arguments background context disallowed-tools effort hooks paths shell when_to_use".split()
)
"""Keys of Claude Code that neither the specification nor another tool has."""
_KIND_ORDER = {UnitKind.SKILL: 0, UnitKind.COMMAND: 1}


class ListedSkill(msgspec.Struct, frozen=True):
    """A skill or command that may be listed, in the words of its frontmatter.

    `source` is user, project, plugin or builtin. `label` is the name in parentheses. A skill with a higher `use` keeps
    its description longer. `source_folder` is the plugin or the `.claude` folder. `limit` is the maximum length of a
    description. `text` is the whole file. Skills that are bundled with Claude Code are not listed skills, because they
    always keep their descriptions.
    """

    name: str
    path: str
    source: str
    description: str
    label: str = ""
    is_hidden: bool = False
    use: float = 0.0
    source_folder: str = ""
    limit: int = MAX_DESCRIPTION
    text: str = ""

    @property
    def bare_entry(self) -> str:
        """The entry without its description."""
        return f"- {self.name} ({self.label})" if self.label else f"- {self.name}"

    @property
    def shown_description(self) -> str:
        """The description, cut if it is too long."""
        text = self.full_description
        return text if _cut_utf16(text, self.limit) == text else _cut_utf16(text, self.limit - 1) + "…"

    @property
    def full_description(self) -> str:
        """The description as the listing would show it whole, with `&lt;` for `<`."""
        return self.description.replace("<", "&lt;").replace(">", "&gt;")


class ListingEntry(msgspec.Struct, frozen=True):
    """A skill in the listing. `chars` is the width of its description; `shown` is the width of the part that is shown.

    `state` is shown, cut, dropped, hidden (not listed on purpose) or shadowed (an earlier skill has the same name).
    """

    name: str
    path: str
    source: str
    chars: int
    shown: int
    state: str

    @property
    def is_listed(self) -> bool:
        """Whether the model sees at least the name."""
        return self.state in ("shown", "cut", "dropped")


class DroppedSkills(msgspec.Struct, frozen=True):
    """The skills of one plugin or `.claude` folder that lose their description, whatever the model.

    `budget` is the number of characters that the listing may have, and `size` is the number that it would need. `count`
    is the number of the folder's listed skills. `paths` are the skills that lose their description.
    """

    folder: str
    budget: int
    size: int
    count: int
    paths: tuple[str, ...]


def compute_budget(window: ContextWindow, share: float = _BUDGET_SHARE) -> int:
    """Return the characters that the listing may have for a context window."""
    return max(1, floor(window.tokens * window.characters_per_token * share))


def compute_listing(skills: Sequence[ListedSkill], budget: int, reserved: int = 0) -> tuple[ListingEntry, ...]:
    """Return the entries of a listing, in order. `reserved` is the number of characters of other entries, never cut."""
    first: dict[str, ListedSkill] = {}
    for skill in skills:
        if not skill.is_hidden:
            first.setdefault(skill.name, skill)
    described = _select_described_names([*first.values()], budget - reserved)
    return tuple(_make_entry(skill, first.get(skill.name) is skill, skill.name in described) for skill in skills)


def measure_listing(skills: Iterable[ListedSkill]) -> int:
    """Return the characters that the listing of some skills needs."""
    sizes = [_measure(f"{skill.bare_entry}: {skill.shown_description}") for skill in skills if not skill.is_hidden]
    return sum(sizes) + max(0, len(sizes) - 1)


@memoize
def find_dropped_skills(project: Project) -> Mapping[str, DroppedSkills]:
    """Return the plugins and folders whose listing is too long for every model, by the path of their first lost skill.

    The user's own skills and those of Claude Code are not counted, so the real number may be higher.
    """
    dropped_by_path: dict[str, DroppedSkills] = {}
    scopes = group_by_key((skill.source_folder, skill) for skill in list_project_skills(project))
    for folder, all_skills in scopes.items():
        skills = [*{skill.name: skill for skill in reversed(all_skills) if not skill.is_hidden}.values()][::-1]
        size = measure_listing(skills)
        budget = compute_budget(LARGEST_WINDOW)
        if size > budget:
            dropped = [entry.path for entry in compute_listing(skills, budget) if entry.state == "dropped"]
            dropped_by_path[dropped[0]] = DroppedSkills(folder, budget, size, len(skills), tuple(dropped))
    return dropped_by_path


@memoize_all
def list_project_skills(project: Project) -> Iterator[ListedSkill]:
    """Yield the skills and commands of a project's `.claude` folders, then those of its plugins, in listing order."""
    units = [unit for unit in find_units(project) if unit.kind in _KIND_ORDER]
    in_claude_folders = (unit for unit in units if unit.plugin_root is None and "/.claude/" in f"/{unit.path}")
    of_plugins = (unit for unit in units if unit.plugin_root is not None)
    for unit in sorted(in_claude_folders, key=lambda unit: (_KIND_ORDER[unit.kind], unit.path)):
        yield _read_skill(project, unit)
    for unit in sorted(of_plugins, key=lambda unit: (unit.plugin_root or "", -_KIND_ORDER[unit.kind], unit.path)):
        yield _read_skill(project, unit)


def _read_skill(project: Project, unit: Unit) -> ListedSkill:
    return read_listed_skill(unit, (project.read_bytes(unit.path) or b"").decode("utf-8", "replace"))


def read_listed_skill(unit: Unit, text: str) -> ListedSkill:
    """Return a skill or a command with this text as it may be listed."""
    lines = tuple(text.lstrip("\ufeff").splitlines())
    frontmatter = parse_frontmatter(lines)
    changed = quote_values(lines, frontmatter)
    if changed and find_frontmatter_fault(text) is None:  # as Claude Code reads invalid YAML
        frontmatter = parse_frontmatter(tuple(changed.get(n, line) for n, line in enumerate(lines, 1)))
    value = frontmatter.values.get("description")
    description = str(value).strip() if isinstance(value, str | int | float) else ""
    when = frontmatter.text("when_to_use")
    is_missing = not description and not when and unit.plugin_root is not None
    description = description or find_first_line(list_body_lines(lines))
    prefix = unit.name.rpartition(":")[0]
    title = frontmatter.text("name") if unit.kind is UnitKind.SKILL else ""
    label = f"{prefix}:{title}" if prefix and title else title
    return ListedSkill(
        unit.name,
        unit.path,
        "project" if unit.plugin_root is None else "plugin",
        _CONTROL_CHARACTERS.sub(" ", f"{description} - {frontmatter.values['when_to_use']}" if when else description),
        "" if label == unit.name or unit.name.endswith(f":{label}") else label,
        is_missing
        or frontmatter.values.get("disable-model-invocation") is True
        or _has_paths(frontmatter.values.get("paths")),
        source_folder=unit.key[1],
        text=text,
    )


def is_shown_by_claude_code_alone(project: Project, unit: Unit, skill: Skill) -> bool:
    """Return whether only Claude Code reads a skill, and shows its whole description."""
    has_own_key = not _OWN_KEYS.isdisjoint(skill.frontmatter.values)
    if not has_own_key and not is_for_claude_code_alone(project, unit):
        return False
    listed = read_listed_skill(unit, skill.main.text)
    return listed.shown_description == listed.full_description


def _has_paths(value: object) -> bool:
    paths = value if isinstance(value, list) else str(value).split(",") if value else []
    return any(str(path).strip() not in ("", "**", "/**") for path in paths)


def find_first_line(lines: Sequence[str]) -> str:
    """Return the line of a body that is listed for a skill without a description, or "" if the body is empty."""
    line = next((line.strip() for line in lines if line.strip()), "")
    line = _HEADING.sub("", line, count=1) if line.startswith("#") else line
    return line if len(line) <= _MAX_FALLBACK_CHARS else line[: _MAX_FALLBACK_CHARS - 3] + "..."


def _select_described_names(skills: Sequence[ListedSkill], budget: int) -> frozenset[str]:
    """Return the names of the skills that keep their descriptions."""
    if measure_listing(skills) <= budget:
        return frozenset(skill.name for skill in skills)
    chars_left = budget - sum(_measure(skill.bare_entry) for skill in skills) - max(0, len(skills) - 1)
    names = set()
    for skill in sorted(skills, key=lambda skill: -skill.use):
        size = _measure(f": {skill.shown_description}")
        if size <= chars_left:
            names.add(skill.name)
            chars_left -= size
    return frozenset(names)


def _make_entry(skill: ListedSkill, is_first: bool, has_description: bool) -> ListingEntry:
    chars, shown = _measure(skill.full_description), _measure(skill.shown_description)
    if skill.is_hidden or not is_first:
        state, shown = "hidden" if skill.is_hidden else "shadowed", 0
    elif not has_description:
        state, shown = "dropped", 0
    else:
        state = "shown" if skill.shown_description == skill.full_description else "cut"
    return ListingEntry(skill.name, skill.path, skill.source, chars, shown, state)


def _measure(text: str) -> int:
    """Return the width of a text. Wide characters count twice, combining characters not at all."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _cut_utf16(text: str, length: int) -> str:
    if len(text) * 2 <= length or len(text.encode("utf-16-le")) // 2 <= length:
        return text
    return text.encode("utf-16-le")[: length * 2].decode("utf-16-le", "ignore")
