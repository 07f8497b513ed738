"""References from one file of a skill to another: Markdown links and paths in code spans."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from actions.skill.memo import once
from actions.skill.skill import SkillFile

_LINK = re.compile(r"!?\[[^\]\n]{0,300}\]\(\s*<?([^)<>\s]{1,500})>?(?:\s+[\"'][^\"'\n]{0,300}[\"'])?\s*\)")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:\s*<?(\S{1,500}?)>?(?:\s|$)")
_SPAN = re.compile(r"(?<!`)`([^`\n]{1,300})`(?!`)")
_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|#|/|~|@|\\|\$(?!\{CLAUDE_SKILL_DIR))", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"[{}<>*$|%…]|\.\.\.|\bN{2,}\b|\b0N-|\bXX+\b|YYYY|path/to|your[-_]|example\.|/foo\b|\bfoo\.")
_SKILL_DIR = re.compile(r"^[\"']?\$\{CLAUDE_SKILL_DIR(?::-[^}]*)?\}/|^\./")
_POSITION = re.compile(r"(?::\d+(?:-\d+)?)$")


@dataclass(frozen=True)
class Link:
    """A reference in `file` at `line` to `target` (no anchor) and `anchor`; `kind` is `link` or `span`."""

    file: str
    line: int
    target: str
    anchor: str
    kind: str


def is_placeholder(target: str) -> bool:
    """Tell whether a path is a pattern to fill in, not a path."""
    return bool(_PLACEHOLDER.search(target))


@once
def links(file: SkillFile) -> tuple[Link, ...]:
    """Give the Markdown links of a file that point into the skill, outside of fences and comments."""
    return tuple(_links(file))


def _links(file: SkillFile) -> Iterator[Link]:
    for number, line in file.doc.prose:
        if "](" in line or "]:" in line:
            text = _SPAN.sub(lambda m: " " * len(m[0]), line)
            for match in (*_LINK.finditer(text), *filter(None, [_DEFINITION.match(text)])):
                link = _local(file.path, number, match[1], "link")
                if link:
                    yield link


@once
def spans(file: SkillFile) -> tuple[Link, ...]:
    """Give the code spans of a file's prose that are one relative path with a folder and an extension."""
    return tuple(_spans(file))


def _spans(file: SkillFile) -> Iterator[Link]:
    for number, line in file.doc.prose:
        if "`" not in line:
            continue
        for match in _SPAN.finditer(line):
            text = match[1].strip().strip("\"'")
            if "/" in text and " " not in text and "(" not in text and "." in text.rsplit("/", 1)[-1]:
                link = _local(file.path, number, text, "span")
                if link:
                    yield link


def _local(file: str, line: int, raw: str, kind: str) -> Link | None:
    target = _SKILL_DIR.sub("", raw)
    if _SCHEME.match(target) or is_placeholder(target):
        return None
    target, _, anchor = unquote(target).partition("#")
    return Link(file, line, _POSITION.sub("", target), anchor, kind) if target else None
