"""A Markdown link leads to a file or section that is not there.

What it sees: Relative links of the instruction files whose target is not in the skill, and links to a heading that no file
there has.
Why it is bad: The model follows the link, finds nothing, and guesses what it would have read.
Instead: Link to the file by the path that it has, seen from the file that links; remove links to what is gone.
May be wrong: The link may be meant for the project that the skill works in. Links that leave the skill's folder are not
looked at, for what stands beside it is not known. A missing heading is low: the file is still found.
"""

import posixpath
from collections.abc import Iterator

from actions.facts.references.anchors import broken_anchors
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Skill, SkillFile
from actions.skill.links import Link, links
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="SPEC-005",
    family=Family.SPEC,
    impact=("blocks",),
    confidence=Confidence.HIGH,
    strategies=("repair_reference", "drop_dead_entry"),
    cause="reference",
)
BAD = (
    {
        "SKILL.md": "# Audit\n\nGrade by the [scale](references/severity.md).\n",
        "references/grades.md": "# Grades\n\nFive grades.\n",
    },
    {
        "SKILL.md": "# 审查\n\n先读[评分标准](specs/评分.md)，再评分。\n",
        "specs/打分.md": "# 打分\n\n五级。\n",
    },
    {
        "SKILL.md": "# Audit\n\nRead [phase one](phases/01-look.md).\n",
        "phases/01-look.md": "# Look\n\nSee [the rules](phases/rules.md).\n\n[table]: tables/grades.md\n",
    },
    "# Audit\n\n## Grades\n\nFive of them.\n\n## Ties\n\nSettle ties by the [order of grades](#the-order-of-grades).\n",
)
GOOD = (
    {
        "SKILL.md": "# Audit\n\nGrade by the [scale](references/severity.md#five-grades), as `[x](y.md)` shows.\n",
        "references/severity.md": "# Severity\n\n## Five grades\n\nBack to [the start](../SKILL.md), or [up](../../other/SKILL.md).\n",
    },
    "# 审查\n\n见[分级](#分级)，链接写作 [标题](url) 或 [文件]({path}/x.md)。\n\n## 分级\n\n五级。\n",
    "# Link\n\n```markdown\n[guide](docs/guide.md)\n```\n\nSee [the site](https://example.org/a.md).\n",
)


_NEAR = 3


def look(case: Case) -> Iterator[Evidence]:
    """Give each broken link once per file and target; neighbouring ones into one missing folder are one."""
    skill = case.skill
    for file in skill.instructions:
        for group in _groups(skill, file):
            first, last = group[0], group[-1]
            told = f"The link to `{first.target}` leads nowhere."
            if len(group) > 1:
                told = (
                    f"{len(group)} links lead into the folder `{posixpath.dirname(first.target)}/`, which is not there."
                )
            also = tuple(f"{file.path}:{link.line}: {link.target}" for link in group[1:])
            yield Evidence(file.path, first.line, told, line_end=last.line, also=also)
        for line, anchor in broken_anchors(skill, file):
            message = f"The link to the section `#{anchor}` leads to no heading; the file itself is there."
            yield Evidence(file.path, line, message, severity=Severity.LOW)


def _groups(skill: Skill, file: SkillFile) -> list[list[Link]]:
    groups: list[list[Link]] = []
    told: set[str] = set()
    for link in links(file):
        if link.target in told or not _is_broken(skill, link) or file.doc.is_counterexample(link.line):
            continue
        told.add(link.target)
        if groups and _one_fault(skill, groups[-1][-1], link):
            groups[-1].append(link)
        else:
            groups.append([link])
    return groups


def _one_fault(skill: Skill, one: Link, other: Link) -> bool:
    folder = posixpath.dirname(other.target)
    near = other.line - one.line <= _NEAR and posixpath.dirname(one.target) == folder
    return near and bool(folder) and skill.resolve(folder, other.file) is None


def _is_broken(skill: Skill, link: Link) -> bool:
    if "." not in link.target and "/" not in link.target:
        return False
    leaves = posixpath.normpath(posixpath.join(posixpath.dirname(link.file), link.target)).startswith("..")
    return not leaves and skill.resolve(link.target, link.file) is None
