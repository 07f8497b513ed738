"""Where the comment stands that ignores a finding: the first place that silences it and changes nothing else.

Each place is tried in memory: the pattern looks again, and what a reader or an interpreter sees of the file must be the
same, comments left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from actions.case import Case
from actions.code.fences import parse_fence
from actions.code.tree import Code
from actions.patterns import all_patterns
from actions.patterns.pattern import Finding
from actions.scoring.scan import scan
from actions.skill import Skill, SkillFile
from actions.skill.text import is_item
from orchestrator.servers.lsp.positions import Text
from schemas.issues import Issue

_COMMENTS = frozenset({"comment", "html_comment"})


@dataclass(frozen=True)
class Insertion:
    """A text that comes into a file before `offset`; `above` says whether it is a line of its own."""

    offset: int
    text: str
    above: bool


def insertion(case: Case, issue: Issue, text: Text) -> Insertion | None:
    """Return what ignores a finding in its file, whose text is `text`; None where no comment can."""
    file = case.skill.by_path.get(issue.location.file)
    line = issue.location.line_start or 1
    places = _places(file, line, issue.pattern, text) if file else ()
    return next((place for place in places if _serves(case, issue, text, place)), None)


def _places(file: SkillFile, line: int, id: str, text: Text) -> Iterator[Insertion]:
    """Return where a comment may stand, the best place first."""
    said, doc = f"tune-skill: ignore {id}", file.doc
    fence = doc.fence_at(line) if file.is_markdown else None
    if not file.is_markdown:
        yield from _in_code(file.codes, said, line, text)
    elif line < doc.body_start:
        yield _above(max(line, 2), f"# {said}", text)
    elif fence:
        code = parse_fence(fence.lang, "\n".join(doc.inside(fence)), fence.start + 1)
        if code and fence.start < line:
            yield from _in_code([code], said, line, text)
        yield _above(fence.start, f"<!-- {said} -->", text)
    else:
        own, same = _above(line, f"<!-- {said} -->", text), _behind(line, f"<!-- {said} -->", text)
        begins = not doc.line(line - 1).strip() and not is_item(doc.line(line))
        yield from (own, same) if begins else (same, own)


def _in_code(codes: Sequence[Code], said: str, line: int, text: Text) -> Iterator[Insertion]:
    for mark in {code.language.comment for code in codes}:
        if not text.text.startswith("#!") or line > 1:
            yield _above(line, f"{mark} {said}", text)
        yield _behind(line, f"{mark} {said}", text)


def _above(line: int, comment: str, text: Text) -> Insertion:
    start, said = text.start(line), text.text[text.start(line) : text.end(line)]
    indent = said[: len(said) - len(said.lstrip())]
    return Insertion(start, f"{indent}{comment}{_line_end(line, text)}", above=True)


def _behind(line: int, comment: str, text: Text) -> Insertion:
    end = text.end(line)
    return Insertion(end, f"{'' if text.text[:end].endswith(' ') else ' '}{comment}", above=False)


def _line_end(line: int, text: Text) -> str:
    return "\r\n" if text.text[text.end(line) :].startswith("\r\n") else "\n"


def _serves(case: Case, issue: Issue, text: Text, place: Insertion) -> bool:
    """Return whether the finding is silent then, all others are as they were, and the file says the same."""
    path, line = issue.location.file, issue.location.line_start or 1
    line += place.above and place.offset <= text.start(line)
    new = f"{text.text[: place.offset]}{place.text}{text.text[place.offset :]}"
    after = case.skill.replaced({path: new.encode("utf-8", "replace")})
    comment = place.text.strip()
    if _shape(case.skill, path, comment) != _shape(after, path, comment):
        return False
    was, now = _found(case, issue.pattern), _found(case.with_skill(after), issue.pattern)
    mine = [finding for finding in now if (finding.file, finding.line) == (path, line)]
    return len(was) == len(now) and bool(mine) and all(finding.suppressed_by for finding in mine)


def _found(case: Case, id: str) -> tuple[Finding, ...]:
    return scan(case, [all_patterns()[id]]).findings


def _shape(skill: Skill, path: str, comment: str) -> object:
    """Return what a file says, without the comment: its code, its frontmatter, and the parts of its Markdown."""
    file = skill.by_path[path]
    codes = [_tree(code) for code in file.codes]
    if not file.is_markdown:
        return codes
    doc = file.doc
    return (
        codes,
        (skill.frontmatter.values, skill.frontmatter.error) if path == skill.main.path else None,
        [(section.level, section.title.strip()) for section in doc.sections],
        [fence.lang for fence in doc.fences],
        [link.url for link in doc.links],
        [span.text for span in doc.spans],
        [tuple(cell for cell in row.cells if cell) for row in doc.rows],
        [number for _, number in doc.numbered],
        [(block.kind, block.text.replace(comment, "").strip()) for block in doc.blocks if block.kind != "code"],
    )


def _tree(code: Code) -> list[tuple[str, int, str]]:
    """Return the nodes of a tree in order, comments left out: type, number of parts, and the text of a leaf."""
    found, waiting = [], [code.root]
    while waiting:
        node = waiting.pop()
        parts = [part for part in node.children if part.type not in _COMMENTS]
        found.append((node.type, len(parts), "" if node.children else code.text_of(node)))
        waiting.extend(reversed(parts))
    return found
