"""A request that a run writes down at its start, and by which it does not check its outcome at the end."""

import re

from actions.facts.dataflow.artifacts import Mode, Use, artifact_uses
from actions.facts.dataflow.file_names import base
from actions.facts.memory import words as w
from actions.facts.memory.admitting import Said
from actions.facts.memory.plan import Plan, plan_of
from actions.skill.skill import Role, Skill
from actions.skill.statements import statements

_REQUEST = re.compile(
    r"(?:^|[-_])(?:requests?|brief|wish(?:es)?|requirements?|goals?|wants?|mandate|commission)(?:[-_][\w-]*)?\.(?:md|json|ya?ml)$",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`]*`(?: and `[^`]*`)*")
_WISHED = re.compile(
    r"\b(?:requests?|wish(?:es)?|asked|wanted|wants|brief|requirements?|goals?|criteria|expectations?|objectives?)\b"
    r"|要求|需求|请求|委托|原话|目标|诉求|意图",
    re.IGNORECASE,
)


def unheeded_request(skill: Skill) -> Said | None:
    """Give the place where the last step hands the outcome over, else its first line.

    An earlier step writes the request to a file of its own; neither the last two steps name it, nor does any sentence
    check something by it or by what was asked for.
    """
    plan = plan_of(skill)
    uses = artifact_uses(skill) if plan else ()
    written = [use for use in uses if use.mode is Mode.WRITE and _REQUEST.search(base(use.name))]
    if plan is None or not any(_is_before(plan, use) for use in written):
        return None
    places = {(use.file, use.line) for use in written}
    stems = re.compile("|".join(re.escape(base(use.name).rsplit(".", 1)[0]) for use in written), re.IGNORECASE)
    if any(stems.search(plan.file.doc.line(n)) for n in range(_last_but_one(plan), plan.end + 1)):
        return None
    told = [(file, said) for file in skill.instructions for said in statements(file, w.OUTCOME)]
    about = ((file, said) for file, said in told if stems.search(said.text) or _WISHED.search(said.text))
    if any(w.CHECKS.search(said.text) and (file.path, said.line) not in places for file, said in about):
        return None
    last = (said for file, said in told if file is plan.file and plan.start <= said.line <= plan.end)
    ends = max((said.line for said in last if w.DELIVERS.search(_CODE.sub("it", said.text))), default=plan.start)
    return Said(plan.file, ends, plan.file.doc.line(ends).strip())


def _is_before(plan: Plan, use: Use) -> bool:
    return use.file != plan.file.path or use.line < plan.start


def _last_but_one(plan: Plan) -> int:
    """Give the line where the last step but one of a list begins; where the plan is no list, the last step."""
    if plan.file.role is Role.PHASE or plan.file.doc.line(plan.start).startswith("#"):
        return plan.start
    return max((n for n, _ in plan.file.doc.numbered if n < plan.start), default=plan.start)
