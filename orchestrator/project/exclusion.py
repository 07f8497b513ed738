"""Leave out the skills and other units that `exclude` of the project's settings means, in the syntax of .gitignore."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from actions.skill.paths import MAIN
from actions.skill.settings import FILE
from orchestrator.errors import BadInput
from orchestrator.project.settings import ProjectSettings
from templates.filters import counted

_STAR, _FOLDERS = "[^/]*", "(?:/.+)?"
"""What `*` and `/**` are in the regular expressions of pathspec."""


class _LinearPattern(GitIgnoreSpecPattern):
    """A pattern whose `*` do not backtrack: a hostile pattern would take exponential time."""

    @classmethod
    def pattern_to_regex(cls, pattern: str) -> tuple[str | None, bool | None]:  # type: ignore[override]
        """Translate a pattern. Between two `*` of one name the first match is taken, as a later one finds no more."""
        regex, include = super().pattern_to_regex(pattern)
        if (regex or "").count(_FOLDERS) > 1:
            raise ValueError(f"{pattern!r} has more than one **")
        first, *rest = (regex or "").split(_STAR)
        steps = (_STAR + part if _FOLDERS in part else f"(?>{_STAR}?{part})" for part in rest[:-1])
        return (regex and "".join((first, *steps, *(_STAR + part for part in rest[-1:])))), include


@dataclass(frozen=True)
class Exclusion:
    """The lines of `exclude`, which count from the folder of the settings."""

    folder: Path
    lines: tuple[str, ...]
    spec: GitIgnoreSpec = field(compare=False)

    def covers(self, place: Path) -> bool:
        """Return whether a skill (its folder) or another unit (its file) is excluded."""
        path = self._find_path(place)
        return path is not None and self.spec.match_file(path)

    def list_unused(self, places: Iterable[Path]) -> list[str]:
        """Return a note for each line that matches none of these places."""
        paths = [path for place in places if (path := self._find_path(place))]
        return [
            f"{FILE}: exclude {line!r} matches no unit of the project"
            for line, pattern in zip(self.lines, self.spec.patterns, strict=True)
            if not line.startswith("#")
            and (pattern.include is None or not any(pattern.match_file(path) for path in paths))
        ]

    def _find_path(self, place: Path) -> str | None:
        file = Path(os.path.realpath(place.parent), place.name)
        if not file.is_relative_to(self.folder):
            return None
        path = file.relative_to(self.folder).as_posix()
        return f"{path}/{MAIN}" if place.is_dir() else path


def read_exclusion(project: ProjectSettings | None) -> Exclusion | None:
    """Return what the settings exclude; None for nothing. Raises BadInput for a line that is no pattern."""
    lines = tuple(project.values.get("exclude", ())) if project else ()
    if project is None or not lines:
        return None
    for line in lines:
        if line.removesuffix("/**").count("**") > 1:
            raise BadInput(f"{project.path}: exclude {line!r} has more than one **; split it into several lines")
    try:
        spec = GitIgnoreSpec.from_lines(lines, _LinearPattern, backend="simple")
    except ValueError as error:
        raise BadInput(f"{project.path}: exclude: {error}; correct it") from None
    return Exclusion(project.folder.resolve(), lines, spec)


def describe_exclusion(count: int) -> str:
    """Return a note about units that were left out."""
    return f"{counted(count, 'unit')} excluded by {FILE}"
