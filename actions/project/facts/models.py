"""List the names of models that Claude Code understands.

Source: the CLI 2.1.330, its list of aliases. Any other name goes to the API as it stands.
"""

ALIASES = ("sonnet", "opus", "haiku", "fable", "best", "opusplan", "inherit", "default")
"""Names that stand for a model; some may end with `[1m]`."""
FAMILIES = ("sonnet", "opus", "haiku", "fable", "mythos")
"""The second word of a full name such as `claude-haiku-4-5`."""
