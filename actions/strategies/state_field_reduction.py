"""Takes out of the state the fields that nothing in the skill names besides the declaration itself."""

import re
from collections.abc import Iterable

from actions.facts.state.fields import StateBlock, state_blocks
from actions.skill import Case, Skill, SkillFile
from actions.skill.places import lines_naming
from actions.strategies.edits import Edit, edit, rewritten
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy(name="state_field_reduction", mends=("TKN-002", "APV-003"), risk=Risk.MEDIUM)
_MOST = 15
_OPENS = re.compile(r"[\[{(]\s*(?://.*)?$")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the smaller state; None where too many fields are in use, or one cannot be cut out line by line."""
    blocks = state_blocks(case.skill)
    wide = next((b for b in blocks if (b.file, b.start) == (issue.location.file, issue.location.line_start)), None)
    dead = _unused(case.skill, wide, blocks) if wide else []
    if wide is None or not dead or len(wide.fields) - len(dead) > _MOST:
        return None
    writes: dict[str, bytes | None] = {}
    drops: list[str] = []
    for path in sorted({block.file for block in blocks}):
        file = case.skill.by_path[path]
        edits = [e for block in blocks if block.file == path for e in _cut(file, block, frozenset(dead))]
        if edits:
            writes[path] = edit(file, edits)
            drops.extend(rewritten(file, edits))
    names = ", ".join(f"`{name}`" for name in dead)
    return Draft(
        writes=writes,
        description=f"Takes {names} out of the state.",
        rationale="Nothing in the skill sets, tests or reads them.",
        impact=f"The state has {len(wide.fields) - len(dead)} fields instead of {len(wide.fields)}.",
        token_limit=0,
        drops=tuple(drops),
    )


def _unused(skill: Skill, wide: StateBlock, blocks: Iterable[StateBlock]) -> list[str]:
    """Give the fields that stand on a line of their own and that no other line of any file names."""
    declared = {(block.file, line) for block in blocks for _, line in block.fields}
    found = []
    for name, line in wide.fields:
        alone = sum(other == line for _, other in wide.fields) == 1
        if alone and not _OPENS.search(skill.by_path[wide.file].doc.line(line)) and not _named(skill, name, declared):
            found.append(name)
    return found


def _named(skill: Skill, name: str, declared: set[tuple[str, int]]) -> bool:
    return any((file.path, number) not in declared for file, number, _ in lines_naming(skill, name))


def _cut(file: SkillFile, block: StateBlock, dead: frozenset[str]) -> Iterable[Edit]:
    """Give the edits that cut the fields' lines; in JSON the last field left loses its comma."""
    lines = sorted({line for name, line in block.fields if name in dead})
    if not lines:
        return
    yield from (Edit(line, line, []) for line in lines)
    left = [line for name, line in block.fields if name not in dead]
    if block.lang == "json" and left and max(lines) > max(left):
        last = max(
            number for number in range(block.start, block.end) if number not in lines and file.doc.line(number).strip()
        )
        yield Edit(last, last, [file.doc.line(last).rstrip().removesuffix(",")])


_USED = (
    "phase",
    "round",
    "verdict",
    "files",
    "plan",
    "goal",
    "owner",
    "branch",
    "ticket",
    "score",
    "report",
    "locale",
    "risk",
)
_DEAD = ("deadline", "mood", "weather")
_HOW = "\n".join(f"- `{name}` is set in the first step and read in the last." for name in _USED)


def _json(names: Iterable[str]) -> str:
    return (
        "# Loop\n\nThe state lives in `state.json`:\n\n```json\n{\n"
        + ",\n".join(f'  "{n}": null' for n in names)
        + f"\n}}\n```\n\n{_HOW}\n"
    )


def _type(names: Iterable[str]) -> str:
    fields = "\n".join(f"  {name}: string;" for name in names)
    return (
        f"# 循环\n\n状态保存在 `state.json`。\n\n```typescript\ninterface LoopState {{\n{fields}\n}}\n```\n\n{_HOW}\n"
    )


BEFORE = (_json((*_USED, *_DEAD)), _type((*_DEAD, *_USED)))
AFTER = (_json(_USED), _type(_USED))
