"""Recognize files that are generated or copied from elsewhere, whose faults must be corrected in their source."""

import posixpath
from collections.abc import Iterator, Sequence

from actions.memo import memoize
from actions.project.git_attributes import has_attribute
from actions.project.project import Project
from actions.project.resolve_path import get_project_path
from actions.project.units import Unit
from actions.regex import regex
from actions.skill.document import find_frontmatter_end
from actions.skill.paths import MARKDOWN
from actions.skill.skill import SkillFile

_MAX_LINES = 12
"""Number of lines after the frontmatter that are searched."""
_MAX_FRONTMATTER = 60
_FORBIDDEN_EDIT = r"do(?: not|n['’]t) (?:hand-?|manually )?(?:edit|modify)"
_IN_COMMENT = regex(
    r"(?i)@generated\b|\bauto(?:matically)?[- ]?generated\b|\bedit \S+ upstream"
    r"|\bgenerated (?:by|from|with)\b(?!\W*(?:claude|chatgpt|gpt|copilot|gemini|codex|cursor|an? (?:ai|llm))\b)"
    rf"|\b{_FORBIDDEN_EDIT}\b(?! (?:any|the|your|other|anything|these|those)\b)"
)
"""A comment that marks a file as generated. A file that a model once wrote does not count, because people edit it."""
_IN_TEXT = regex(
    r"(?i)[\W_]{0,10}(?:(?:note|warning|important|description)\W{1,5})?(?:"
    r"this (?:file|page|document|index|reference) (?:is|was|has been) (?:auto(?:matically)?[- ]?)?generated\b"
    r"|this is an? (?:auto(?:matically)?[- ]?)?generated (?:file|page|document)\b"
    rf"|{_FORBIDDEN_EDIT} this (?:file|page|document)\b"
    rf"|(?:auto(?:matically)?[- ]?)?generated\b.{{0,80}}\b{_FORBIDDEN_EDIT}(?: by hand| manually| directly| in place"
    r"|(?: it| this file| this page)?\W*\Z|(?: it| this file| this page)?[.;,!]))"
)
"""The beginning of a line that marks the file as generated. Elsewhere, the words may be about another file."""
_IN_LIST = regex(r"(?i)\b(?:auto[- ]?)?generated\b|\bcompiled (?:output|document|from)\b")
_OF_PART = regex(r"(?i)\b(?:begin|start|end|section|block|region|above|below|between|toc|table of contents)\b|>>>")
"""A comment about a part of the file."""
_BLOCK_START, _BLOCK_END = regex(r"(?i)\b(?:begin|start)\b"), regex(r"(?i)\b(?:end|stop)\b|<!--\s*/")
_OF_BLOCK = regex(
    rf"(?i)\b(?:auto(?:matically)?|generated|{_FORBIDDEN_EDIT}|not these lines|managed (?:by|block)|toc)\b"
)
"""A comment of a block that a tool writes."""
_GENERATED_KEY = regex(r"(?i)(?:auto[-_]?)?generated:\s*[\"']?(?:true|yes)\b")
_TEMPLATE_KEY = regex(r"(?i)\s+source:\s*[\"']?templates/\S+\.md\b")
"""The `metadata` of a skill that a tool, such as spec-kit, writes from its template, and again with each version."""
_HASH_KEY = regex(r"(?i)content[-_]hash:")
_URL_KEY = regex(r"(?i)(?:source|source[-_]url|url):\s*[\"']?https?://")
_FETCH_KEY = regex(r"(?i)(?:(?:last|date)[-_])?(?:fetch|scrape|crawl)\w*:")
_MIRROR = regex(
    r"(?i)\b(?:these|all|the) (?:\w+ )?(?:files|documents|docs|pages)(?: \w+){0,3} are (?:\w+ )?(?:mirrors|copies) of\b"
    r"|\bthis (?:folder|directory) (?:is a (?:\w+ )?(?:mirror|copy) of|mirrors)\b"
)
"""A sentence of the README in a folder that says that its files are copies, from which they are written again."""
_EMPHASIS = regex(r"[*_]{1,3}(?=\w)|(?<=\w)[*_]{1,3}")
_DUMP = regex(r"(?i)(?:\A|/)llms(?:[-_.](?:full|txt|ctx|small|medium))*\.(?:mdx?|txt)\Z")
"""A dump of documentation for models, under the name that https://llmstxt.org gives it."""


def is_generated(project: Project, unit: Unit, file: SkillFile) -> bool:
    """Return whether a file of a unit is marked as generated: in its text, .gitattributes or a README beside it."""
    path = get_project_path(unit, file.path)
    has_mark = _is_marked_generated(file) or has_attribute(project, path, "linguist-generated")
    return has_mark or _is_listed_as_generated(project, path)


def _is_listed_as_generated(project: Project, path: str) -> bool:
    """Return whether the README beside a file says on a line with the file's name that it is generated."""
    folder, name = posixpath.split(path)
    readme = project.read_bytes(posixpath.join(folder, "README.md")) or b""
    lines = readme.decode("utf-8", "replace").splitlines() if name.encode() in readme else []
    return any(name in line and _IN_LIST.search(line) for line in lines)


def is_copied(project: Project, unit: Unit, file: SkillFile) -> bool:
    """Return whether a file of a unit, but not the unit's main file, is copied from elsewhere.

    These are pages with the hash of their content or the URL from which they were fetched, dumps such as
    `llms-full.md`, files that are `linguist-vendored` in .gitattributes, and those in a folder inside the unit's whose
    README calls them mirrors or copies.
    """
    path = get_project_path(unit, file.path)
    has_mark = _DUMP.search(path) is not None or _is_fetched(file) or has_attribute(project, path, "linguist-vendored")
    return path != unit.path and (has_mark or _is_in_mirror(project, unit, path))


def _is_in_mirror(project: Project, unit: Unit, path: str) -> bool:
    folder = posixpath.dirname(path)
    if folder == unit.folder:
        return False
    readme = (project.read_bytes(posixpath.join(folder, "README.md")) or b"").decode("utf-8", "replace")
    return _MIRROR.search(" ".join(_EMPHASIS.sub("", readme).split())) is not None


def is_in_generated_block(file: SkillFile, line: int) -> bool:
    """Return whether a line is between comments that begin and end a block that a tool writes."""
    return line in _find_generated_blocks(file)


@memoize
def _find_generated_blocks(file: SkillFile) -> frozenset[int]:
    found, block, is_generated = set[int](), list[int](), False
    for number, line in enumerate(file.doc.lines, 1):
        is_comment = "<!--" in line
        if is_comment and _BLOCK_END.search(line):
            found.update(block if is_generated else ())
            block, is_generated = [], False
        elif block or (is_comment and _BLOCK_START.search(line)):
            is_generated = is_generated or (is_comment and _OF_BLOCK.search(line) is not None)
            block.append(number)
    return frozenset(found)


def find_generated_line(path: str, lines: Sequence[str]) -> int:
    """Return the number (from 1) of the line that marks a file as generated, or 0."""
    start, is_markdown = _find_body(lines), path.lower().endswith(MARKDOWN)
    for number, line in enumerate(lines[: start - 1], 1):
        has_key = _GENERATED_KEY.match(line) or _TEMPLATE_KEY.match(line)
        if has_key or _IN_TEXT.match(line) or (line.startswith("#") and _is_mark(line)):
            return number
    for number, line, is_comment in _classify_lines(lines[start - 1 : start - 1 + _MAX_LINES], is_markdown):
        if (is_comment and _is_mark(line)) or _IN_TEXT.match(line):
            return start - 1 + number
    return 0


def _is_mark(comment: str) -> bool:
    return _IN_COMMENT.search(comment) is not None and not _OF_PART.search(comment)


def _find_body(lines: Sequence[str]) -> int:
    """Return the number of the first line after the frontmatter."""
    return find_frontmatter_end(tuple(lines[:_MAX_FRONTMATTER])) + 1


def _classify_lines(lines: Sequence[str], is_markdown: bool) -> Iterator[tuple[int, str, bool]]:
    """Yield (number, line, whether it is in a comment) for the lines before the first fence."""
    is_open = False
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if is_markdown and text.startswith(("```", "~~~")):
            return
        is_open = is_open or text.startswith("<!--")
        yield number, line, is_open or (not is_markdown and text.startswith(("#", "//", "/*", "*", "--", ";", '"""')))
        is_open = is_open and "-->" not in text


@memoize
def _is_marked_generated(file: SkillFile) -> bool:
    return find_generated_line(file.path, file.doc.lines) > 0


@memoize
def _is_fetched(file: SkillFile) -> bool:
    """Return whether the frontmatter has the hash of the content, or a URL and the time of the download."""
    lines = file.doc.lines
    keys = lines[1 : _find_body(lines) - 2]
    has_url, has_fetch = (any(map(key.match, keys)) for key in (_URL_KEY, _FETCH_KEY))
    return any(map(_HASH_KEY.match, keys)) or (has_url and has_fetch)
