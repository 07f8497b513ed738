"""List the skills and commands that are built into Claude Code and take space in the listing.

Source: the CLI 2.1.332; `tests/e2e/facts` compares with the listing of an empty project.
"""

from collections.abc import Collection, Mapping

BUNDLED_SKILLS: Mapping[str, int] = {
    "dataviz": 1_447, "update-config": 707, "keybindings-help": 248, "code-review": 850, "simplify": 188,
    "fewer-permission-prompts": 191, "loop": 344, "claude-api": 1_171, "workflow-authoring": 252, "run": 368,
    "plugin-authoring": 275,
}  # fmt: skip
"""The characters of each bundled skill's entry. These skills never lose their descriptions."""
COMMANDS = (
    ("init", "Initialize a new CLAUDE.md file with codebase documentation"),
    ("security-review", "Complete a security review of the pending changes on the current branch"),
)
"""Built-in commands and their descriptions, which Claude Code may drop like any other skill's."""


def count_reserved(names: Collection[str]) -> int:
    """Return the number of characters, with line ends, of the bundled skills' entries, except for skills in `names`."""
    return sum(size + 1 for name, size in BUNDLED_SKILLS.items() if name not in names)
