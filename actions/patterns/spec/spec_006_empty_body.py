"""SKILL.md has no instructions below its frontmatter.

It is:
- a SKILL.md with a frontmatter and no text after it (proven)
- a SKILL.md with only headings or comments, or an empty one (proven)
It is not:
- a short text, a code block, or a link to the file with the steps
Low when:
- it is a template for skills: its name or its folder begins with `template`, or its only text is `Insert instructions below`
Why it is bad: The skill is listed and chosen, but then gives the model nothing to do.
Instead: Write the steps, or link to the file that contains them; otherwise remove the skill.
"""

import posixpath
from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.regex import regex

PATTERN = Pattern(id="SPEC-006", impact=("blocks", "every_run", "easy"), strategies=("custom",), asks_model=False)
_TEMPLATE_NAME = regex(r"(?i)(?:skill[_-])?template(?:s?\Z|[_-])")
_INSERT = regex(r"(?i)insert (?:your )?instructions (?:below|here)\b")
_HEAD = """---
name: example
description: Counts words. Use when a text must be counted.
---
"""
BAD = (
    {"SKILL.md": _HEAD},
    {
        "SKILL.md": _HEAD
        + """\

<!-- 稍后补充 -->

# 统计
"""
    },
)
GOOD = (
    {
        "SKILL.md": _HEAD
        + """\

# 统计

```bash
wc -w
```
"""
    },
    {
        "SKILL.md": _HEAD
        + """\

# Count

[The steps](steps.md)
""",
        "steps.md": "# Steps\n\nCount the words.\n",
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Report an empty body."""
    main = case.skill.main
    headings = {line for section in main.doc.sections if section.level for line in (section.start, section.start + 1)}
    prose = ((number, line.lstrip().startswith("#") or not line.strip("=- \t")) for number, line in main.doc.prose)
    has_text = any(number not in headings or not is_markup for number, is_markup in prose)
    if not has_text and not main.doc.fences:
        message = "SKILL.md has no instructions below its frontmatter." if main.text.strip() else "SKILL.md is empty."
        severity = Severity.LOW if _is_template(case) else PATTERN.severity
        yield Finding(main.path, max(1, len(main.doc.lines)), message, severity=severity)


def _is_template(case: Case) -> bool:
    names = (case.skill.frontmatter.text("name"), posixpath.basename(case.unit.folder))
    titles = [section.title for section in case.skill.main.doc.sections if section.level]
    return any(map(_TEMPLATE_NAME.match, names)) or (len(titles) == 1 and _INSERT.match(titles[0]) is not None)
