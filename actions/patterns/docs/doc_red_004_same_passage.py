"""A passage stands in two files, in the same or nearly the same words.

What it sees: Prose, tables, templates and data of 40 words or more (or three sentences and more) that two instruction files hold,
a changed word or line here and there included; code of the skill itself from 90 words on; and a long sentence.
Why it is bad: One of the two will be changed alone one day, and then the skill says two things. Where both files are
read, the passage is paid twice.
Instead: Keep it in one place (a spec before a phase, a phase before SKILL.md, that before a reference) and link to it from the other.
May be wrong: Files for different sub-agents must each be whole, references may be read one at a time, and SKILL.md may repeat
what must not be missed; a short passage costs little. These are low.
"""

from collections.abc import Iterator

from actions.facts.docs.passages import Passage, between_files, is_for_agents
from actions.facts.docs.twins import twin_sentences
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Role, Skill
from actions.skill.skill import MAIN
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="DOC-RED-004",
    family=Family.REDUNDANCY,
    impact=("every_run", "easy"),
    confidence=Confidence.HIGH,
    strategies=("consolidate_to_ssot",),
    cause="duplicate",
)
_SHORT = 80

_GRADES = (
    "| Grade | Meaning | What to do |\n|---|---|---|\n"
    "| A | The claim rests on a primary source that was opened and read in full | Keep it and cite the page |\n"
    "| B | The claim rests on one secondary source of good name | Keep it and say that it is second-hand |\n"
    "| C | The claim rests on memory or on a summary | Ask for a source before it is used |\n"
    "| D | The claim contradicts a source of grade A | Strike it and tell the author why |\n"
)
_STYLE = (
    "Write each entry in the past tense and begin it with the verb that says what changed. "
    "Name the person who asked for the change, never the one who typed it. "
    "Leave out the ticket number when the ticket is private. "
    "Close with the release in which a reader will meet the change.\n"
)
_CHECKS = (
    "- 每一笔付款都必须能对应到一张已审核的发票，否则退回给提交人。\n"
    "- 金额以分为单位保存，展示时再换算为元，不做四舍五入。\n"
    "- 同一供应商一天内的多笔付款要合并成一笔，并在备注里写明发票号。\n"
    "- 超过审批额度的付款要先得到财务主管的书面确认。\n"
)
BAD = (
    {
        "SKILL.md": "# Pool\n\n- Tickets: [desk](desk.md).\n- Today: [day](day.md).\n",
        "desk.md": "# Desk\n\nThe slide is shut when the water is below eighteen degrees, in a storm, and while the school swims. A ticket then costs half. Guests who do not like that get their money back at the till, in cash, on the same afternoon.\n",
        "day.md": "# Day\n\nThe slide is shut when water is below eighteen degrees, in a storm, and whenever the school swims. In that case a ticket costs half. Guests not liking that get the money back at the till, in cash, the same afternoon.\n",
    },
    {
        "SKILL.md": "# 血库\n\n入库见 [in.md](references/in.md)，发血见 [out.md](references/out.md)。\n",
        "references/in.md": "# 入库\n\n血袋到达后先核对条码与血型标签，再检查封口有无渗漏、血浆有无浑浊，任何一项不符即隔离存放并电话通知供血单位。\n",
        "references/out.md": "# 发血\n\n血袋发出前先核对条码与血型标签，再检查封口有无渗漏、血浆有无浑浊，任何一项不符即隔离存放并电话通知供血单位。\n",
    },
    {
        "SKILL.md": f"# Audit\n\n## Grades\n\n{_GRADES}\nThen read `phases/02-grade.md`.\n",
        "phases/02-grade.md": f"# Grade\n\nGive each claim a grade:\n\n{_GRADES.replace('of good name', 'with a good name')}\nWrite the grades down.\n",
    },
    {
        "SKILL.md": "# Changelog\n\nRead `references/style.md`, then `references/review.md`.\n",
        "references/style.md": f"# Style\n\n{_STYLE}",
        "references/review.md": f"# Review\n\nCheck what was written.\n\n{_STYLE.replace('ticket number', 'number of the ticket')}\nTell what is wrong.\n",
    },
    {
        "SKILL.md": "# 付款\n\n先读 `specs/rules.md`，再按 `phases/01-check.md` 执行。\n",
        "specs/rules.md": f"# 规则\n\n{_CHECKS}",
        "phases/01-check.md": f"# 核对\n\n逐笔核对：\n\n{_CHECKS}\n把结果交给用户。\n",
    },
)
GOOD = (
    {
        "SKILL.md": "# Glue\n\nRead `references/glue/wood.md` or `references/glue/stone.md`.\n",
        "references/glue/wood.md": f"# Wood\n\n## Mix\n\nOne to two.\n\n## Apply\n\n{_STYLE}\n## Dry\n\nA day.\n",
        "references/glue/stone.md": f"# Stone\n\n## Mix\n\nOne to four.\n\n## Apply\n\n{_STYLE}\n## Dry\n\nA week.\n",
    },
    {
        "SKILL.md": "# Crew\n\nEach helper reads its own file: `roles/packer.md` or `roles/driver.md`.\n",
        "roles/packer.md": f"# Packer\n\nPacks.\n\n{_STYLE}",
        "roles/driver.md": f"# Driver\n\nDrives.\n\n{_STYLE}",
    },
    {
        "SKILL.md": f"# Audit\n\n## Grades\n\n{_GRADES}\nThen read `phases/02-grade.md`.\n",
        "phases/02-grade.md": "# Grade\n\nGive each claim a grade by the [table of grades](../SKILL.md#grades).\n",
    },
    {
        "SKILL.md": "# 付款\n\n每一笔付款都必须能对应到一张已审核的发票。再按 `phases/01-check.md` 执行。\n",
        "phases/01-check.md": "# 核对\n\n每一笔付款都必须能对应到一张已审核的发票。不符的退回。\n",
    },
    {
        "SKILL.md": "# Client\n\n```python\nimport store\n\nclient = store.Client(endpoint=endpoint, credential=credential, retries=retries)\n```\n",
        "references/list.md": "# List\n\n```python\nimport store\n\nclient = store.Client(endpoint=endpoint, credential=credential, retries=retries)\n```\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each passage once: at the copy, or in SKILL.md where that holds one of the two."""
    skill = case.skill
    for twin in between_files(skill):
        main_keeps = twin.other == MAIN
        file, start, end = (twin.other, twin.at, twin.at_end) if main_keeps else (twin.file, twin.start, twin.end)
        other, line = (twin.file, twin.start) if main_keeps else (twin.other, twin.at)
        told = f"About {twin.words} words stand also in {other} from line {line} on; {twin.other} is the place to keep them."
        also = (f"{other}:{line}: {skill.by_path[other].doc.line(line).strip()[:120]}",)
        yield Evidence(file, start, told, line_end=end, also=also, severity=_severity(skill, twin))
    for same in twin_sentences(skill):
        if not same.defines:
            told = f"This stands also in {same.other}:{same.at}, in nearly the same words (low: it costs little)."
            also = (f"{same.other}:{same.at}: {skill.by_path[same.other].doc.line(same.at).strip()[:120]}",)
            yield Evidence(same.file, same.line, told, also=also, severity=Severity.LOW)


def _severity(skill: Skill, twin: Passage) -> Severity | None:
    """Lower what is short, what agents read alone, and what a reference holds, which may be read alone too."""
    roles = {skill.by_path[path].role for path in (twin.file, twin.other)}
    mild = twin.words < _SHORT or is_for_agents(twin.file) or is_for_agents(twin.other) or Role.REFERENCE in roles
    return Severity.LOW if mild else None
