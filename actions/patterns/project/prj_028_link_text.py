"""A link whose text names a different file from its target.

It is:
- a link whose text is a file name, such as `setup.md`, and whose target is a file of the same type with another name (proven)
It is not:
- a text in words, or one that leaves out the folder, the extension or a part before it (`settings.json` for `settings.example.json`)
- a target in another language, such as `cases-de.md` for `cases.md`
- a text that joins folder and name, such as `SHARED-LANGUAGE.md` for `_shared/LANGUAGE.md`
- a text that names the subject, such as `plugin.json` for a page about it
- a link in a generated or copied file: its source must be corrected
- a target that does not exist
Low when:
- always: either the text or the target is right
Why it is bad: The model reads one file and believes that it has read the other.
Instead: Correct the one that is out of date.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.misnamed_links import find_misnamed_links

PATTERN = Pattern(
    id="PRJ-028",
    impact=("easy",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.MEMORY, UnitKind.COMMAND, UnitKind.AGENT),
    in_source=True,
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
    {"CLAUDE.md": "See [SHARED-API.md](_shared/API.md).\n", "_shared/API.md": "# API\n"},
    {"CLAUDE.md": "See [docs/ui.md](docs/ui_de.md).\n", "docs/ui_de.md": "# UI\n"},
    {"CLAUDE.md": "See [plugin.json](docs/manifest.md).\n", "docs/manifest.md": "# plugin.json\n"},
    {"CLAUDE.md": "See [setup.json](docs/setup.example.json).\n", "docs/setup.example.json": "{}\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the links of this unit whose text names another file."""
    for file in case.skill.instructions if case.skill.kind is UnitKind.SKILL else (case.skill.main,):
        for link in find_misnamed_links(case.project, case.unit, case.skill, file):
            yield Finding(
                file.path, link.line, f"The text of this link is `{link.text}`, but its target is `{link.url}`."
            )
