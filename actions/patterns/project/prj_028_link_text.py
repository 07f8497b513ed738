"""A link whose text names a different file from its target.

It is:
- a link whose text is a file name, such as `setup.md`, and whose target is a file with another name (proven)
It is not:
- a text in words, or one that leaves out the folder or the extension
- a target that does not exist
Low when:
- always: either the text or the target is right
Why it is bad: The model reads one file and believes that it has read the other.
Instead: Correct the one that is out of date.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.markdown_faults import find_misnamed_links

PATTERN = Pattern(
    id="PRJ-028",
    impact=("easy",),
    asked=False,
    kinds=(UnitKind.SKILL, UnitKind.MEMORY, UnitKind.COMMAND, UnitKind.AGENT),
)
_SKILL = "---\nname: count\ndescription: Counts.\n---\n\nRead [%s](%s).\n"
BAD = (
    {"SKILL.md": _SKILL % ("setup.md", "install.md"), "install.md": "# Install\n"},
    {"CLAUDE.md": "See [`docs/api.md`](docs/rest.md).\n", "docs/rest.md": "# REST\n"},
)
GOOD = (
    {"SKILL.md": _SKILL % ("install.md", "docs/install.md"), "docs/install.md": "# Install\n"},
    {"SKILL.md": _SKILL % ("@00-install.md", "00-install.md"), "00-install.md": "# Install\n"},
    {"SKILL.md": _SKILL % ("How to install it", "install.md"), "install.md": "# Install\n"},
    {"CLAUDE.md": "See [docs/api.md](docs/rest.md).\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the links of this unit whose text names another file."""
    for file in case.skill.instructions if case.skill.kind is UnitKind.SKILL else (case.skill.main,):
        for link in find_misnamed_links(case.project, case.unit, case.skill, file):
            yield Finding(file.path, link.line, f"This link says `{link.text}` but leads to `{link.url}`.")
