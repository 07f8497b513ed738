"""Long numbered lists of heavy steps that are to be worked off in one go."""

from actions.facts.memory.admitting import Said
from actions.facts.memory.keeping import never_resumes
from actions.facts.memory.plan import plan_of
from actions.model import regex as re
from actions.model.skill import MAIN, Skill

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
_LONG = 7
_VERY_LONG = 8
_HEAVY = 3
_ABOVE = 4


def heavy_list(skill: Skill) -> Said | None:
    """Give the sentence that sets a list of seven steps and more in motion.

    Three of them (of eight, one) work through much of a kind, and neither they nor any other line notes what is done.
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
    noted = lead and any(_NOTES.search(line) for file in skill.instructions for _, line in file.doc.prose)
    return Said(plan.file, lead[0], lead[1]) if lead and not noted else None
