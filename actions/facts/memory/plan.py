"""The plan of a skill's run: its steps, wherever they stand, and where the last one is."""

import re
from dataclasses import dataclass

from actions.facts.dataflow.stages import numbered_phases, numbered_sections
from actions.skill.code import code_fences
from actions.skill.memo import once
from actions.skill.skill import Skill, SkillFile
from actions.skill.stems import Gated

_ROW = re.compile(r"\s*\|\s*\W{0,3}(?:(?:step|phase|stage)\s*)?(\d{1,2})\b", re.IGNORECASE)
_CHAIN = Gated(
    r"\b(?:parts?|steps?|phases?|stages?|tasks?|days|weeks|months|monday|one after another|in (?:this )?order|in"
    r" turn)\b[^.:：]{0,60}:\s(?P<names>[^.;]+)"
    r"|(?:依次|按顺序|先后|步骤|历时|需要|流程)[^。：]{0,14}[:：]?(?P<chinese>[^。；]+、[^。；]+、[^。；]+)",
    re.IGNORECASE,
    "part step phase stage task day week month order turn another 依次 按顺序 先后 步骤 历时 需要 流程",
)
_LOOP = re.compile(r"\bfor\b[^\n]{0,40}\b(?:of|in)\s*[\[(]([\w\s,.'\"]{1,400})[\])]")
_FEWEST = 3
_SECTION_OF_STEPS = re.compile(
    r"step|workflow|process|procedure|phase|how (?:it|to)|work|run|plan|流程|步骤|工作|过程|阶段|做法"
    r"|执行",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Plan:
    """`count` steps; the last one takes the lines `start` to `end` of `file`."""

    count: int
    file: SkillFile
    start: int
    end: int


@once
def plan_of(skill: Skill) -> Plan | None:
    """Give the plan with the most steps that is laid down: phase files, numbered sections, a numbered list or table."""
    phases, sections = numbered_phases(skill), numbered_sections(skill.main)
    named = [file for file in phases if file.path in skill.main.text]
    phases = named if len(named) >= _FEWEST else phases
    if max(len(phases), len(sections)) >= _FEWEST:
        if len(phases) >= len(sections):
            return Plan(len(phases), phases[-1], phases[-1].doc.body_start, len(phases[-1].doc.lines))
        return Plan(len(sections), skill.main, sections[-1].start, sections[-1].end)
    return _listed(skill.main)


def _listed(file: SkillFile) -> Plan | None:
    """Give the longest numbered list or table of SKILL.md that stands in the introduction or a section of steps."""
    best: Plan | None = None
    numbers: list[int] = []
    steps = dict(file.doc.numbered)
    for number, line in file.doc.prose:
        row = _ROW.match(line)
        place = int(row[1]) if row else steps.get(number)
        if place is None:
            continue
        numbers = [*numbers, number] if place == len(numbers) + 1 else [number] if place == 1 else []
        if len(numbers) >= _FEWEST and _is_of_steps(file, number) and (best is None or len(numbers) > best.count):
            best = Plan(len(numbers), file, number, _end_of_item(file, number))
    return best


def _is_of_steps(file: SkillFile, number: int) -> bool:
    titles = [section for section in file.doc.headings_over(number) if section.level > 1]
    return not titles or any(_SECTION_OF_STEPS.search(section.title) for section in titles)


def _end_of_item(file: SkillFile, number: int) -> int:
    end = number
    while file.doc.line(end + 1).startswith((" ", "\t")) and file.doc.line(end + 1).strip():
        end += 1
    return end


def count_of_steps(skill: Skill) -> int:
    """Give how many steps the run has, those that a sentence only names included."""
    plan = plan_of(skill)
    named = [
        len(re.split(r"[,、]", match["names"] or match["chinese"]))
        for _, line in skill.main.doc.prose
        if ":" in line or "、" in line
        for match in [_CHAIN.search(line[:1000])]
        if match
    ]
    looped = [
        len(match[1].split(",")) for fence in code_fences(skill.main, "for ") for match in _LOOP.finditer(fence.text)
    ]
    return max([plan.count if plan else 0, *named, *looped])
