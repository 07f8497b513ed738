"""SKILL.md has no frontmatter, or one that is not YAML.

What it sees: A SKILL.md that does not begin with a `---` block of `key: value` lines, or whose block is never closed or not
valid YAML.
Why it is bad: Claude Code drops every field of a head that it cannot parse, without a word: no description, so the
model never picks the skill, and no `allowed-tools`.
Instead: Begin the file with `---`, `name:`, `description:` and `---`; put a value with `: ` or a leading `[` in quotes.
May be wrong: Where only quotes are missing, Claude Code supplies them itself; other readers of skills do not. It is low then.
"""

from collections.abc import Iterator

from actions.facts.spec.quoting import quoted
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="SPEC-001",
    family=Family.SPEC,
    impact=("blocks", "easy"),
    confidence=Confidence.HIGH,
    strategies=("repair_frontmatter",),
)
BAD = (
    {
        "SKILL.md": "---\nname: example\ndescription: Counts words. Use when: a text must be counted\n---\n\nCount the words.\n"
    },
    {"SKILL.md": '---\nname: example\ndescription: "Counts words\n---\n\nCount the words.\n'},
    {"SKILL.md": "---\nname: example\ndescription: 统计字数\n\n# 统计\n\n逐段统计。\n"},
    {"SKILL.md": "---\n- name: example\n- description: Counts words\n---\n\nCount the words.\n"},
)
GOOD = (
    "# Count\n\nCount the words.\n",
    {
        "SKILL.md": "---\nname: example\ndescription: >\n  Counts words. Use when: a text\n  must be counted.\n---\n\nCount.\n"
    },
    {"SKILL.md": '---\nname: example\ndescription: "用于统计字数: 当用户要求时"\n---\n\n# 统计\n\n逐段统计。\n'},
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the fault of the head, at most one."""
    main, head = case.skill.main, case.skill.frontmatter
    if not head.error:
        return
    loose = quoted(main.doc.lines, head)
    if loose:
        line = min(loose)
        key = main.doc.line(line).split(":", 1)[0]
        told = f"The value of `{key}` needs quotes; Claude Code supplies them itself, other readers refuse the skill."
        yield Evidence(main.path, line, told, severity=Severity.LOW)
    else:
        yield Evidence(main.path, 1, f"The frontmatter of SKILL.md cannot be read: {head.error}.")
