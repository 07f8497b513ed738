"""Long numbered lists of heavy steps that are to be worked off in one go."""

import re

from actions.facts.dataflow.artifacts import Mode, artifact_uses
from actions.facts.memory.admitting import Said
from actions.facts.memory.keeping import never_resumes
from actions.facts.memory.plan import Plan, plan_of
from actions.skill.skill import MAIN, Skill

_IN_ORDER = re.compile(
    r"\b(?:one after (?:another|the other)|one by one|in (?:this |the given )?order|in turn|step by step"
    r"|from top to bottom"
    r"|without (?:a )?(?:stop|break|pause))\b|一步接一步|依次|按顺序|逐步|一步一步|从头到尾|先后",
    re.IGNORECASE,
)
_BULK = re.compile(
    r"\b(?:each|every|all(?: of)? the|one by one|hundreds?|thousands?)\b|\bthe \w{3,}s (?:in|of|from|to|through"
    r"|into|and)\b|逐|每|全部|所有|各",
    re.IGNORECASE,
)
_NOTES = re.compile(
    r"\b(?:progress|check-?points?|to-?dos?|ticks?|logs?|notes?|noted|states?|commits?|records?|journal|ledger"
    r"|marks?|status)\b|记|进度|打勾|标记|勾选|存档",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"\b(?:progress|check-?points?|to-?dos?|ticks?(?:ed)? off|journal|ledger|commits?|sub-?agents?|ask(?:s|ed)?)\b"
    r"|记[到在入]|进度|打勾|勾选",
    re.IGNORECASE,
)
_LONG = 7
_VERY_LONG = 8
_HEAVY = 3
_ABOVE = 4


def heavy_list(skill: Skill) -> tuple[Said, bool] | None:
    """Give the sentence that sets a list of seven steps and more in motion, else its first step; and which it is.

    Three of them (of eight behind such a sentence, one) work through much of a kind, and no line notes what is done;
    where no sentence says that they follow one another, none but the last leaves anything.
    """
    plan = plan_of(skill)
    if plan is None or plan.count < _LONG or plan.file.path != MAIN or not never_resumes(skill):
        return None
    doc = plan.file.doc
    steps = [line for line, _ in doc.numbered if line <= plan.end][-plan.count :]
    heavy = sum(bool(_BULK.search(doc.line(line))) for line in steps)
    if len(steps) < plan.count or heavy < (_HEAVY if plan.count < _VERY_LONG else 1):
        return None
    told = ((n, doc.prose_at.get(n, "")) for n in range(max(1, steps[0] - _ABOVE), steps[0]))
    lead = next(((n, line) for n, line in told if _IN_ORDER.search(line)), None)
    if lead is None:
        alone = heavy >= _HEAVY and not _is_left(skill, plan)
        return (Said(plan.file, steps[0], doc.line(steps[0]).strip()), False) if alone else None
    noted = any(_NOTES.search(line) for file in skill.instructions for _, line in file.doc.prose)
    return None if noted else (Said(plan.file, lead[0], lead[1]), True)


def _is_left(skill: Skill, plan: Plan) -> bool:
    """Tell whether any step but the last leaves something: a file, a mark, an answer of the user."""
    written = (use for use in artifact_uses(skill) if use.mode is not Mode.READ)
    if any(use.file != plan.file.path or not plan.start <= use.line <= plan.end for use in written):
        return True
    return any(_LEAVES.search(line) for file in skill.instructions for _, line in file.doc.prose)
