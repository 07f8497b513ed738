"""What a file says, statement by statement: sentences, headings, rows of tables, lines of code. Token for token."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from actions.code.tree import Code, above
from actions.memo import once
from actions.skill import SkillFile
from actions.skill.text import is_item, sentences, strip_list_mark

PROSE, HEADING, FRONTMATTER = "prose", "heading", "frontmatter"
_WHOLE = ("#", "|")
"""What a line of prose begins with that is no part of a paragraph."""
_MARKS = " \t-=*_|>:"
"""A line of nothing else separates what stands around it."""
_TEXTS = frozenset({"comment", "string", "template_string", "raw_string", "heredoc_body"})


@dataclass(frozen=True)
class Statement:
    """Something that a file says, from `line` to `end`.

    `kind` is prose, heading, frontmatter, the language of a fence or the ending of a file. `depth` is its indentation;
    for code it is a part of the text.
    """

    file: str
    line: int
    end: int
    text: str
    kind: str
    depth: int = 0

    @property
    def key(self) -> tuple[str, str, int]:
        """What is compared: the same words as code, or one level deeper, mean another thing."""
        return self.kind, self.text, self.depth


@once
def statements(file: SkillFile) -> tuple[Statement, ...]:
    """Return what a file says, in order."""
    said = [*_code(file), *(_prose(file) if file.is_markdown else ())]
    return tuple(sorted((s for s in said if s.text.strip(_MARKS)), key=lambda s: s.line))


def _prose(file: SkillFile) -> Iterator[Statement]:
    """Return the sentences, whichever lines they go over; a heading and a row are one each."""
    paragraph: list[tuple[int, str]] = []
    for number, line in (*file.doc.prose, (0, "")):
        begins = is_item(line) or line.lstrip().startswith(_WHOLE)
        if paragraph and (begins or number != paragraph[-1][0] + 1 or paragraph[-1][1].lstrip().startswith(_WHOLE)):
            yield from _sentences(file.path, paragraph)
            paragraph = []
        paragraph.append((number, line))


def _sentences(path: str, paragraph: list[tuple[int, str]]) -> Iterator[Statement]:
    (first, line), *rest = paragraph
    text = "\n".join((strip_list_mark(line), *(line for _, line in rest)))
    starts = list(accumulate((len(one) + 1 for one in text.split("\n")), initial=0))
    depth, end = _depth(line), 0
    whole = line.lstrip().startswith(_WHOLE)
    for part in (text,) if whole else sentences(text):
        start = text.index(part, end)
        end = start + len(part)
        begins, ends = (first + bisect_right(starts, place) - 1 for place in (start, end - 1))
        kind = HEADING if line.lstrip().startswith("#") else PROSE
        yield Statement(path, begins, ends, " ".join(part.split()), kind, 0 if start else depth)


def _code(file: SkillFile) -> Iterator[Statement]:
    doc = file.doc
    texts = {number for code in file.codes for number in _within_texts(code)}
    if file.is_markdown:
        parts = [(FRONTMATTER, list(enumerate(doc.lines[: doc.body_start - 1], 1)))]
        parts += [(f"```{fence.lang}", doc.code(fence)) for fence in doc.fences]
    else:
        parts = [(file.path.rpartition(".")[2].lower(), list(enumerate(doc.lines, 1)))]
    for kind, lines in parts:
        for number, line in lines:
            said = f"{kind}, a text" if number in texts else kind
            yield Statement(file.path, number, number, line.expandtabs(4).rstrip(), said)


def _within_texts(code: Code) -> Iterator[int]:
    """Return the lines that begin within a comment or a text of several lines."""
    if code.root.has_error:
        return
    for row in range(1, code.text.count("\n") + 1):
        node = code.root.descendant_for_point_range((row, 0), (row, 0))
        over = (node, *above(node)) if node is not None else ()
        if any(one.type in _TEXTS and one.start_point.row < row <= one.end_point.row for one in over):
            yield code.first + row


def _depth(line: str) -> int:
    line = line.expandtabs(4)
    return len(line) - len(line.lstrip())
