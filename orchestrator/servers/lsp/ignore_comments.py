"""Find where to insert an ignore comment that suppresses one finding and no other.

Each possible position is tried in memory: the pattern is checked again, and the structure of the file must be the
same as before, apart from comments.
"""

from collections.abc import Iterator, Sequence

import msgspec

from actions.case import Case
from actions.code.fences import parse_fence
from actions.code.tree import Code
from actions.patterns import get_patterns
from actions.patterns.pattern import Finding
from actions.scoring.scan import scan
from actions.skill import Skill, SkillFile
from actions.skill.text import is_item
from orchestrator.servers.lsp.positions import Text
from schemas.issues import Issue, Place

_COMMENT_TYPES = frozenset({"comment", "html_comment"})


class Insertion(msgspec.Struct, frozen=True):
    """A text to insert into a file at `offset`. is_own_line: whether it becomes a line of its own above the finding."""

    offset: int
    text: str
    is_own_line: bool


def find_insertion(case: Case, issue: Issue, text: Text) -> Insertion | None:
    """Return the insertion of a comment that suppresses a finding, or None. text: the text of the finding's file."""
    file = case.skill.by_path.get(issue.location.file)
    line = issue.location.line_start or 1
    candidates = _list_candidates(file, line, issue.pattern, text) if file else ()
    return next((candidate for candidate in candidates if _is_suitable(case, issue, text, candidate)), None)


def _list_candidates(file: SkillFile, line: int, id: str, text: Text) -> Iterator[Insertion]:
    comment, doc = f"tune-skill: ignore {id}", file.doc
    fence = doc.fence_at(line) if file.is_markdown else None
    if not file.is_markdown:
        yield from _list_candidates_in_code(file.codes, comment, line, text)
    elif line < doc.body_start:
        yield _insert_above(max(line, 2), f"# {comment}", text)
    elif fence:
        code = parse_fence(fence.lang, "\n".join(doc.lines_inside(fence)), fence.start + 1)
        if code and fence.start < line:
            yield from _list_candidates_in_code([code], comment, line, text)
        yield _insert_above(fence.start, f"<!-- {comment} -->", text)
    else:
        markdown = f"<!-- {comment} -->"
        above, at_end = _insert_above(line, markdown, text), _insert_at_end(line, markdown, text)
        starts_paragraph = not doc.line(line - 1).strip() and not is_item(doc.line(line))
        yield from (above, at_end) if starts_paragraph else (at_end, above)


def _list_candidates_in_code(codes: Sequence[Code], comment: str, line: int, text: Text) -> Iterator[Insertion]:
    for mark in {code.language.comment for code in codes}:
        if not text.text.startswith("#!") or line > 1:
            yield _insert_above(line, f"{mark} {comment}", text)
        yield _insert_at_end(line, f"{mark} {comment}", text)


def _insert_above(line: int, comment: str, text: Text) -> Insertion:
    start = text.start(line)
    line_text = text.text[start : text.end(line)]
    indent = line_text[: len(line_text) - len(line_text.lstrip())]
    return Insertion(start, f"{indent}{comment}{_get_line_end(line, text)}", is_own_line=True)


def _insert_at_end(line: int, comment: str, text: Text) -> Insertion:
    end = text.end(line)
    return Insertion(end, f"{'' if text.text[:end].endswith(' ') else ' '}{comment}", is_own_line=False)


def _get_line_end(line: int, text: Text) -> str:
    return "\r\n" if text.text[text.end(line) :].startswith("\r\n") else "\n"


def _is_suitable(case: Case, issue: Issue, text: Text, insertion: Insertion) -> bool:
    """Return whether an insertion suppresses the finding, suppresses no other, and keeps the structure of the file."""
    path, line = issue.location.file, issue.location.line_start or 1
    if insertion.is_own_line and insertion.offset <= text.start(line):
        line += 1  # the comment moves the finding one line down
    new_text = f"{text.text[: insertion.offset]}{insertion.text}{text.text[insertion.offset :]}"
    new_skill = case.skill.with_files({path: new_text.encode("utf-8", "replace")})
    comment = insertion.text.strip()
    if _build_outline(case.skill, path, comment) != _build_outline(new_skill, path, comment):
        return False
    before, after = _check_again(case, issue.pattern), _check_again(case.with_skill(new_skill), issue.pattern)
    at_line = [finding for finding, place in after if (place.file, place.line_start) == (path, line)]
    return len(before) == len(after) and bool(at_line) and all(finding.suppressed_by for finding in at_line)


def _check_again(case: Case, id: str) -> list[tuple[Finding, Place]]:
    """Check a pattern again. Returns a pair for each finding and each of its places."""
    findings = scan(case, [get_patterns()[id]]).findings
    return [(finding, place) for finding in findings for place in finding.locations]


def _build_outline(skill: Skill, path: str, comment: str) -> object:
    """Return the structure of a file: its code, its frontmatter and the parts of its Markdown.

    comment: the inserted comment, which is left out.
    """
    file = skill.by_path[path]
    codes = [_list_nodes(code) for code in file.codes]
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


def _list_nodes(code: Code) -> list[tuple[str, int, str]]:
    """Return the nodes of a syntax tree in order, without comments.

    A node is a tuple of its type, its number of children and, for a leaf, its text.
    """
    nodes, stack = [], [code.root]
    while stack:
        node = stack.pop()
        parts = [part for part in node.children if part.type not in _COMMENT_TYPES]
        nodes.append((node.type, len(parts), "" if node.children else code.text_of(node)))
        stack.extend(reversed(parts))
    return nodes
