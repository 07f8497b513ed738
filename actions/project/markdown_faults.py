"""Find links whose text names another file, and code fences that do not end where their author intended."""

import posixpath
from bisect import bisect_right
from collections.abc import Iterator, Sequence

import msgspec

from actions.memo import memoize, memoize_all
from actions.project.generated import is_maintained_elsewhere
from actions.project.project import Project
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.skill import Skill, SkillFile
from actions.skill.structure import Fence, Link

_LANGUAGE = regex(r"-[a-z]{2}(?:-[a-z]{2,4})?\Z")
"""A language at the end of a name, in lower case, such as `ui-de`."""
_FILE_NAME = regex(r"(?:[\w.@-]+/)*[\w.@-]+\.(?:md|mdx|py|sh|js|ts|json|ya?ml|toml|txt)")
_FOLDER_NAMES = frozenset({"readme", "skill", "index", "claude", "agents", "__init__"})
"""Names of files that stand for their folder. The text of a link may name the file or the folder."""
_OPENING_MARK = regex(r"(`{3,}|~{3,})[ \t]*([^\s`]*)")
_INNER_MARK = regex(r" {0,3}(`{3,}|~{3,})[ \t]*([^\s`]+)[^`]*$")
_MARK_AFTER_TEXT = regex(r"\s*[^\s`][^`]*`{3,}[\w+-]*\s*$")
"""A line whose only fence mark follows text, so that Markdown does not open a fence there."""
_MIN_MARK = 3
"""Minimum length of a fence's mark."""
_TEXT_LANGUAGES = frozenset({"", "markdown", "md"})
"""Languages of fences that often contain fences."""


class OpenFence(msgspec.Struct, frozen=True):
    """A fence that does not end as intended. `line` is its first line; `inner` is the line of a fence inside it, or 0.

    The end of the inner fence also ends the outer one. `late` is an earlier line that caused the fault because its
    opening mark follows text, or 0.
    """

    line: int
    inner: int
    late: int


def find_misnamed_links(project: Project, unit: Unit, skill: Skill, file: SkillFile) -> Iterator[Link]:
    """Yield the links whose text is a file's name, and whose target is an existing file of another name.

    The extensions must be the same: a text such as `plugin.json` for a Markdown file names its subject. Files that are
    generated or copied are left out, because the links are in their source.
    """
    for link in file.doc.links:
        target = link.url.partition("#")[0]
        text = link.text.strip().strip("`").lstrip("@")
        if target == text or not _FILE_NAME.fullmatch(text) or not _FILE_NAME.fullmatch(target.removeprefix("./")):
            continue
        text_stem, target_stem = _get_stem(text), _get_stem(target)
        is_other = text_stem != target_stem and posixpath.splitext(text)[1] == posixpath.splitext(target)[1]
        if is_other and not {text_stem, target_stem} & _FOLDER_NAMES and not file.doc.is_counterexample(link.line):
            is_joined = _join_words(text) == _join_words(target)[-len(_join_words(text)) :]
            if is_joined or _LANGUAGE.sub("", target_stem) == text_stem:
                continue
            is_in_skill = skill.kind is UnitKind.SKILL and skill.resolve(target, file.path)
            is_found = is_in_skill or project.exists(posixpath.normpath(posixpath.join(unit.folder, target)))
            if is_found and not is_maintained_elsewhere(project, unit, file):
                yield link


@memoize_all
def find_open_fences(file: SkillFile) -> Iterator[OpenFence]:
    """Yield the first fence that is never closed or that a fence inside it closes, if there is one.

    Code may contain fence marks. So a code fence counts only if a text fence or the last fence also ends wrongly.
    Nothing is yielded if an HTML block hides a fence from Markdown, because the author and a model still see the fence.
    """
    doc = file.doc
    if any(_OPENING_MARK.match(doc.line(number)) and not doc.fence_at(number) for number in _list_stray_marks(file)):
        return
    open_at_end = [
        last for last in doc.fences[-1:] if not last.closed and last.end >= len(doc.lines) and _get_mark(file, last)
    ]
    fences = doc.fences if _list_stray_marks(file) else ()
    inner = [(fence, line) for fence in fences if (line := _find_inner_fence(file, fence))]
    if open_at_end or any(fence.lang in _TEXT_LANGUAGES for fence, _ in inner):
        fence, line = inner[0] if inner else (open_at_end[0], 0)
        late = (n for n in range(1, fence.start) if _MARK_AFTER_TEXT.match(doc.line(n)) and not doc.fence_at(n))
        yield OpenFence(fence.start, line, next(late, 0))


def is_misread(file: SkillFile, line: int) -> bool:
    """Return whether a line may be in a sample because of a fence that does not end as intended.

    These are the lines after the fence, and the lines directly above it if its mark may be the end of a fence.
    """
    is_near_open = any(
        line > (fence.late or fence.line) or (fence.inner and line in file.doc.passage_at(fence.line))
        for fence in find_open_fences(file)
    )
    return is_near_open or any(first < line <= last for first, last in _find_early_ends(file))


@memoize
def list_lines_between_marks(file: SkillFile) -> frozenset[int]:
    """Return the numbers of the lines between fence marks, also where an HTML block hides the fence from Markdown."""
    inside, mark = set[int](), ""
    for number, line in enumerate(file.doc.lines, 1):
        match = _OPENING_MARK.match(line)
        if mark and match and match[1].startswith(mark) and not match[2]:
            mark = ""
        elif mark:
            inside.add(number)
        elif match:
            mark = match[1]
    return frozenset(inside)


@memoize_all
def _find_early_ends(file: SkillFile) -> Iterator[tuple[int, int]]:
    """Yield (last line, line of the next long fence) for each long fence that ends inside a shorter inner fence."""
    marks = [(fence, _get_mark(file, fence)) for fence in file.doc.fences]
    for number, (fence, mark) in enumerate(marks):
        numbers = _list_stray_marks_inside(file, fence) if len(mark) > _MIN_MARK else ()
        inner = [file.doc.line(line).strip() for line in numbers]
        is_open = sum(line.startswith(mark[:_MIN_MARK]) and not line.startswith(mark) for line in inner) % 2
        if is_open:
            later = (other.start for other, other_mark in marks[number + 1 :] if other_mark == mark)
            yield fence.end, next(later, len(file.doc.lines))


def _find_inner_fence(file: SkillFile, fence: Fence) -> int:
    """Return the line of a fence with the same marker that opens inside `fence`, or 0."""
    mark = _get_mark(file, fence)
    inner = (
        (number, _INNER_MARK.match(file.doc.line(number))) for number in _list_stray_marks_inside(file, fence) if mark
    )
    return next((number for number, match in inner if match and match[1] == mark), 0)


def _list_stray_marks_inside(file: SkillFile, fence: Fence) -> Sequence[int]:
    """Return the numbers of the lines inside a fence that may open or close one."""
    numbers = _list_stray_marks(file)
    last = fence.end - 1 if fence.closed else fence.end
    return numbers[bisect_right(numbers, fence.start) : bisect_right(numbers, last)]


@memoize
def _list_stray_marks(file: SkillFile) -> list[int]:
    """Return the numbers of the lines with a fence mark that does not open or close a fence in Markdown."""
    fences = file.doc.fences
    borders = {fence.start for fence in fences} | {fence.end for fence in fences if fence.closed}
    numbers = (number for number, line in enumerate(file.doc.lines, 1) if "```" in line or "~~~" in line)
    return [number for number in numbers if number not in borders]


def _get_mark(file: SkillFile, fence: Fence) -> str:
    """Return the characters that open a fence.

    Returns "" for a fence in a list or a quote, whose end also ends the fence.
    """
    match = _OPENING_MARK.match(file.doc.line(fence.start))
    return match[1] if match else ""


def _join_words(path: str) -> str:
    """Return the letters and digits of a path in lower case."""
    return "".join(filter(str.isalnum, path.lower()))


def _get_stem(path: str) -> str:
    """Return the name of a file up to its first dot after the first letter, in lower case and with hyphens."""
    name = posixpath.basename(path).lower().replace("_", "-")
    return name[:1] + name[1:].partition(".")[0]
