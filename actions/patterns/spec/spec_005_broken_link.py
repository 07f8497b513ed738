"""A Markdown link leads to a file or section that does not exist.

It is:
- a relative link whose target is neither in the skill nor in the plugin or repository around it (proven)
- a link to a heading that the linked file does not have (proven)
It is not:
- a link that leaves the skill's folder, or one with a placeholder in it
- a link in a sample of what not to do
Low when:
- only the heading is missing: the file is still found
- the link is in a reference, not in SKILL.md or in a phase
Why it is bad: The model follows the link, finds nothing, and guesses the content.
Instead: Use the path of the file relative to the file with the link; remove links to files that no longer exist.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.skill import Role, Skill, SkillFile
from actions.skill.references import Reference, broken_anchors, is_missing, links

PATTERN = Pattern(
    id="SPEC-005",
    impact=("blocks",),
    strategies=("repair_reference", "drop_dead_entry"),
    cause="reference",
    asked=False,
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
    """# Link

```markdown
[guide](docs/guide.md)
```

See [the site](https://example.org/a.md).
""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find missing targets and folders, each once per file with all the lines that link to it."""
    for file in case.skill.instructions:
        severity = Severity.LOW if file.role is Role.REFERENCE else PATTERN.severity
        for missing, found in _missing(case.skill, file).items():
            first = found[0]
            also = tuple(f"{file.path}:{link.line}: {link.target}" for link in found[1:])
            if missing == first.target:
                message = f"The link target `{missing}` does not exist."
            else:
                message = f"{len(found)} links {_where(missing, file)}."
            yield Finding(file.path, first.line, message, also=also, severity=severity)
        for link in broken_anchors(case.skill, file):
            message = f"{link.target or file.path} has no heading `#{link.anchor}`, but a link leads there."
            yield Finding(file.path, link.line, message, severity=Severity.LOW)


def _missing(skill: Skill, file: SkillFile) -> dict[str, list[Reference]]:
    """Group broken links by target; those to several files of one missing folder by that folder."""
    found: dict[str, list[Reference]] = {}
    for link in links(file):
        if is_missing(skill, link) and not file.doc.is_counterexample(link.line):
            folder = link.folder
            gone = folder and skill.resolve(folder, file.path) is None
            up = gone and folder.startswith("../")
            found.setdefault("../" if up else f"{folder}/" if gone else link.target, []).append(link)
    alone = {key: group[0].target for key, group in found.items() if len({link.target for link in group}) == 1}
    return {alone.get(key, key): group for key, group in found.items()}


def _where(missing: str, file: SkillFile) -> str:
    """Say where several broken links lead: to a missing folder, or up by one level too few or too many."""
    if missing != "../":
        return f"lead into the folder `{missing}`, which does not exist in the skill"
    return f"go up with `../` from {file.path} to folders that do not exist"
