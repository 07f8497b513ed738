"""A Markdown link leads to a file or section that does not exist.

It is:
- a relative link whose target exists neither from the file's folder nor from the root of the skill, plugin or repository (proven)
- a link to a heading that the linked file does not have (proven)
It is not:
- a link out of the repository, one with a placeholder, or one to a file that git ignores or a build makes
- a link to source code in a folder that neither the skill nor the repository has: it is probably the user's
- a link in an example of what not to do, or in a template or sample of a file (`example-report.md`)
- a link in a file that says that it is generated, in a fetched page, or in a dump of documentation (`llms-full.md`): its source must be corrected
- a link to a heading below an HTML tag or in a fence, to an ID that the text declares, or to the line of the link itself
Low when:
- only the heading is missing: the file is still found
- the link is in a reference, not in SKILL.md or in a phase
- the link is in a list of related skills, further reading or the like ("See ...:"), or leaves the skill below "Resources"
Why it is bad: The model follows the link, finds nothing, and guesses the content.
Instead: Use the path of the file relative to the file with the link; remove links to files that no longer exist.
"""

from collections import Counter
from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.dead_links import is_further_reading, list_dead_anchors, list_dead_links
from actions.skill import Role, SkillFile
from actions.skill.references import get_expected_path

PATTERN = Pattern(
    id="SPEC-005",
    impact=("blocks",),
    strategies=("repair_reference", "drop_dead_entry"),
    cause="reference",
    asks_model=False,
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
    links = [
        (link, get_expected_path(case.skill, link) if link.target else file.path)
        for link in list_dead_anchors(case.project, case.unit, case.skill, file)
    ]
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
    """Report links to missing files.

    Links with `../` to several missing folders have one cause: their file is in the wrong folder.
    """
    dead = list_dead_links(case.project, case.unit, case.skill, file)
    upward = [link.target.startswith("../") and link.folder != "" and not link.is_outward for link in dead]
    is_misplaced = len({link.folder for link, is_up in zip(dead, upward, strict=True) if is_up}) > 1
    for link, is_up in zip(dead, upward, strict=True):
        is_low = file.role is Role.REFERENCE or is_further_reading(file, link.line, is_outward=link.is_outward)
        severity = Severity.LOW if is_low else PATTERN.severity
        if is_misplaced and is_up:
            message = f"Links with `../` in {file.path} lead to folders that do not exist."
            yield Finding(file.path, link.line, message, severity=severity, cause=f"../ in {file.path}")
        else:
            message = f"The link target `{link.target}` does not exist."
            yield Finding(
                file.path,
                link.line,
                message,
                severity=severity,
                cause=link.path,
                folder=link.folder,
                is_shared=link.is_outward,
            )
