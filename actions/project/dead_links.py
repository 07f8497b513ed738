"""Find relative Markdown links of a unit whose target exists in none of the folders to which they may be relative."""

import posixpath
from collections.abc import Iterator
from itertools import takewhile

import msgspec

from actions.memo import memoize
from actions.project.forms import is_form
from actions.project.generated import is_in_generated_block
from actions.project.project import Project
from actions.project.resolve_path import get_project_path, is_missing
from actions.project.units import Unit, UnitKind
from actions.regex import regex
from actions.skill.open_fences import is_in_tail, is_misread, list_lines_between_marks
from actions.skill.paths import MARKDOWN, find_missing_folder
from actions.skill.references import Reference, find_broken_anchors, find_links, get_expected_path, is_outside
from actions.skill.references import is_missing as is_missing_in_skill
from actions.skill.skill import Skill, SkillFile
from actions.skill.text import normalize_name

_LINK = regex(r"\]\(|\]:")
"""A quick filter: a text without a match has no link and is not parsed."""
_RELATED_HEADING = regex(
    r"(?i)\W*(?:related|cross[- ]references?|see also|further reading|more information|learn more)\b"
    r"|\W*(?:相关|另见|延伸阅读)"
)
"""A heading of a section with links that no step needs."""
_RESOURCES_HEADING = regex(
    r"(?i)\W*(?:(?:additional |external )?(?:resources|documentation|references|sources)|bibliography|refer[eê]ncias"
    r"|r[eé]f[eé]rences|ressources|recursos|quellen|weiterf[uü]hrend\w*|riferimenti|ссылки)\b"
    r"|\W*(?:参考|參考|資料|资料|参照|참고)"
)
"""A heading above links to other texts, or to the references of the skill, which its steps need."""
_SEE_LINE = regex(r"(?i)\W*(?:see|refer to|for (?:more|further|details)|learn more)\b[^.]*:\W*\Z")
_MIN_LINKS = 3
"""Minimum number of links, with dots between them, of a line that leads to all parts of a collection."""
_LONG_LINE = 1_000
"""Number of characters from which on a line is more than a pointer to other texts."""
_OWN_FOLDERS = frozenset({"assets", "docs", "examples", "reference", "references", "resources", "scripts", "templates"})
"""Folders that many skills have. A link into one of them is not meant for the user's project."""
_DOCUMENTS = (*MARKDOWN, ".txt", ".pdf", ".html", ".json", ".yaml", ".yml", ".png", ".svg")
_ITEM = regex(r"\s*(?:[-*+]|\d+[.)])\s")
_QUOTE = regex(r"[\"“”]")
_HEADING_IN_TEMPLATE = regex(r"#{1,6}[ \t]+(.*)")
_MIN_TITLE = 6
_QUOTED_HEADING = regex(r"\s*>[\s>]*#{1,6}\s")


def find_dead_links(project: Project, unit: Unit, file: SkillFile) -> Iterator[Reference]:
    """Yield the links whose target exists neither relative to the file nor relative to its plugin's or project's root.

    In a command or an agent, a link counts only if it begins with `../` or with an existing folder. Any other link may
    lead to a file of the user. Memory files of a skill's folder are left out.
    """
    for link in find_links(file) if _LINK.search(file.text) and not _is_in_skill(project, unit) else ():
        if not link.target or is_sample_link(file, link.line) or not set("./") & set(link.target):
            continue
        if (
            is_missing(project, unit, unit.path, link.target)
            and (unit.kind is UnitKind.MEMORY or _begins_in_project(project, unit, link))
            and not is_in_generated_block(file, link.line)
        ):
            yield link


def _is_in_skill(project: Project, unit: Unit) -> bool:
    """Return whether a memory file is part of a skill, whose links are checked with the skill."""
    folders = {folder for folder in (unit.folder, posixpath.dirname(unit.folder)) if folder}
    return unit.kind is UnitKind.MEMORY and any(f"{folder}/SKILL.md" in project.files for folder in folders)


def is_sample_link(file: SkillFile, line: int) -> bool:
    """Return whether the links on a line may be samples: in a counterexample, in or after a fence, or in quotes."""
    is_quoted = (
        line in _find_quoted_links(file) or line in list_lines_between_marks(file) or line in _find_formats(file)
    )
    return is_quoted or file.doc.is_counterexample(line) or is_misread(file, line)


def is_further_reading(file: SkillFile, line: int, *, is_outward: bool = True) -> bool:
    """Return whether a line is in a section or list of related texts, which no step needs.

    is_outward: whether the link on the line leaves the skill. Otherwise a heading such as "Resources" does not count.
    """
    title = file.doc.section_at(line).title
    is_resource = is_outward and _RESOURCES_HEADING.match(title) is not None
    is_navigation = file.doc.line(line).count("](") >= _MIN_LINKS and " · " in file.doc.line(line)
    is_related = is_resource or is_navigation or _RELATED_HEADING.match(title) is not None
    return is_related or line in _find_see_items(file)


@memoize
def _find_see_items(file: SkillFile) -> frozenset[int]:
    """Return the line numbers of the items below a line that only points to other texts."""
    found, is_below = set[int](), False
    starts = {section.start for section in file.doc.sections}
    for number, line in enumerate(file.doc.lines, 1):
        is_below = is_below and number not in starts
        if not _ITEM.match(line):
            is_below = len(line) < _LONG_LINE and _SEE_LINE.match(line) is not None if line.strip() else is_below
        elif is_below:
            found.add(number)
    return frozenset(found)


@memoize
def _find_quoted_links(file: SkillFile) -> frozenset[int]:
    """Return the numbers of the lines with a link in double quotes. Such a line shows how to write a link."""
    linked = ((number, _QUOTE.split(line)) for number, line in enumerate(file.doc.lines, 1) if "](" in line)
    return frozenset(n for n, parts in linked if len(parts) % 2 and any("](" in part for part in parts[1::2]))


@memoize
def _find_formats(file: SkillFile) -> frozenset[int]:
    """Return the numbers of the lines of tables with a column "Markdown", whose links show how to write a link."""
    found, is_format = set[int](), False
    for row in file.doc.rows:
        is_format = any("markdown" in cell.lower() for cell in row.cells) if row.is_head else is_format
        found.update([row.line] if is_format else ())
    return frozenset(found)


class DeadLink(msgspec.Struct, frozen=True):
    """A link of a skill to a missing file: its line, its target as written, its path, and the topmost missing folder.

    The path is relative to the skill's folder. If the link leaves the skill (`is_outward`), it is relative to the
    project's root.
    """

    line: int
    target: str
    path: str
    folder: str
    is_outward: bool = False


def list_dead_links(project: Project, unit: Unit, skill: Skill, file: SkillFile) -> list[DeadLink]:
    """Return the links in a file of a skill whose target exists neither in the skill nor in the project around it.

    A form has no dead links, because its links are relative to the place where a run writes it.
    """
    place = get_project_path(unit, file.path)
    dead_links = [
        _make_dead_link(project, place, skill, link)
        for link in find_links(file)
        if (is_outside(link) or is_missing_in_skill(skill, link))
        and not is_sample_link(file, link.line)
        and is_missing(project, unit, place, link.target)
        and not is_in_generated_block(file, link.line)
    ]
    dead_links = [link for link in dead_links if not _may_be_source_of_user(project, skill, link)]
    return [] if dead_links and is_form(project, unit, skill, file) else dead_links


def _may_be_source_of_user(project: Project, skill: Skill, link: DeadLink) -> bool:
    """Return whether a link leads to source code in a folder that neither the skill nor the project has.

    It is probably a path of the project in which the skill is used. Out of the skill (`../../vite.config.ts`), no file
    of the project may have the name.
    """
    first, is_document = link.target.partition("/")[0], posixpath.splitext(link.target)[1].lower() in ("", *_DOCUMENTS)
    if link.is_outward:
        name = posixpath.basename(link.path)
        return not is_document and not any(posixpath.basename(path) == name for path in project.files)
    is_unknown = first not in skill.paths and first not in project.folders and first not in _OWN_FOLDERS
    return is_unknown and "/" in link.target and not first.startswith(".") and not is_document


def list_dead_anchors(skill: Skill, file: SkillFile) -> list[Reference]:
    """Return the links in a file of a skill to headings that do not exist.

    A link in a quoted document, which has headings of its own, leads to a heading of that document. A link to a part of
    a template in a fence of the same file may lack a note of its heading, or have one more.
    """
    return [
        link
        for link in find_broken_anchors(skill, file)
        if not is_in_tail(file, link.line)
        and (link.target or not (_is_in_quoted_document(file, link.line) or _is_in_template(file, link.anchor)))
    ]


def _is_in_template(file: SkillFile, anchor: str) -> bool:
    """Return whether a heading in a fence begins with the words of an anchor, or the anchor with its words."""
    name = normalize_name(anchor)
    return any(name.startswith(title) or title.startswith(name) for title in _list_template_titles(file))


@memoize
def _list_template_titles(file: SkillFile) -> frozenset[str]:
    fences = (fence for fence in file.doc.fences if fence.lang in ("", "markdown", "md", "text"))
    lines = (line for fence in fences for line in file.doc.lines_inside(fence))
    titles = (normalize_name(match[1]) for line in lines if (match := _HEADING_IN_TEMPLATE.match(line)))
    return frozenset(title for title in titles if len(title) >= _MIN_TITLE)


def _is_in_quoted_document(file: SkillFile, line: int) -> bool:
    """Return whether a line is in a block quote that has a heading."""
    quotes = file.doc.quotes
    if line not in quotes:
        return False
    above = takewhile(quotes.__contains__, range(line, 0, -1))
    below = takewhile(quotes.__contains__, range(line, len(file.doc.lines) + 1))
    return any(_QUOTED_HEADING.match(file.doc.line(number)) for number in (*above, *below))


def _make_dead_link(project: Project, place: str, skill: Skill, link: Reference) -> DeadLink:
    if is_outside(link):
        path, folders = posixpath.normpath(posixpath.join(posixpath.dirname(place), link.target)), project.folders
    else:
        path, folders = get_expected_path(skill, link), skill.paths
    return DeadLink(link.line, link.target, path, find_missing_folder(path, folders), is_outside(link))


def find_intended_path(project: Project, unit: Unit, link: Reference) -> str:
    """Return the project path that a dead link was probably meant for.

    It is the first possible path whose folder exists or, if no folder exists, the first possible path.
    """
    paths = [posixpath.normpath(posixpath.join(base, link.target)) for base in _list_bases(unit)]
    return next((path for path in paths if posixpath.dirname(path) in project.folders), paths[0])


def find_shifted_path(project: Project, unit: Unit, target: str) -> str:
    """Return the path that a dead link reaches with one `../` more or less, or "" unless exactly one of them exists."""
    target = target.removeprefix("./")
    shifted = (f"../{target}", target.removeprefix("../"))
    paths = {posixpath.normpath(posixpath.join(unit.folder, other)) for other in shifted if other != target}
    existing = [path for path in paths if path in project.files or path in project.folders]
    return existing[0] if len(existing) == 1 else ""


def _list_bases(unit: Unit) -> dict[str, None]:
    return dict.fromkeys((unit.folder, unit.plugin_root or "", _find_claude_parent(unit), ""))


def _find_claude_parent(unit: Unit) -> str:
    """Return the folder that contains the `.claude` of a unit, or ""."""
    return unit.path.partition("/.claude/")[0] if "/.claude/" in unit.path else ""


def _begins_in_project(project: Project, unit: Unit, link: Reference) -> bool:
    """Return whether a link refers to a file of the project: it begins with `../` or with an existing folder."""
    first, _, rest = link.target.partition("/")
    return first == ".." or bool(rest and not is_missing(project, unit, unit.path, first))
