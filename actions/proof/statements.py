"""What the files of a skill say, statement by statement, for comparing two texts of it.

Prose counts by sentence, code, tables, frontmatter, scripts and data by line. References count by what they lead to, so
a moved link is no loss. What no reader takes for said (HTML comments, struck text) is none.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from actions.memo import once_among
from actions.skill import Skill, SkillFile
from actions.skill.document import Document
from actions.skill.paths import MAIN, resolved
from actions.skill.references import is_placeholder
from actions.skill.text import plain, sentences, strip_list_mark

_QUOTES = ('"""', "'''")
_BLOCKS = {"/*": "*/", "<!--": "-->", "=begin": "=end", "<#": "#>", **{mark: mark for mark in _QUOTES}}
"""What opens a comment of several lines at the beginning of a line, and what closes it; a quote opens it anywhere."""
PROSE = "prose"
HEADING = "heading"
FRONTMATTER = "frontmatter"
_TARGET = re.compile(r"(?<=\]\()[^)\s]+(?=\))|(?<=`)[^`\n]+(?=`)|(?<=[\"'])[^\"'\n]+/[^\"'\n]+(?=[\"'])")
_MAY_TARGET = re.compile(r"\]\(|`|[\"']")
_END = " .。;；:：,，!！\"'`)("
_HIDDEN = re.compile(
    r"(?P<code>`[^`\n]*`)|<!--.*?-->|~~(?=\S).+?(?<=\S)~~|<(?P<tag>del|s|strike)>.*?</(?P=tag)>",
    re.DOTALL | re.IGNORECASE,
)
_DISOWNS = re.compile(
    r"\b(?:deprecated|obsolete|outdated|superseded|discarded|retired|abandoned|no longer|ignored?|disregard|not to do"
    r"|do not|don['’]t|never|avoid|bad|wrong|incorrect|forbidden|prohibited|not recommended)\b|❌|✗|🚫"
    r"|弃用|废弃|过时|作废|不再|忽略|不要|禁止|避免|切勿|错误",
    re.IGNORECASE,
)
"""A heading or a lead-in that forbids what stands under it, or says that it holds no longer."""
_LOOSENS = re.compile(
    r"\b(?:examples?|optional(?:ly)?|history|changelog|legacy|archived?|previous(?:ly)?|former(?:ly)?|drafts?|ideas?"
    r"|future|todo|rejected|out of scope|skip)\b|示例|例子|可选|历史|旧版|草稿",
    re.IGNORECASE,
)
"""One that takes force from it."""
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_LEAD_IN = re.compile(r"[:：][*_\s]*$")
_ITEM = re.compile(r"\s*(?:[-*+•]\s|\||\d+[.)、])")


class Standing(IntEnum):
    """How a statement stands where it stands: in force, as an example or an option, or as what not to do."""

    FORCE = 0
    LOOSE = 1
    SHUNNED = 2


Meaning = tuple[str, Standing, str]


@dataclass(frozen=True)
class Statement:
    """Something that a file says, for comparing (`key`) and for telling (`text`).

    `kind` is prose, heading, frontmatter, the language of a fence or the ending of a file.
    """

    file: str
    line: int
    key: str
    text: str
    standing: Standing
    kind: str

    @property
    def is_code(self) -> bool:
        """Whether every sign counts."""
        return self.kind not in (PROSE, HEADING)

    @property
    def meaning(self) -> Meaning:
        """What is compared: the same words as code, or as an example of what not to do, mean another thing."""
        return self.key, self.standing, self.kind


@once_among
def statements(file: SkillFile, skill: Skill) -> tuple[Statement, ...]:
    """Return what a file says, in order."""
    standing = _standings(file)
    return tuple(
        Statement(file.path, number, key, text, standing.get(number, Standing.FORCE), kind)
        for number, text, key, kind in sorted(_said(file, skill.paths), key=lambda said: said[0])
        if any(map(str.isalnum, key))
    )


@once_among
def meanings(file: SkillFile, skill: Skill) -> frozenset[Meaning]:
    """Return the meanings of what a file says."""
    return frozenset(s.meaning for s in statements(file, skill))


def keys_of(named: str, skill: Skill, path: str) -> Iterator[str]:
    """Return the keys of what a fix names, as code and as prose, seen from a file."""
    for line in named.splitlines():
        yield _key(line, path, skill.paths, is_code=True)
        for part in (line, *sentences(strip_list_mark(line))):
            yield _key(part, path, skill.paths, is_code=False)


def _said(file: SkillFile, paths: frozenset[str]) -> Iterator[tuple[int, str, str, str]]:
    """Return line, text, key and kind; in a line in order, code before prose."""
    for number, line, kind in _code(file):
        yield number, line, _key(line, file.path, paths, is_code=True), kind
    for number, line in _visible(file.doc) if file.is_markdown else ():
        kind = HEADING if _HEADING.match(line) else PROSE
        for part in sentences(strip_list_mark(line)):
            yield number, part, _key(part, file.path, paths, is_code=False), kind


def _code(file: SkillFile) -> Iterator[tuple[int, str, str]]:
    doc = file.doc
    if not file.is_markdown:
        kind = file.path.rpartition(".")[2].lower()
        yield from ((number, line, kind) for number, line in enumerate(doc.lines, 1))
        return
    yield from ((number, line, FRONTMATTER) for number, line in enumerate(doc.lines[: doc.body_start - 1], 1))
    for fence in doc.fences:
        yield from ((number, line, f"```{fence.lang}") for number, line in doc.code(fence))


def _visible(doc: Document) -> Iterator[tuple[int, str]]:
    """Return the prose without inline comments and struck text, which may go over the lines of a paragraph."""
    paragraph: list[tuple[int, str]] = []
    for number, line in doc.prose:
        if paragraph and number != paragraph[-1][0] + 1:
            yield from _shown(paragraph)
            paragraph = []
        paragraph.append((number, line))
    yield from _shown(paragraph)


def _shown(paragraph: list[tuple[int, str]]) -> list[tuple[int, str]]:
    text = "\n".join(line for _, line in paragraph)
    if "<" not in text and "~~" not in text:
        return paragraph
    shown = _HIDDEN.sub(lambda m: m["code"] or "\n" * m[0].count("\n"), text).split("\n")
    return [(number, line) for (number, _), line in zip(paragraph, shown, strict=True)]


def _standings(file: SkillFile) -> dict[int, Standing]:
    """Return the lines that are not in force, by what stands over them: headings, lead-ins, marks in a fence.

    The title of SKILL.md names the subject of the skill and takes force from nothing.
    """
    doc, found = file.doc, dict[int, Standing]()
    if not file.is_markdown:
        return dict.fromkeys(_commented(enumerate(doc.lines, 1)), Standing.LOOSE)
    for section in doc.sections[2 if file.path == MAIN else 1 :]:
        standing = _standing(section.title)
        if standing:
            for number in range(section.start, section.end + 1):
                found[number] = max(standing, found.get(number, standing))
    for number, standing in _led(doc):
        found[number] = max(standing, found.get(number, standing))
    for fence in doc.fences:
        for number in _commented(doc.code(fence)):
            found[number] = max(Standing.LOOSE, found.get(number, Standing.LOOSE))
    fenced = (number for fence in doc.fences for number in range(fence.start, fence.end + 1))
    return found | {number: Standing.SHUNNED for number in fenced if doc.is_counterexample(number)}


def _commented(lines: Iterable[tuple[int, str]]) -> Iterator[int]:
    """Return the lines of code within a comment or a text of several lines."""
    end = ""
    for number, line in lines:
        text = line.strip()
        if end:
            yield number
            end = "" if end in text else end
        else:
            start = next((mark for mark in _BLOCKS if text.startswith(mark) or (mark in _QUOTES and mark in text)), "")
            opened = start and text.count(start) % 2 and _BLOCKS[start] not in text[text.index(start) + len(start) :]
            end = _BLOCKS[start] if opened else ""


def _led(doc: Document) -> Iterator[tuple[int, Standing]]:
    """Return the lines of lists and tables over which a line with a colon takes their force."""
    standing = Standing.FORCE
    for number, line in doc.prose:
        if not _ITEM.match(line):
            standing = _standing(line) if _LEAD_IN.search(line) else Standing.FORCE
        elif standing:
            yield number, standing


def _standing(title: str) -> Standing:
    if _DISOWNS.search(title):
        return Standing.SHUNNED
    return Standing.LOOSE if _LOOSENS.search(title) else Standing.FORCE


def _key(text: str, path: str, paths: frozenset[str], *, is_code: bool) -> str:
    """Return a text for comparing: each reference as what it leads to, no spacing, in prose no list mark or markup."""
    if _MAY_TARGET.search(text):
        text = _TARGET.sub(lambda match: _led_to(match[0], path, paths), text.replace("’", "'"))
    return _bare(text, is_code)


@lru_cache(maxsize=16384)
def _bare(text: str, is_code: bool) -> str:
    text = text.replace("’", "'")
    return " ".join(text.split()).rstrip(",;") if is_code else plain(text).strip(_END)


def _led_to(target: str, path: str, paths: frozenset[str]) -> str:
    """Return what a reference leads to; only the anchor for a heading of its own file or of SKILL.md: texts move."""
    if is_placeholder(target) or " " in target:
        return target
    name, mark, anchor = target.removeprefix("./").partition("#")
    found = (resolved(name, path, paths) or name) if name else path
    return mark + anchor if mark and found in (path, MAIN) else found + mark + anchor
