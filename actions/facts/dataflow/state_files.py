"""The file that keeps the state of a skill, and whether its fields are written down anywhere."""

from collections.abc import Iterator
from itertools import pairwise

from actions.facts.dataflow.artifacts import Mode, Use, artifact_uses
from actions.facts.dataflow.file_names import DATA, base, extension
from actions.model import regex as re
from actions.model.skill import Skill

_STATE_FILE = re.compile(r"(?:^|[-_.])state(?:[-_]\w+)?\.(?:json|ya?ml)$|^state|-state\.", re.IGNORECASE)
_STANDING = re.compile(r"(?:^|[-_.])(?:state|status|progress|tracker|tracking)(?:[-_.]|$)", re.IGNORECASE)
_WHERE = re.compile(
    r"^(?:current[-_]?)?(?:stage|step|phase|state|status|progress|position|cursor|done|where)[-_.]|进度|阶段|状态",
    re.IGNORECASE,
)
_KINDS = DATA | {"txt"}
_SEVERAL, _NEAR = 3, 4
_SCHEMA = re.compile(r"schema|状态(?:结构|模式|定义)", re.IGNORECASE)


def state_file(skill: Skill) -> Use | None:
    """Give the first place that names the file in which the state is kept."""
    return next((use for use in artifact_uses(skill) if _STATE_FILE.search(base(use.name))), None)


def scattered_states(skill: Skill) -> list[Use]:
    """Give the first write of each data file that keeps where the run stands, in order; else of those of one passage
    that share the run out among them, one of which tells where it stands.
    """
    homes: dict[str, Use] = {}
    for use in artifact_uses(skill):
        name = base(use.name)
        kept = use.mode is Mode.WRITE and "*" not in name and not name.endswith(".md")
        if kept and _STANDING.search(name.rsplit(".", 1)[0]):
            homes.setdefault(name, use)
    return list(homes.values()) if len(homes) >= _SEVERAL else max(_shared_out(skill), key=len, default=[])


def _shared_out(skill: Skill) -> Iterator[list[Use]]:
    """Give the writes of four or more data files of a folder within a passage, one of which tells where the run is."""
    passages: dict[tuple[str, int, str], dict[str, Use]] = {}
    for use in artifact_uses(skill):
        if use.mode is Mode.WRITE and extension(use.name) in _KINDS and "*" not in base(use.name):
            section = skill.by_path[use.file].doc.section_at(use.line).start
            folder = use.name.rpartition("/")[0]
            passages.setdefault((use.file, section, folder), {}).setdefault(base(use.name), use)
    for found in passages.values():
        uses = list(found.values())
        close = all(after.line - before.line <= _NEAR for before, after in pairwise(uses))
        doc = skill.by_path[uses[0].file].doc
        crowded = {use.line for use in uses if doc.line(use.line).lstrip().startswith("|")}
        if crowded and len(crowded) < len(uses):
            continue
        if len(uses) > _SEVERAL and close and any(_WHERE.search(base(use.name)) for use in uses):
            yield uses


def is_declared(skill: Skill, names: set[str]) -> bool:
    """Tell whether a schema file, or a table or list that names most of the fields, declares them."""
    if any(_SCHEMA.search(path.rsplit("/", 1)[-1]) for path in skill.paths):
        return True
    if not names:
        return False
    wanted = max(2, len(names) * 2 // 3)
    for file in skill.instructions:
        entries = {name for _, line in file.doc.prose for name in names if _lists(line, name)}
        if len(entries) >= wanted:
            return True
    return False


def _lists(line: str, name: str) -> bool:
    return name in line and bool(
        re.match(rf"\s*(?:[-*+]|\d+[.)]|\|)\s*[*`\"]*(?:state\.)?{re.escape(name)}[*`\"]*\s*(?:[:：|—(-]|$)", line)
    )
