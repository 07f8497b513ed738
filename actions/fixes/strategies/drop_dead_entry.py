"""Takes the entries out of a list of references whose file is not there, all dead ones of the list together.

Only an entry that is nothing but the reference and what it is about, in a list or a table of which every entry is such a
reference and one at least stays. No parser knows whether words beside it are an order: with such the risk is high.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import groupby

from actions.case import Case
from actions.fixes.strategies.edits import Edit, RemovedStatements, apply_edits
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.skill import Role, Skill, SkillFile
from actions.skill.paths import role_of
from actions.skill.references import Reference, missing
from actions.skill.similar_names import candidates
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("drop_dead_entry", mends=("SPEC-005", "DF-009"), risk=Risk.LOW)
_ENTRY = re.compile(
    r"^(?P<mark>[-*+]\s+|\|\s*)(?:\*\*)?(?:\[[^\]\n]*\]\((?P<link>[^)\s]+)\)|`(?P<span>[^`\n]+)`)(?:\*\*)?"
    r"(?:\s*$|\s*(?:[:：|(（]|[-–—]\s)(?P<about>.*)$)"
)
"""A top-level item or a row that begins with a reference; what follows it is set off."""
_RULER = re.compile(r"^\|[\s:|-]+\|?\s*$")
_MORE = re.compile(r"[.;!?,。；，] *\w|\]\(|`")
_ASIDE = (Role.REFERENCE, Role.ASSET, Role.DOC)
"""What is read for more; a missing step, specification or script is no dead entry."""


def propose(issue: Issue, case: Case) -> Draft | None:
    """Return the removal of the dead entries of the list in which the issue stands."""
    skill, file, line = case.skill, case.skill.by_path.get(issue.location.file), issue.location.line_start
    lines = _dead_with(skill).get((file.path, line or 0)) if file else None
    if file is None or lines is None:
        return None
    about = " ".join(f"“{text}”" for number in sorted(lines) if (text := _about(file, number)))
    told = ", ".join(dict.fromkeys(f"`{one.target}`" for one in missing(skill, file) if one.line in lines))
    writes = {file.path: apply_edits(file, [Edit(number, number, []) for number in lines])}
    return Draft(
        writes=writes,
        description=f"Take {told} out of the list in {file.path}.",
        rationale="There is no such file, and none that could be meant. If it was only forgotten, add it instead."
        + f" What stands beside it goes too: {about}" * bool(about),
        impact="The model no longer looks for a file that is not there.",
        token_limit=0,
        drops=RemovedStatements(skill, writes, [(file.path, number) for number in lines]),
        risk=Risk.HIGH if about else None,
    )


@memoize
def _dead_with(skill: Skill) -> Mapping[tuple[str, int], frozenset[int]]:
    """Return, by file and line of a dead entry, the lines of all that go with it: of one kind in a list; one stays."""
    found = ((file.path, lines) for file in skill.files if file.is_markdown for lines in _dead(skill, file))
    return {(path, line): lines for path, lines in found for line in lines}


def _dead(skill: Skill, file: SkillFile) -> Iterator[frozenset[int]]:
    dead = group_by_key((reference.line, reference) for reference in missing(skill, file))
    for entries in _lists(file) if dead else ():
        found = (one for line in entries for one in dead.get(line, ()) if _is_dead_entry(skill, file, one))
        kinds = map(frozenset, group_by_key((_kind(one), one.line) for one in found).values())
        yield from (lines for lines in kinds if len(lines) < len(entries))


def _kind(reference: Reference) -> tuple[str, str]:
    """Return what the dead entries of one list have in common: links, or paths below one folder."""
    return reference.kind, reference.target.partition("/")[0] if reference.kind == "span" else ""


def _lists(file: SkillFile) -> Iterator[list[int]]:
    """Return the lines of each list or table, up to empty lines, of which each entry begins with a reference."""
    heads = {row.line for row in file.doc.rows if row.is_head}
    for _, group in groupby(enumerate(file.doc.lines, 1), lambda line: not line[1].strip()):
        entries = {number: text for number, text in group if number not in heads and not _RULER.match(text)}
        if all(map(_ENTRY.match, entries.values())):
            yield list(entries)


def _is_dead_entry(skill: Skill, file: SkillFile, reference: Reference) -> bool:
    match, about = _ENTRY.match(file.doc.line(reference.line)), _about(file, reference.line)
    is_it = match and reference.target in (match["link"] or match["span"]) and not _MORE.search(about)
    return bool(is_it) and role_of(reference.target) in _ASIDE and not candidates(skill, reference.target, file.path)


def _about(file: SkillFile, line: int) -> str:
    """Return what an entry says beside its reference."""
    match = _ENTRY.match(file.doc.line(line))
    return (match["about"] or "").strip("| )）") if match else ""


_LIST = """# Audit

- [Scale](references/scale.md): the grades
{}"""
_TABLE = """# 审查

| 文档 | 用途 |
|---|---|
{}| [评分](references/scale.md) | 评分标准 |
"""
_DEAD = "- [Cases](references/2019/cases.md) - worked cases\n- [Rulings](references/2019/rulings.md)\n"
_SCALE = {"references/scale.md": "# Scale\n\nFour grades.\n"}
BEFORE = (
    {"SKILL.md": _LIST.format(_DEAD), **_SCALE},
    {"SKILL.md": _TABLE.format("| [历史案例](references/history/2019.md) | 过往案例 |\n"), **_SCALE},
)
AFTER = ({"SKILL.md": _LIST.format(""), **_SCALE}, {"SKILL.md": _TABLE.format(""), **_SCALE})
