"""SKILL.md says nothing below its frontmatter.

What it sees: A SKILL.md with a frontmatter and no text after it, or headings and comments alone.
Why it is bad: The skill is offered and chosen, and then gives the model nothing to act on.
Instead: Write the steps, or link to the file that holds them; else remove the skill.
May be wrong: Hardly; a skill that consists of its description alone is a line of CLAUDE.md.
"""

from collections.abc import Iterator

from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="SPEC-006",
    family=Family.SPEC,
    impact=("blocks", "easy"),
    confidence=Confidence.HIGH,
    strategies=("custom",),
)
_HEAD = "---\nname: example\ndescription: Counts words. Use when a text must be counted.\n---\n"
BAD = (
    {"SKILL.md": _HEAD},
    {"SKILL.md": _HEAD + "\n# Count\n\n## Steps\n"},
    {"SKILL.md": _HEAD + "\n<!-- 稍后补充 -->\n\n# 统计\n"},
)
GOOD = (
    {"SKILL.md": _HEAD + "\nCount the words.\n"},
    {"SKILL.md": _HEAD + "\n# 统计\n\n```bash\nwc -w\n```\n"},
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the empty body."""
    main = case.skill.main
    says = any(not line.lstrip().startswith("#") for _, line in main.doc.prose)
    if not says and not main.doc.fences:
        yield Evidence(main.path, max(1, len(main.doc.lines)), "SKILL.md holds no instruction below its frontmatter.")
