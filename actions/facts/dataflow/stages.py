"""The order of a skill's work: numbered phase files, or numbered phase and step sections in one file."""

import re

from actions.skill.document import Section
from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.tables import is_row

_NUMBERED_FILE = re.compile(r"(?:^|/)(?:(?:phase|step|stage)[-_]?)?\d+[^/]*$", re.IGNORECASE)
_NUMBERED_TITLE = re.compile(
    r"^\W*(?:(?:sub-?)?(?:phase|step|stage)\s*\d|(?:阶段|步骤|阶段)\s*[\d一二三四五六七八九十]"
    r"|第\s*[\d一二三四五六七八九十]+\s*(?:阶段|步)|\d+[.)、:]\s)",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"complete|final|finish|report|deliver|publish|summary|close|cleanup", re.IGNORECASE)


def numbered_phases(skill: Skill) -> list[SkillFile]:
    """Give the phase files whose names carry their place, in order."""
    return sorted((f for f in skill.phases if _NUMBERED_FILE.search(f.path)), key=lambda f: _number(f.path))


def _number(path: str) -> tuple[int, str]:
    digits = re.search(r"\d+", path.rsplit("/", 1)[-1])
    return int(digits[0]) if digits else 0, path


@once
def numbered_sections(file: SkillFile) -> tuple[Section, ...]:
    """Give the sections titled `Phase 1`, `Step 2`, `3. …`, `阶段一`, of the outermost level that has them."""
    found = [s for s in file.doc.sections if s.level and _NUMBERED_TITLE.match(s.title)]
    top = min((s.level for s in found), default=0)
    return tuple(s for s in found if s.level == top)


@once
def listed_steps(skill: Skill) -> tuple[int, ...]:
    """Give the first lines of the steps of a skill whose whole work is one numbered list of three or more entries."""
    if has_stages(skill):
        return ()
    found = skill.main.doc.numbered
    in_order = [step for _, step in found] == list(range(1, len(found) + 1))
    return tuple(line for line, _ in found) if in_order and len(found) >= _FEWEST_STEPS else ()


_FEWEST_STEPS = 3


def has_stages(skill: Skill) -> bool:
    """Tell whether the skill works in at least two ordered or separate stages."""
    return len(skill.phases) >= 2 or len(numbered_sections(skill.main)) >= 2


def is_first(skill: Skill, file: SkillFile, line: int) -> bool:
    """Tell whether a place belongs to the first stage, or to none."""
    ordered = numbered_phases(skill)
    if file.role is Role.PHASE:
        return bool(ordered) and file is ordered[0]
    steps = listed_steps(skill) if file is skill.main else ()
    if steps:
        return line < steps[1]
    second = next(iter(numbered_sections(file)[1:]), None)
    return second is None or line < second.start


def is_last(skill: Skill, file: SkillFile, line: int) -> bool:
    """Tell whether a place belongs to the last stage, or to none: what it writes is for the user."""
    ordered = numbered_phases(skill)
    if file.role is Role.PHASE:
        return file is ordered[-1] if len(ordered) > 1 else bool(_CLOSING.search(file.path))
    if len(skill.phases) > 1 and is_row(file.doc.line(line)):
        return not is_row(file.doc.line(line + 1))
    steps = listed_steps(skill) if file is skill.main else ()
    if steps:
        return line >= steps[-1]
    sections = numbered_sections(file)
    return len(sections) < 2 or line >= sections[-1].start
