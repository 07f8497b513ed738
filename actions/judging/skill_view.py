"""What a judge is shown of a skill: its text files with numbered lines, within bounds. What is cut is said."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from actions.skill import Role, Skill, SkillFile
from templates.filters import visible

_IN_ALL = 32_000
_PER_FILE = 16_000
_PER_LINE = 600
"""Characters. 32,000 are about 8,000 tokens: six questions of that size fit into the default ceiling of a run."""

_MOST = 8
"""Parts that are named where something is not shown."""


@dataclass(frozen=True)
class View:
    """The shown text, the last line shown of each file, and what is not shown."""

    text: str
    shown: Mapping[str, int]
    hidden: tuple[str, ...]

    def shows(self, path: str, line: int | None) -> bool:
        """Whether a place is shown; a finding without a line is about a whole file."""
        return (line or 1) <= self.shown.get(path, 0)


def view(skill: Skill, wanted: Collection[str] = ()) -> View:
    """Show SKILL.md first, the files of `wanted`, the other instructions, all else, as far as the bounds allow."""
    rest = (file for file in skill.files if not file.is_instruction)
    files = sorted((*skill.instructions, *rest), key=lambda f: (f.role is not Role.MAIN, f.path not in wanted))
    parts: list[str] = []
    shown: dict[str, int] = {}
    left = _IN_ALL
    for file in files:
        lines = list(_within(file, min(left, _PER_FILE)))
        if lines or not file.doc.lines:
            parts.append("\n".join((f"=== {_name(file)}", *lines)))
        left -= sum(map(len, lines))
        shown[file.path] = len(lines)
    return View("\n\n".join(parts), shown, _few(_hidden(files, shown)))


def cut(judge: str, skill: Skill, views: Iterable[View]) -> tuple[str, ...]:
    """Tell the user what a judge did not see in one of its questions at least; nothing where it saw all."""
    least: dict[str, int] = {}
    for seen in views:
        for path, lines in seen.shown.items():
            least[path] = min(lines, least.get(path, lines))
    hidden = _few(_hidden((file for file in skill.files if file.path in least), least))
    return (f"not all was shown to {judge}, for length: {'; '.join(hidden)}",) if hidden else ()


def _hidden(files: Iterable[SkillFile], shown: Mapping[str, int]) -> Iterator[str]:
    for file in files:
        lines = file.doc.lines
        if shown[file.path] < len(lines):
            yield f"lines {shown[file.path] + 1} to {len(lines)} of {_name(file)}"
        long = sum(len(line) > _PER_LINE for line in lines[: shown[file.path]])
        if long:
            yield f"the rest of {long} line{'s' * (long != 1)} of {_name(file)} after {_PER_LINE} characters"


def _within(file: SkillFile, limit: int) -> Iterator[str]:
    for number, line in enumerate(file.doc.lines, 1):
        text = visible(line[:_PER_LINE]) + (f" […{len(line) - _PER_LINE} more]" if len(line) > _PER_LINE else "")
        limit -= len(text) + len(str(number)) + 2
        if limit < 0:
            return
        yield f"{number}| {text}"


def _name(file: SkillFile) -> str:
    return " ".join(visible(file.path).split())


def _few(hidden: Iterable[str]) -> tuple[str, ...]:
    found = tuple(hidden)
    more = len(found) - _MOST
    return (*found[:_MOST], f"and {more} more") if more > 0 else found
