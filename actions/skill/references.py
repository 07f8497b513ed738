"""Find references between the files of a skill: links to files and headings, and paths in code spans."""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from urllib.parse import unquote

import msgspec

from actions.grouping import group_by_key
from actions.memo import compute_once, memoize, memoize_all
from actions.regex import regex
from actions.skill.paths import Role, get_role
from actions.skill.similar_names import find_similar_file, resolve_from_parent
from actions.skill.skill import Skill, SkillFile
from actions.skill.structure import Link
from actions.skill.text import normalize_name

_OUTSIDE = regex(r"[a-z][a-z0-9+.-]*:|//|#|/|~|@|\\|\$(?!\{CLAUDE_SKILL_DIR)", re.IGNORECASE)
_PLACEHOLDER = regex(
    r"[{}<>*$|%…]|\.\.\.|\bN{2,}\b|\b0N-|\bXX+\b|YYYY|path/to|your[-_]|my[-_]|example(?!s\b)|/foo\b|\bfoo\.|\[|\]|placeholder|some[-_]"
    r"|\brelative[-_](?:link|path)|\A(?:\./)?(?:link|url|file|filename)(?:\.\w+)?\Z"
)
_OWN_FOLDER = regex(r"\A(?:[\"']?\$\{CLAUDE_SKILL_DIR(?::-[^}]*)?\}/|\./)")
_LINE_SUFFIX = regex(r":\d+(?:-\d+)?$")
_OWN_ID = regex(r"\{#([\w-]{1,100})\}|\b(?:id|name)=[\"']?([\w-]{1,100})")
_HEADING = regex(r"(?m)^ {0,3}#{1,6}[ \t]+(.*)")
"""A heading in the source text, even if a tag or an open fence above hides it from the parser."""
_OPENING_TAG = regex(r"(?m)^ {0,3}<([A-Za-z][\w-]{0,99})>[ \t]*$")
"""A tag alone on its line, which begins a section of a skill that has tags for headings."""
_ONLY_LINK = regex(r" {0,3}\[[^\]]+\]\(#[^()]+\)\s*\Z")
"""A line that consists of a link, which is a heading in copied pages. List items do not match."""
_PERMALINKS = frozenset({"", "#", "¶", "§", "🔗"})
"""The texts of links from a heading to itself."""
_NUMBER_LIST = regex(r"[\d, ]+")
_DROPPED_CHARACTER = regex(r"[^\w\- ]")
_COUNT_SUFFIX = regex(r"-\d+\Z")
_FILE_NAME = regex(r"(?<![\w/.\\-])[A-Za-z][\w-]*\.(?:md|py|sh|js|ts|json|ya?ml|txt)\b(?![/\w])")
_CREATION_WORDS = regex(
    r"(?i)\b(?:creat|writ|sav|generat|produc|output|add|appl|optional|if |when present|stor|scaffold|export|record|new"
    r"|e\.g|for example|such as|like)\w*|\b(?:your|user|project|repo|plugin|(?<!this )skills?)\b|`['’]s\b"
    r"|创建|写入|保存|生成|输出|新建|例如|如果|可选|项目"
)
"""Words of a sentence whose path a run may create, or whose path may be the user's."""
_CREATED = regex(
    r"(?i)\b(?:created|generated|written|saved|stored|produced) (?:by|at|in|on|after|during|when)\b"
    r"|\boptional\b|\bif (?:present|available|it exists)\b"
)
"""Words of another cell in the row of a table that say that a run creates the file, or that it may be missing."""
_MANY_NAMES = 50
"""Minimum number of names for a search of every line. With fewer names, it is faster to count them first."""
_NEAR_LINES = 3
_NEEDED_ROLES = frozenset({Role.PHASE, Role.SPEC, Role.REFERENCE, Role.SCRIPT})


class Reference(msgspec.Struct, frozen=True):
    """A reference in `file` at `line` to the file `target` and the heading `anchor` in it.

    `kind` is `link`, `span` or `name`.
    """

    file: str
    line: int
    target: str
    anchor: str
    kind: str

    @property
    def folder(self) -> str:
        """The folder of the target as written."""
        return posixpath.dirname(self.target)

    @property
    def role(self) -> Role:
        """The role of the target, judging by its path."""
        return get_role(self.target)


def is_placeholder(target: str) -> bool:
    """Return whether a path contains a placeholder."""
    return bool(_PLACEHOLDER.search(target))


@memoize
def find_links(file: SkillFile) -> tuple[Reference, ...]:
    """Return the Markdown links and images of a file whose target is a relative path or a heading.

    Numbers in brackets before a word in parentheses, such as `[0,2](MON)`, are not a link.
    """
    links = (
        found_link
        for found_link in file.doc.links
        if set(".#") & set(found_link.url) or not _NUMBER_LIST.fullmatch(found_link.text)
    )
    return tuple(filter(None, (_make_reference(file.path, link.line, link.url, "link") for link in links)))


@memoize
def group_links_by_line(file: SkillFile) -> Mapping[int, Sequence[Reference]]:
    """Map each line number to the links on this line."""
    return group_by_key((link.line, link) for link in find_links(file))


@memoize_all
def find_spans(file: SkillFile) -> Iterator[Reference]:
    """Yield the code spans of a file that are a single relative path with a folder and an extension."""
    for span in file.doc.spans:
        text = span.text.strip().strip("\"'")
        if "/" in text and not set(" (=,;") & set(text) and "." in text.rsplit("/", 1)[-1].strip("."):
            reference = _make_reference(file.path, span.line, text, "span")
            if reference:
                yield reference


def _make_reference(file: str, line: int, raw: str, kind: str) -> Reference | None:
    """Return the reference in a link or code span, or None if it leaves the skill or has a placeholder."""
    target = _OWN_FOLDER.sub("", raw, count=1)
    if kind == "link" and target.startswith("#"):
        return Reference(file, line, "", unquote(target[1:]), kind)
    if not target or _OUTSIDE.match(target) or is_placeholder(target):
        return None
    target, _, anchor = unquote(target).partition("#")
    target = _LINE_SUFFIX.sub("", target.partition("?")[0])
    return Reference(file, line, target, anchor, kind) if target else None


def find_miscased_references(skill: Skill, file: SkillFile) -> Iterator[Reference]:
    """Yield the bare file names in a file whose case differs from that of an existing file.

    A name in a heading is a title. Beside the right spelling, no one is misled.
    """
    names = _index_names(skill)
    others: Collection[str] = names
    if len(names) < _MANY_NAMES:
        mentioned_names = (key for key in names if key in file.lower)
        others = {key for key in mentioned_names if file.lower.count(key) > sum(map(file.text.count, names[key]))}
    for number, line in enumerate(file.doc.lines, 1) if others else ():
        for name in _FILE_NAME.findall(line):
            spellings = names[name.lower()] if name.lower() in others else {name}
            if name not in spellings and not (file.doc.fence_at(number) or _is_clear(file, number, spellings)):
                yield Reference(file.path, number, name, "", "name")


def _is_clear(file: SkillFile, line: int, spellings: Set[str]) -> bool:
    """Return whether a line is a heading, or a line near it has one of the right spellings."""
    near = range(max(1, line - _NEAR_LINES), line + _NEAR_LINES + 1)
    is_heading = file.doc.section_at(line).start == line
    return is_heading or any(name in file.doc.line(number) for number in near for name in spellings)


@memoize
def _index_names(skill: Skill) -> Mapping[str, Set[str]]:
    """Map the lower-case name of each file that a run reads or starts to its spellings in the skill."""
    spellings: dict[str, set[str]] = {
        posixpath.basename(path).lower(): set() for path in skill.by_path if get_role(path) in _NEEDED_ROLES
    }
    for name in map(posixpath.basename, skill.by_path):
        spellings.get(name.lower(), set()).add(name)
    return spellings


def find_nearest(skill: Skill, reference: Reference) -> str | None:
    """Return the file that a broken reference probably means, or None unless exactly one file fits."""
    return find_similar_file(skill, reference.target, reference.file)


def is_outside(reference: Reference) -> bool:
    """Return whether the target of a reference is outside the skill's folder."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(reference.file), reference.target)).startswith("..")


def get_expected_path(skill: Skill, reference: Reference) -> str:
    """Return the path, relative to the skill, where the missing target of a reference should be.

    A target that begins with `./` or `../`, or whose folder exists beside the referring file, is relative to that file.
    Any other target is relative to the skill.
    """
    path_beside = posixpath.normpath(posixpath.join(posixpath.dirname(reference.file), reference.target))
    is_own = posixpath.dirname(path_beside) in skill.paths or reference.target.startswith(("./", "../"))
    return path_beside if is_own else posixpath.normpath(reference.target)


def is_missing(skill: Skill, reference: Reference) -> bool:
    """Return whether the target of a reference exists neither in the skill nor in its plugin or repository.

    Returns False for targets that are not checked: hidden ones, those outside the skill, and those without a dot or
    slash.
    """
    is_hidden = reference.target.startswith(".") and not reference.target.startswith(("./", "../"))
    if not reference.target or is_hidden or is_outside(reference) or not set("./") & set(reference.target):
        return False
    is_nearby = not reference.target.startswith("../") and reference.target in skill.outside
    return not is_nearby and skill.resolve(reference.target, reference.file) is None


def mentions_creation(file: SkillFile, line: int, target: str) -> bool:
    """Return whether the sentence at a line may mean that a run creates the target, or that the file is the user's.

    In a table, this is the cell of the target, with the head of its column.
    """
    cells = file.doc.cells(line)
    text = file.doc.line if cells else file.doc.sentence
    words = _CREATED if cells else _CREATION_WORDS
    is_created = compute_once(file, f"may create {line}", lambda: words.search(text(line)) is not None)
    return is_created or any(target in cell and _CREATION_WORDS.search(f"{head} {cell}") for head, cell in cells)


def find_missing_targets(skill: Skill, file: SkillFile) -> Iterator[Reference]:
    """Yield the links and code spans of a file whose target is missing, outside counterexamples.

    A path in a code span may be the user's own file, so it proves nothing on its own.
    """
    missing = (reference for reference in (*find_links(file), *find_spans(file)) if is_missing(skill, reference))
    return (reference for reference in missing if not file.doc.is_counterexample(reference.line))


@memoize
def list_outward_targets(skill: Skill) -> frozenset[str]:
    """Return the targets of references that are missing from the skill.

    They may exist in the folders that contain the skill. `..` in a target is resolved by `resolve_from_parent`.
    """
    files = (file for file in skill.files if file.is_markdown)
    references = (reference for file in files for reference in (*find_links(file), *find_spans(file)))
    return frozenset(_resolve_outward(reference) for reference in references if is_missing(skill, reference))


def _resolve_outward(reference: Reference) -> str:
    has_parent = ".." in reference.target.split("/")
    return resolve_from_parent(reference.target, reference.file) if has_parent else reference.target


def find_broken_anchors(skill: Skill, file: SkillFile, lines: range | None = None) -> Iterator[Reference]:
    """Yield the links of a file to headings that do not exist, optionally only those on `lines`.

    Renderers build anchors in different ways, so only letters and digits are compared.
    """
    links: Iterable[Reference] = find_links(file)
    if lines is not None:
        by_line = group_links_by_line(file)
        links = (link for number in lines for link in by_line.get(number, ()))
    for link in links:
        if not link.anchor or is_placeholder(link.anchor):
            continue
        path = skill.resolve(link.target, file.path) if link.target else file.path
        target = skill.by_path.get(path or "")
        anchors = {normalize_name(link.anchor), normalize_name(_COUNT_SUFFIX.sub("", link.anchor))}
        if target is not None and target.is_markdown and anchors.isdisjoint(_list_anchors(target)):
            yield link


def build_anchor(title: str) -> str:
    """Return the anchor that GitHub generates for a heading."""
    return _DROPPED_CHARACTER.sub("", title.lower()).replace(" ", "-")


@memoize
def _list_anchors(file: SkillFile) -> frozenset[str]:
    """Return the normalized anchors of a file: of headings, tags, explicit IDs and links of headings to themselves."""
    doc = file.doc
    titles = {normalize_name(section.title) for section in doc.sections if section.level}
    titles |= {normalize_name(title) for mark in (_HEADING, _OPENING_TAG) for title in mark.findall(file.text)}
    self_links = {link.url[1:] for link in doc.links if link.url.startswith("#") and _links_to_itself(file, link)}
    return frozenset(
        titles
        | {normalize_name(unquote(anchor)) for anchor in self_links}
        | {normalize_name(quoted or unquoted) for quoted, unquoted in _OWN_ID.findall(file.text)}
    )


def _links_to_itself(file: SkillFile, link: Link) -> bool:
    line = file.doc.line(link.line)
    return link.text.strip() in _PERMALINKS or any(mark.match(line) for mark in (_HEADING, _ONLY_LINK))
