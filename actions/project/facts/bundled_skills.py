"""Give the skills that Claude Code brings along, as far as they take room in the listing.

Source: the CLI 2.1.330; `tests/e2e/facts` compares with the listing of an empty project.
"""

KEPT_CHARACTERS = 6_052
"""The characters of the bundled skills' entries, with line ends. They never lose their descriptions."""
COMMANDS = (
    ("init", "Initialize a new CLAUDE.md file with codebase documentation"),
    ("security-review", "Complete a security review of the pending changes on the current branch"),
)
"""Built-in commands, which lose their descriptions like any other skill."""
