"""What a reference that leads nowhere is."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What is named: a file, a phase, a section, or a script by a path that begins at the skill's folder."""

    PATH = "path"
    STAGE = "stage"
    SECTION = "section"
    SCRIPT = "script"


@dataclass(frozen=True)
class Missing:
    """A reference to `target` at a line. `sure` when the target can only be a part of the skill."""

    kind: Kind
    target: str
    file: str
    line: int
    sure: bool
