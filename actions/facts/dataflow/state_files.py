"""The file that keeps the state of a skill, and whether its fields are written down anywhere."""

from actions.facts.dataflow.artifacts import Mode, Use, artifact_uses
from actions.facts.dataflow.file_names import base
from actions.model import regex as re
from actions.model.skill import Skill

_STATE_FILE = re.compile(r"(?:^|[-_.])state(?:[-_]\w+)?\.(?:json|ya?ml)$|^state|-state\.", re.IGNORECASE)
_STANDING = re.compile(r"(?:^|[-_.])(?:state|status|progress|tracker|tracking)(?:[-_.]|$)", re.IGNORECASE)
_SCHEMA = re.compile(r"schema|状态(?:结构|模式|定义)", re.IGNORECASE)


def state_file(skill: Skill) -> Use | None:
    """Give the first place that names the file in which the state is kept."""
    return next((use for use in artifact_uses(skill) if _STATE_FILE.search(base(use.name))), None)


def scattered_states(skill: Skill) -> list[Use]:
    """Give the first write of each data file that keeps where the run stands, in order."""
    homes: dict[str, Use] = {}
    for use in artifact_uses(skill):
        name = base(use.name)
        kept = use.mode is Mode.WRITE and "*" not in name and not name.endswith(".md")
        if kept and _STANDING.search(name.rsplit(".", 1)[0]):
            homes.setdefault(name, use)
    return list(homes.values())


def is_declared(skill: Skill, names: set[str]) -> bool:
    """Tell whether a schema file, or a table or list that names most of the fields, declares them."""
    if any(_SCHEMA.search(path.rsplit("/", 1)[-1]) for path in skill.paths):
        return True
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
