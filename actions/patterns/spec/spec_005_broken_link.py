"""A Markdown link leads to a file or section that does not exist.

It is:
- a relative link whose target exists neither from the file's folder nor from the root of the skill, plugin or repository (proven)
- a link to a heading that the linked file does not have (proven)
It is not:
- a link out of the repository, one with a placeholder, or one to a file that git ignores or a build makes
- a link to source code in a folder that neither the skill nor the repository has, or out of the skill (`../../vite.config.ts`): it is probably the user's
- a link in an example of what not to do, or in a template or sample of a file (`example-report.md`)
- a link that would be low (see below) and is in a copy, in a file that says that it is generated, in a fetched page, or in a dump of documentation (`llms-full.md`): its source must be corrected
- a link to an opening tag alone on its line, such as `<testing>`, which begins a section like a heading
- a link to a heading below an HTML tag or in a fence (there with or without a note at its end), or in a quoted document with headings of its own, to an ID that the text declares, or to the line of the link itself
Low when:
- only the heading is missing: the file is still found
- the link is in a reference, not in SKILL.md or in a phase
- the link is in a list of related skills, further reading or the like ("See ...:"), or leaves the skill below "Resources", "References" or the like
Why it is bad: The model follows the link, finds nothing, and guesses the content.
Instead: Use the path of the file relative to the file with the link; remove links to files that no longer exist.
"""

from collections import Counter
from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.missing_targets import find_missing_headings, find_missing_targets_in_skill
from actions.skill import SkillFile

PATTERN = Pattern(
    id="SPEC-005",
    impact=("blocks",),
    strategies=("repair_reference", "drop_dead_entry"),
    cause="reference",
    asks_model=False,
    in_source=True,
)
BAD = (
    {
        "SKILL.md": "# Audit\n\nRead [phase one](phases/01-look.md).\n",
        "phases/01-look.md": "# Look\n\nSee [the rules](phases/rules.md).\n",
    },
    """# Audit

## Grades

Five of them.

## Ties

Settle ties by the [order of grades](#the-order-of-grades).
""",
)
GOOD = (
    {
        "SKILL.md": "# Audit\n\nGrade by the [scale](references/severity.md#five-grades), as `[x](y.md)` shows.\n",
        "references/severity.md": """# Severity

## Five grades

Back to [the start](../SKILL.md), or [up](../../other/SKILL.md).
""",
    },
    "# Count\n\nThe kinds are in [enum.dart](apps/mobile/lib/enum.dart) of the user's app.\n",
    "# Convert\n\n| HTML | Markdown |\n|---|---|\n| image | ![](title_image_001.jpg) |\n",
    """# Link

```markdown
[guide](docs/guide.md)
```

See [the site](https://example.org/a.md).
""",
    """# Count

Count by the [rules](#counting-rules).

<counting_rules>
Each bird once.
</counting_rules>
""",
    """# Link

<sample>
```xml
<step>

Read [the guide](docs/guide.md).
</step>
```
</sample>
""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find links to missing files and headings."""
    for file in case.skill.instructions:
        yield from _check_targets(case, file)
        yield from _check_anchors(case, file)


def _check_anchors(case: Case, file: SkillFile) -> Iterator[Finding]:
    """Report links to missing headings. Several missing headings of one file have one cause."""
    links = find_missing_headings(case.skill, file)
    missing = Counter(path for path, _ in {(path, link.anchor) for link, path in links})
    for link, path in links:
        target = link.target or file.path
        if missing[path] > 1:
            message = f"Links lead to {missing[path]} headings that {target} does not have, such as `#{link.anchor}`."
            cause = f"the headings of {path}"
        else:
            message = f"{target} has no heading `#{link.anchor}`, but a link leads there."
            cause = f"{path}#{link.anchor}"
        yield Finding(file.path, link.line, message, severity=Severity.LOW, cause=cause)


def _check_targets(case: Case, file: SkillFile) -> Iterator[Finding]:
    """Report links to missing files."""
    for link in find_missing_targets_in_skill(case.project, case.unit, case.skill, file):
        yield Finding(
            file.path,
            link.line,
            link.message,
            severity=Severity.LOW if link.is_optional else PATTERN.severity,
            cause=link.cause,
            folder=link.folder,
            is_shared=link.is_shared,
        )
