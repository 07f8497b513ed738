"""SKILL.md has no frontmatter, or one that is not YAML.

It is:
- a SKILL.md that does not begin with a `---` block of `key: value` lines
- a block that is never closed, or that YAML cannot read
It is not:
- a block that can be read and lacks a key
Low when:
- only quotes are missing around a value: Claude Code supplies them, other readers of skills do not
Why it is bad: Claude Code drops every key of a head that it cannot read, without a word: the description that lets the
model choose the skill is gone, and `allowed-tools` too.
Instead: Begin the file with `---`, `name:`, `description:` and `---`; quote a value that holds `: ` or begins with `[`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.skill.keys import quoted

PATTERN = Pattern(
    id="SPEC-001", impact=("blocks", "every_run", "easy"), strategies=("repair_frontmatter",), asked=False
)
BAD = (
    {"SKILL.md": "---\nname: example\ndescription: Counts words. Use when: a text must be counted\n---\n\nCount.\n"},
    {"SKILL.md": "---\nname: example\ndescription: 统计字数\n\n# 统计\n\n逐段统计。\n"},
)
GOOD = (
    {"SKILL.md": "---\nname: example\ndescription: >\n  Counts words. Use when: a text\n  is long.\n---\n\nCount.\n"},
    {"SKILL.md": '---\nname: example\ndescription: "用于统计字数: 当用户要求时"\n---\n\n逐段统计。\n'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the fault of the head, at most one."""
    main, head = case.skill.main, case.skill.frontmatter
    if not head.error:
        return
    lines = quoted(main.doc.lines, head)
    if lines:
        key = main.doc.line(min(lines)).partition(":")[0]
        said = f"The value of `{key}` needs quotes to be YAML"
        message = f"{said}: Claude Code supplies them, other readers refuse the skill."
        yield Finding(main.path, min(lines), message, severity=Severity.LOW)
    else:
        yield Finding(main.path, 1, f"The frontmatter of SKILL.md cannot be read: {head.error}.")
