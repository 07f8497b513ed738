"""Takes out an order that a rule of more authority forbids: a spec before a phase, a phase before SKILL.md.

Only the prohibition stays: what a skill must never do is not given up for what it should do. Two rules of one file, or
a prohibition of less authority, are left to the author; so is an order that is more than a sentence of its own.
"""

from actions.facts.docs.authority import AUTHORITY
from actions.facts.docs.negations import Opposites, opposites
from actions.skill import Case, Skill, SkillFile
from actions.skill.text import plain, sentences, strip_list_mark
from actions.strategies.edits import Edit, edit, indent_of
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Confidence, Risk

STRATEGY = Strategy("drop_contradicted_rule", mends=("DOC-CON-003",), risk=Risk.HIGH)
_BULLETS = ("- ", "* ", "+ ")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the removal of the order; None where the prohibition has not more authority, or more would go with it."""
    skill, place = case.skill, (issue.location.file, issue.location.line_start)
    pair = next((pair for pair in opposites(skill) if (pair.file, pair.line) == place), None)
    change = _without(skill.by_path[pair.other], pair) if pair and _outranks(skill, pair) else None
    if pair is None or change is None:
        return None
    return Draft(
        writes={pair.other: edit(skill.by_path[pair.other], [change])},
        description=f"Two candidates: “{pair.text[:100]}” ({pair.file}:{pair.line}) and “{pair.demand[:100]}”"
        f" ({pair.other}:{pair.at}); keeps the first.",
        rationale="Both cannot be followed. A spec goes before a phase, a phase before SKILL.md, that before a reference;"
        " unasked, only `--apply all` takes it.",
        impact="Every reader of the skill follows the same rule.",
        token_limit=0,
        drops=(pair.demand,),
        confidence=Confidence.MEDIUM,
    )


def _outranks(skill: Skill, pair: Opposites) -> bool:
    no, yes = (AUTHORITY.get(skill.by_path[path].role) for path in (pair.file, pair.other))
    return no is not None and yes is not None and no < yes


def _without(file: SkillFile, pair: Opposites) -> Edit | None:
    """Give the edit that takes the order out: a bullet beside others, or one sentence of several."""
    line = file.doc.line(pair.at)
    if pair.demand not in sentences(strip_list_mark(line)):
        return None
    if plain(line) == plain(pair.demand):
        return Edit(pair.at, pair.at, []) if _is_bullet_beside_others(file, pair.at) else None
    head, _, tail = line.partition(pair.demand)
    return Edit(pair.at, pair.at, [f"{head}{tail.lstrip()}".rstrip()])


def _is_bullet_beside_others(file: SkillFile, number: int) -> bool:
    line, below = file.doc.line(number), file.doc.line(number + 1)
    nested = bool(below.strip()) and len(indent_of(below)) > len(indent_of(line))
    beside = (file.doc.line(n).lstrip() for n in (number - 1, number + 1))
    return line.lstrip().startswith(_BULLETS) and not nested and any(text.startswith(_BULLETS) for text in beside)


BEFORE = (
    {
        "SKILL.md": "# Plan\n\n- Always commit the plan file.\n- Ask the owner.\n\nRead `phases/01-plan.md`.\n",
        "phases/01-plan.md": "# Plan\n\nWrite the plan. **Never commit the plan file.**\n",
    },
    {
        "SKILL.md": "# 发布\n\n先写变更说明。必须修改锁定文件。再读 `specs/rules.md`。\n",
        "specs/rules.md": "# 规则\n\n- 禁止修改锁定文件。\n",
    },
)
AFTER = (
    {
        "SKILL.md": "# Plan\n\n- Ask the owner.\n\nRead `phases/01-plan.md`.\n",
        "phases/01-plan.md": "# Plan\n\nWrite the plan. **Never commit the plan file.**\n",
    },
    {
        "SKILL.md": "# 发布\n\n先写变更说明。再读 `specs/rules.md`。\n",
        "specs/rules.md": "# 规则\n\n- 禁止修改锁定文件。\n",
    },
)
