"""The types of sub-agents that a skill defines or lists."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from actions.facts.agents.calls import agent_steps
from actions.skill import Skill, SkillFile
from actions.skill.memo import once
from actions.skill.statements import statements
from actions.skill.stems import Stems
from actions.skill.tables import table_rows

_AGENT_FOLDERS = ("agents", "subagents")
_NAME = re.compile(r"^name:\s*[\"']?([\w:.-]+)", re.MULTILINE)
_TABLE_HEAD = re.compile(
    r"^\|\s*[^|]*(?:subagent_type|agent_type|\bagent(?: type| name)?\b|\bsubagent\b|代理)[^|]*\|", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"\.claude/agents|\bplugin\b|\b(?:project|custom|installed|registered|available|predefined)\W+(?:sub-?)?agents?\b"
    r"|agents? (?:directory|registry)|(?:项目|插件|自定义|已注册|可用)[^。]{0,6}代理",
    re.IGNORECASE,
)
_CELL_NAME = re.compile(r"\**`?([A-Za-z][\w:.-]*)`?\**")
_LONGEST = 2000
_ROSTER = re.compile(r"(?:the |our |its )?(?:sub-?)?agents?(?: types?)?|(?:子)?代理|(?:子)?智能体", re.IGNORECASE)
_REGISTER = re.compile(
    r"(?:the |our |its )?(?:sub-?)?agents?(?: types?)?(?: used| involved| needed)?\W*(?:\([^()]{0,40}\))?"
    r"|(?:使用的)?(?:子)?(?:代理|智能体)(?:类型|列表)?",
    re.IGNORECASE,
)
_REGISTERED = re.compile(r"^\s*[-*+]\s+\**`([a-z][\w:-]{1,40})`\**(?:\s*\([^()]{0,80}\))?\s*[:：—–-]\s*\S")
_ENTRY = re.compile(r"^\s*[-*+]\s+\**`?([a-z][\w:-]{1,40})`?\**\s*(?:[:：—–-]|\()")
_GIVEN = re.compile(r"(?:subagent_type|agent_type)\s*[:=]\s*[`\"'“]*([A-Za-z][\w:.-]*\w)")
_MANY = re.compile(
    r"\b(?:sub-?agents|agents|workers|teammates|reviewers|readers)\b|(?:个|名|位)[^，。；]{0,8}?(?:子代理|代理"
    r"|智能体)",
    re.IGNORECASE,
)
_SPAN = re.compile(r"`([a-z][\w]*(?:[-:][\w]+)*)`(?!\s*[:=(])")
_WORKERS = Stems("agents", "workers", "teammates", "reviewers", "readers", "代理", "智能体")
_COUNTED_BEFORE = re.compile(
    r"(?:`[\w:-]{2,40}`[、，,和与及 ]{1,3}){2,}`[\w:-]{2,40}`[^`。.]{0,8}?(?:子代理|代理|智能体|\bagents\b"
    r"|\bsub-?agents\b)"
)
_AGENT_ENTRY = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\**`([a-z][\w:-]{1,40})`\**\s+(?:sub-?)?agent\b")
_ONE = Stems("agent")
_COUNTED = re.compile(r"(?:[:：(（]|\bare|\bnamed|\bcalled|—|–)[^`.]{0,20}(?:`[\w:-]{2,40}`[^`.;。；]{0,30}){3,}")
_CELL = re.compile(r"^\|\s*\**`?([A-Za-z][\w:.-]*)`?\**\s*\|")


def shipped_types(skill: Skill) -> frozenset[str]:
    """Give the sub-agent types that the skill's own agents folder defines."""
    return frozenset(_shipped(skill))


def listed_types(skill: Skill) -> frozenset[str]:
    """Give the sub-agent types that a table of the skill lists."""
    return frozenset(_listed(skill))


def defined_elsewhere(skill: Skill) -> bool:
    """Tell whether the skill speaks of agents that the project, a plugin or another skill defines."""
    return any(_ELSEWHERE.search(file.text) for file in skill.instructions)


@dataclass(frozen=True)
class Named:
    """The name of a sub-agent type and where the skill names it."""

    name: str
    file: SkillFile
    line: int


@once
def roster(skill: Skill) -> tuple[Named, ...]:
    """Give each type that the skill sets to work, in code, in prose, in a table or in a list, at its first place."""
    named = [Named(step.type, step.file, step.line) for step in agent_steps(skill) if step.type]
    named += [entry for file in skill.instructions for entry in (*_in_rows(file), *_in_lists(file))]
    found: dict[str, Named] = {}
    for entry in sorted(named, key=lambda entry: (entry.file is not skill.main, entry.file.path, entry.line)):
        found.setdefault(entry.name, entry)
    return tuple(found.values())


def registered(skill: Skill) -> frozenset[str]:
    """Give the types that a list called after the agents ("Agents used:") names, each with what it is for."""
    return frozenset(name for file in skill.instructions for name in _registered(file))


def _registered(file: SkillFile) -> Iterator[str]:
    inside = False
    for _, line in file.doc.prose if "gent" in file.text or "代理" in file.text else ():
        entry = _REGISTERED.match(line)
        if entry and inside:
            yield entry[1]
        elif line.strip() and not entry:
            inside = _REGISTER.fullmatch(line.strip(" #*:：_")) is not None


def _in_rows(file: SkillFile) -> Iterator[Named]:
    """Types in the cells of a table, and in list entries that give a type."""
    if "_type" not in file.text:
        return
    for number, line in file.doc.prose:
        if line.lstrip().startswith(("|", "-", "*")) and "_type" in line:
            yield from (Named(name, file, number) for name in _GIVEN.findall(line[:_LONGEST]))
    for row in table_rows(file):
        if row.cells and "_type" in row.cells[0][0] and (name := _CELL_NAME.fullmatch(row.cells[0][1])):
            yield Named(name[1], file, row.line)


def _in_lists(file: SkillFile) -> Iterator[Named]:
    """Sentences that count sub-agents off: `six agents: `a`, `b`, …`."""
    for said in statements(file, _WORKERS):
        plural = _MANY.search(said.text[:_LONGEST])
        counted = _COUNTED.search(said.text[:_LONGEST], plural.end()) if plural else None
        counted = counted or _COUNTED_BEFORE.search(said.text[:_LONGEST])
        if counted:
            yield from (Named(name, file, said.line) for name in _SPAN.findall(counted[0]))
    for number, line in _ONE.prose(file):
        entry = _AGENT_ENTRY.match(line)
        if entry:
            yield Named(entry[1], file, number)


def meant_type(name: str, known: Iterable[str]) -> str | None:
    """Give the known type that a name is a slip of."""
    return next((other for other in sorted(known) if _misspelled(name, other)), None)


def _shipped(skill: Skill) -> Iterator[str]:
    for file in skill.files:
        if file.is_markdown and posixpath.basename(posixpath.dirname(file.path)) in _AGENT_FOLDERS:
            name = _NAME.search(file.text[:2000]) if file.text.startswith("---") else None
            if name:
                yield name[1]


def _listed(skill: Skill) -> Iterator[str]:
    """Give the first column of each table whose head speaks of sub-agent types."""
    for file in skill.instructions:
        if "_type" in file.text:
            yield from _table_names(file)


def described(skill: Skill) -> frozenset[str]:
    """Give the names that a section or a table called after sub-agents describes: they may be types or only roles."""
    files = [file for file in skill.instructions if "gent" in file.text or "代理" in file.text]
    return frozenset(name for file in files for name in (*_section_names(file), *_table_names(file, _is_roster)))


def _section_names(file: SkillFile) -> Iterator[str]:
    for section in file.doc.sections:
        if section.level and _ROSTER.fullmatch(section.title.strip()):
            for number in range(section.start + 1, section.end + 1):
                entry = _ENTRY.match(file.doc.line(number))
                if entry and file.doc.section_at(number) is section:
                    yield entry[1]


def _table_names(file: SkillFile, wanted: Callable[[str], bool] | None = None) -> Iterator[str]:
    """Give the first column of each table whose head is one of sub-agent types, or is `wanted`."""
    inside = False
    for _, line in file.doc.prose:
        if not line.startswith("|"):
            inside = False
        elif not inside and (wanted or _is_typed)(line):
            inside = True
        elif inside and (cell := _CELL.match(line)):
            yield cell[1]


def _is_typed(head: str) -> bool:
    return _TABLE_HEAD.match(head) is not None and "_type" in head.split("|")[1]


def _is_roster(head: str) -> bool:
    return _ROSTER.fullmatch(head.split("|")[1].strip(" *`")) is not None


def _misspelled(name: str, known: str) -> bool:
    """Tell whether a name is another one but for case, `-` and `_`, or one letter or ending more or less."""
    one, other = (re.sub(r"[-_ ]", "", text).lower() for text in (name, known))
    if one == other:
        return True
    return (len(other) >= 7 and _one_edit(one, other)) or (known == "Explore" and one == "explorer")


def _one_edit(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    left, right = one[start:], other[start:]
    return left[1:] == right[1:] or left[1:] == right or left == right[1:]
