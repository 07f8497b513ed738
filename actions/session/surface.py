"""What users of a project see of a change: commands, options, routes, settings that an edit added."""

import re
from typing import NamedTuple

from actions.session.edits import Edit
from actions.session.words import lines_with

_SURFACE = re.compile(
    r"\badd_argument\(|@(?:\w+\.)?(?:command|option|argument)\(|\bUse:\s*\"|\.(?:StringVar|BoolVar|IntVar)P?\("
    r"|@(?:\w+\.)?(?:get|post|put|delete|patch|route)\(\s*[\"'/]|\b(?:app|router|server)\.(?:get|post|put|delete|patch)\(\s*[\"'`]/"
    r"|@(?:Get|Post)(?:Mapping)?\(|\.command\(\s*[\"'`]|#\[arg\("
)
_ROUTES = ('("/', "('/", "(`/", "@Get", "@Post", "command(")
_HINTS = {
    "py": ("argument(", "option(", "command(", '("/', "('/"),
    "go": ("Use:", "Var(", "VarP(", '("/'),
    "rs": ("#[arg(",),
} | dict.fromkeys(("js", "ts", "tsx", "jsx", "mjs", "java", "kt", "rb", "php", "cs"), _ROUTES)
"""By the ending of the file: texts of which a line for users holds one."""


class Surface(NamedTuple):
    """A line that users will meet."""

    record: int
    path: str
    line: str
    agent: str


def surfaces(edits: tuple[Edit, ...]) -> tuple[Surface, ...]:
    """Return the lines with which edits added something for users."""
    return tuple(surface for edit in edits if edit.is_code and not edit.is_test for surface in _of(edit))


def _of(edit: Edit) -> list[Surface]:
    near = dict.fromkeys(lines_with(edit.added, _HINTS.get(edit.path.rpartition(".")[2], ())))
    lines = [line for line in near if len(line) <= 400 and _SURFACE.search(line)]
    return [Surface(edit.record, edit.path, line, edit.agent) for line in lines if line.strip() not in edit.removed]
