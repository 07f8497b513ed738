"""The file that keeps the state of a skill, and whether its fields are written down anywhere."""

import re

from actions.facts.dataflow.artifacts import Use, artifact_uses
from actions.facts.dataflow.file_names import base
from actions.skill.skill import Skill

_STATE_FILE = re.compile(r"(?:^|[-_.])state(?:[-_]\w+)?\.(?:json|ya?ml)$|^state|-state\.", re.IGNORECASE)
_SCHEMA = re.compile(r"schema|状态(?:结构|模式|定义)", re.IGNORECASE)


def state_file(skill: Skill) -> Use | None:
    """Give the first place that names the file in which the state is kept."""
    return next((use for use in artifact_uses(skill) if _STATE_FILE.search(base(use.name))), None)


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
