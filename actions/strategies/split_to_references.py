"""Moves what only one branch, a late phase or a sub-agent needs out of SKILL.md into files that are read then.

The heading stays with one line that says when to read the file; links of the moved text go on to resolve. Text that
SKILL.md and a reference hold in the same words stays in the reference alone. Sections with rules that bind everywhere, and
sections that lean on their place ("the table above", `$ARGUMENTS`), do not move.
"""

from collections.abc import Sequence

from actions.model import Case, Skill
from actions.model.budget import lost_rules
from actions.model.deferral import Deferrable, deferrables, heavy_groups, is_overloaded
from actions.model.moving import is_movable, moved
from actions.model.text import tokens_of
from actions.model.verbatim import copies
from actions.strategies.edits import Edit, edit, new_file
from actions.strategies.strategy import Draft, Strategy
from schemas.records import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy(
    name="split_to_references",
    mends=("CTX-005", "CTX-006", "TKN-006", "TKN-007"),
    risk=Risk.MEDIUM,
    aliases=("lazy_loading", "prompt_compression"),
)
_PER_FILE = 60
_LEAST_COPY = 600


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the move for the issue's pattern; None where no set of movable sections mends it."""
    skill = case.skill
    if issue.pattern == "TKN-006":
        return _without_copy(issue, skill)
    chosen = _chosen(issue, skill)
    return _moved(skill, chosen) if chosen else None


def _chosen(issue: Issue, skill: Skill) -> Sequence[Deferrable]:
    if issue.pattern == "TKN-007":
        group = next((g for g in heavy_groups(skill) if g[0].section.start == issue.location.line_start), ())
        movable = [item for item in group if is_movable(skill, item.section)]
        return movable if not any(g[0] in group for g in heavy_groups(_trial(skill, movable))) else ()
    return _enough(skill, issue.pattern)


def _enough(skill: Skill, pattern: str) -> Sequence[Deferrable]:
    """Give as few of the heaviest groups as mend the pattern, then single sections; none if all together do not."""
    singles = [(item,) for item in deferrables(skill)]
    heavy = [group for group in heavy_groups(skill) if len(group) > 1]
    groups = sorted(heavy, key=_weight, reverse=True) + sorted(singles, key=_weight, reverse=True)
    chosen: list[Deferrable] = []
    for group in groups:
        fresh = [item for item in group if item not in chosen and is_movable(skill, item.section)]
        chosen = sorted([*chosen, *fresh], key=lambda item: item.section.start)
        trial = _trial(skill, chosen)
        if fresh and not (lost_rules(trial) if pattern == "CTX-006" else is_overloaded(trial)):
            return chosen
    return ()


def _weight(group: Sequence[Deferrable]) -> int:
    return sum(item.tokens for item in group)


def _writes(skill: Skill, items: Sequence[Deferrable]) -> dict[str, bytes | None]:
    result = moved(skill, items)
    writes: dict[str, bytes | None] = {path: new_file("\n".join(lines)) for path, lines in result.files.items()}
    whole = Edit(1, len(skill.main.doc.lines), result.main)
    return {**writes, skill.main.path: edit(skill.main, [whole])}


def _trial(skill: Skill, items: Sequence[Deferrable]) -> Skill:
    return skill.replaced(_writes(skill, items)) if items else skill


def _moved(skill: Skill, items: Sequence[Deferrable]) -> Draft:
    writes = _writes(skill, items)
    names = ", ".join(f"“{item.section.title}”" for item in items)
    tokens = sum(item.tokens for item in items)
    return Draft(
        writes=writes,
        description=f"Moves {names} to {', '.join(path for path in writes if path != skill.main.path)}.",
        rationale="Only some uses of the skill, or only its late phases, need this text.",
        impact=f"SKILL.md is about {tokens} tokens shorter; the text is read when it is needed.",
        token_limit=_PER_FILE * len(items),
    )


def _without_copy(issue: Issue, skill: Skill) -> Draft | None:
    start = issue.location.line_start
    files = (file for file in skill.instructions if file is not skill.main)
    found = next((c for file in files for c in copies(skill.main, file, _LEAST_COPY) if c.start == start), None)
    if found is None:
        return None
    told = f"[{found.other}]({found.other})"
    line = f"详见 {told}，需要时阅读。" if skill.is_chinese else f"Read {told} when you need the details."
    return Draft(
        writes={skill.main.path: edit(skill.main, [Edit(found.start, found.end, [line])])},
        description=f"Replaces the copy in SKILL.md by a reference to {found.other}.",
        rationale="The same words stand in the reference.",
        impact=f"SKILL.md is about {tokens_of(found.characters)} tokens shorter.",
        token_limit=0,
    )


BEFORE = ()
AFTER = ()
