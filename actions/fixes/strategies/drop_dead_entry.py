"""Remove entries from a list or table of references if their file does not exist.

Each entry of the list must begin with a reference, and at least one entry must stay. All dead links of a list are
removed together, as are all dead code spans with the same top folder. If a note follows the reference, the risk is
high, because the note may be an instruction.
"""

from collections.abc import Iterator, Mapping
from itertools import groupby

from actions.case import Case
from actions.fixes.strategies.edits import Edit, RemovedStatements, apply_edits
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.regex import regex
from actions.skill import Role, Skill, SkillFile
from actions.skill.paths import get_role
from actions.skill.references import Reference, find_missing_targets
from actions.skill.similar_names import find_candidates
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("drop_dead_entry", fixes=("SPEC-005", "DF-009"), risk=Risk.LOW, max_risk=Risk.HIGH)
_ENTRY = regex(
    r"^(?P<mark>[-*+]\s+|\|\s*)(?:\*\*)?(?:\[[^\]\n]*\]\((?P<link>[^)\s]+)\)|`(?P<span>[^`\n]+)`)(?:\*\*)?"
    r"(?:\s*$|\s*(?:[:：|(（]|[-–—]\s)(?P<about>.*)$)"
)
"""A top-level item or row that begins with a reference, with a separator before any other text."""
_RULER = regex(r"^\|[\s:|-]+$")
_LONG_NOTE = regex(r"[.;!?,。；，] *\w|\]\(|`")
"""A second clause, a second link or a code span, none of which is part of a short note."""
_OPTIONAL_ROLES = (Role.REFERENCE, Role.ASSET, Role.DOC)
"""Roles of files that need not be read. An entry for a missing step, specification or script is not removed."""


def propose(issue: Issue, case: Case) -> Draft | None:
    """Remove the dead entries at the issue's places and the entries that are grouped with them.

    Returns None if one of the places has no dead entry.
    """
    skill = case.skill
    groups = [
        _map_removed_together(skill).get((place.file, place.line_start or 0), frozenset()) for place in issue.places
    ]
    if not all(groups):
        return None
    pairs = zip(issue.places, groups, strict=True)
    entries = dict.fromkeys((place.file, number) for place, lines in pairs for number in sorted(lines))
    lines = {skill.by_path[path]: numbers for path, numbers in group_by_key(entries).items()}
    notes = " ".join(f"“{text}”" for path, number in entries if (text := _get_entry_text(skill.by_path[path], number)))
    dead = (
        reference
        for file in lines
        for reference in find_missing_targets(skill, file)
        if (reference.file, reference.line) in entries
    )
    targets = ", ".join(dict.fromkeys(f"`{reference.target}`" for reference in dead))
    writes = {file.path: apply_edits(file, [Edit(n, n, []) for n in numbers]) for file, numbers in lines.items()}
    return Draft(
        writes=writes,
        description=f"Remove {targets} from the list in {' and '.join(writes)}.",
        rationale="The file does not exist, and no file has a similar name. If the file was forgotten, add it instead."
        + (f" The text of the entry is removed, too: {notes}" if notes else ""),
        impact="The model no longer looks for a file that does not exist.",
        token_limit=0,
        drops=RemovedStatements(skill, writes, list(entries)),
        risk=Risk.HIGH if notes else None,
    )


@memoize
def _map_removed_together(skill: Skill) -> Mapping[tuple[str, int], frozenset[int]]:
    """Map (path, line number) of a dead entry to the numbers of all lines that are removed with it."""
    files = (file for file in skill.files if file.is_markdown)
    groups = ((file.path, lines) for file in files for lines in _find_dead_entries(skill, file))
    return {(path, line): lines for path, lines in groups for line in lines}


def _find_dead_entries(skill: Skill, file: SkillFile) -> Iterator[frozenset[int]]:
    """Yield the line numbers of the dead entries in each list, one set per kind, unless all its entries are dead."""
    dead = group_by_key((reference.line, reference) for reference in find_missing_targets(skill, file))
    for entries in _find_reference_lists(file) if dead else ():
        references = (reference for line in entries for reference in dead.get(line, ()))
        found = [reference for reference in references if _is_dead_entry(skill, file, reference)]
        if len({reference.line for reference in found}) < len(entries):
            by_kind = group_by_key((_get_kind(reference), reference.line) for reference in found)
            yield from map(frozenset, by_kind.values())


def _get_kind(reference: Reference) -> tuple[str, str]:
    """Return the kind of a reference and, for a code span, its top folder."""
    return reference.kind, reference.target.partition("/")[0] if reference.kind == "span" else ""


def _find_reference_lists(file: SkillFile) -> Iterator[list[int]]:
    """Yield the line numbers of the entries of each list or table in which every entry begins with a reference."""
    headers = {row.line for row in file.doc.rows if row.is_head}
    # Any block of lines between two blank lines may be a list or table.
    for _, group in groupby(enumerate(file.doc.lines, 1), lambda line: not line[1].strip()):
        entries = {number: text for number, text in group if number not in headers and not _RULER.match(text)}
        if all(map(_ENTRY.match, entries.values())):
            yield list(entries)


def _is_dead_entry(skill: Skill, file: SkillFile, reference: Reference) -> bool:
    """Return whether an entry consists of this reference, and the file is optional and has no likely replacement."""
    match, note = _ENTRY.match(file.doc.line(reference.line)), _get_entry_text(file, reference.line)
    is_entry = match and reference.target in (match["link"] or match["span"]) and not _LONG_NOTE.search(note)
    return (
        bool(is_entry)
        and get_role(reference.target) in _OPTIONAL_ROLES
        and not find_candidates(skill, reference.target, file.path)
    )


def _get_entry_text(file: SkillFile, line: int) -> str:
    match = _ENTRY.match(file.doc.line(line))
    return (match["about"] or "").strip("| )）") if match else ""


_LIST = """# Audit

- [Scale](references/scale.md): the grades
{dead}"""
_DEAD = """\
- [Cases](references/2019/cases.md) - worked cases
- [Rulings](references/2019/rulings.md)
"""
_TABLE = """# 审查

| 文档 | 用途 |
|---|---|
{dead}| [评分](references/scale.md) | 评分标准 |
"""
_DEAD_ROW = "| [历史案例](references/history/2019.md) | 过往案例 |\n"
_DEAD_LINK = "- [Rulings](references/2019/rulings.md)\n"
_SCALE = {"references/scale.md": "# Scale\n\nFour grades.\n"}
BEFORE = (
    {"SKILL.md": _LIST.format(dead=_DEAD), **_SCALE},
    {"SKILL.md": _TABLE.format(dead=_DEAD_ROW), **_SCALE},
    {"SKILL.md": _LIST.format(dead=_DEAD_LINK), **_SCALE},
)
AFTER = tuple({"SKILL.md": text.format(dead=""), **_SCALE} for text in (_LIST, _TABLE, _LIST))
