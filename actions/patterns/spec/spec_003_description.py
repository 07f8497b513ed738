"""The description is missing, too long, or does not say when to use the skill.

It is:
- a frontmatter without `description`, or with one that is empty or not text (proven)
- a description of more than 1,024 characters (proven)
- a description that is the placeholder of a template, such as `[what it does]` or "what this skill does and when to use it": medium (proven)
- a description that says what the skill does, but not in which situation or on which request to use it
It is not:
- a description that names the situation in any words ("for a red build", "after a release", "when …")
- a description beside a `when_to_use` that names the situation
- a description of up to 1,536 characters, with its `when_to_use`, that only Claude Code reads: the skill has a key such as `when_to_use`, or it is in `.claude/skills` or a plugin, and nothing in the project is for another tool
- a placeholder in a template or an example, or a note in brackets such as `[internal]`
Low when:
- only the situation is missing
- only the user can start the skill (`disable-model-invocation: true`)
- the description is too long for the specification, but not for Claude Code, which shows 1,536 characters (PRJ-026)
Why it is bad: The description is all that the model sees of a skill before it chooses one. If it is missing or empty, Claude Code
uses the first line of the text instead; a skill of a plugin it does not list at all. Tools that follow the specification reject
the skill. If it is incomplete, a placeholder or cut off, the model overlooks the skill, or chooses it at random.
Instead: Write one or two sentences: what the skill does, and `Use when ...` in the words of its users, specific enough
that no other request fits.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.listing import is_shown_by_claude_code_alone
from actions.regex import regex
from actions.skill.text import MAX_DESCRIPTION
from actions.skill.unfilled import is_unfilled

PATTERN = Pattern(
    id="SPEC-003",
    impact=("blocks", "easy"),
    strategies=("describe_occasion", "custom"),
    cause="long description",
)
_MAX_CHARACTERS = 1024
_SAMPLE = regex(r"(?i)template|example|sample|skeleton|boilerplate|scaffold")
"""A path of a skill that is to be copied."""
_LONG = "Counts the words of a text, its lines, its sentences and its paragraphs, and says how long reading it takes. "
BAD = (
    {
        "SKILL.md": """---
name: example
---

Count the words.
"""
    },
    {
        "SKILL.md": f"""---
name: example
description: {_LONG * 10}
---

Count the words.
"""
    },
    {
        "SKILL.md": """---
name: example
description: One sentence - what this skill does and when to invoke it
---

Count the words.
"""
    },
)
GOOD = (
    {
        "SKILL.md": """---
name: example
description: 统计字数。用户要求统计文章长度时触发。
---

逐段统计。
"""
    },
    {
        "SKILL.md": f"""---
name: example
description: {_LONG * 9}
---

Count the words.
"""
    },
    {
        "SKILL.md": """---
name: example
description: "[internal] Counts words. Use when a text must be counted."
---

Count the words.
"""
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Report a description that is missing, not text, too long or a placeholder."""
    frontmatter, path = case.skill.frontmatter, case.skill.main.path
    if frontmatter.error:
        return
    value, line = frontmatter.values.get("description"), frontmatter.lines.get("description", 1)
    is_manual = frontmatter.values.get("disable-model-invocation") is True
    severity = Severity.LOW if is_manual else PATTERN.severity
    if not frontmatter.text("description"):
        yield Finding(path, line, "The frontmatter has no `description`, or an empty one.", severity=severity)
    elif isinstance(value, list | dict):
        message = f"The description is a {'list' if isinstance(value, list) else 'mapping'}; it must be text."
        yield Finding(path, line, message, severity=severity)
    elif (length := len(frontmatter.text("description"))) > _MAX_CHARACTERS:
        yield from _report_length(case, length, is_manual)
    elif is_unfilled(frontmatter.text("description")) and not _SAMPLE.search(case.unit.path):
        message = "The description is the placeholder of a template: it does not say what the skill does."
        severity = Severity.LOW if is_manual else Severity.MEDIUM
        yield Finding(path, line, message, severity=severity, cause="placeholder as description", is_shared=True)


def _report_length(case: Case, length: int, is_manual: bool) -> Iterator[Finding]:
    """Report a description that is too long for a tool that reads it."""
    if is_shown_by_claude_code_alone(case.project, case.unit, case.skill):
        return
    message = f"The description has {length:,} characters; the skill specification allows {_MAX_CHARACTERS:,}."
    path, line = case.skill.main.path, case.skill.frontmatter.lines["description"]
    if length <= MAX_DESCRIPTION:
        yield Finding(path, line, message, severity=Severity.LOW, cause="longer than specified", is_shared=True)
    else:
        yield Finding(path, line, message, severity=Severity.LOW if is_manual else Severity.MEDIUM)
