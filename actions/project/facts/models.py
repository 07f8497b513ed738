"""List the model names that Claude Code understands.

Source: the list of aliases in the CLI 2.1.330. Any other name goes to the API unchanged.
"""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from actions.regex import regex

ALIASES = ("sonnet", "opus", "haiku", "fable", "best", "opusplan", "inherit", "default")
"""Model aliases. Some may end with `[1m]`."""
FAMILIES = ("sonnet", "opus", "haiku", "fable", "mythos")
"""The second word of a full name such as `claude-haiku-4-5`."""
FULL_NAMES = frozenset(
    {
        *(f"claude-opus-{version}" for version in ("4-0", "4-1", "4-5", "4-6", "4-7", "4-8", "5", "5-5")),
        *(f"claude-sonnet-{version}" for version in ("4-0", "4-5", "4-6", "5", "5-5")),
        *(f"claude-haiku-{version}" for version in ("4-5", "5-5")),
    }
)
"""Full names without a date. Source: the CLI 2.1.332."""
_DATE = regex(r"-\d{8}$")


class ContextWindow(msgspec.Struct, frozen=True):
    """A model's context window in tokens, and the characters per token that Claude Code assumes."""

    tokens: int
    characters_per_token: int


WINDOWS: Mapping[str, ContextWindow] = MappingProxyType(
    {
        "Opus 5.5": ContextWindow(1_000_000, 3),
        "Sonnet 4.5": ContextWindow(200_000, 4),
        "Haiku 4.5": ContextWindow(200_000, 4),
    }
)
"""The windows of models by name. The skill listing may take 1% of a window (`tests/e2e/facts` compares)."""
LARGEST_WINDOW = ContextWindow(1_000_000, 4)
"""The window with the longest listing that any model has: Sonnet 4.6 with `[1m]`. Source: the CLI 2.1.332."""
MODEL_IDS = MappingProxyType({name: f"claude-{name.lower().replace(' ', '-').replace('.', '-')}" for name in WINDOWS})
"""The name by which a request identifies each model."""


def find_window(model: str) -> str | None:
    """Return the name in `WINDOWS` for a family, a name or a model id, or None."""
    wanted = _DATE.sub("", model.casefold().removeprefix("claude-").replace(" ", "-").replace(".", "-"))
    keys = {name: name.casefold().replace(" ", "-").replace(".", "-") for name in WINDOWS}
    return next((name for name, key in keys.items() if wanted in (key, key.partition("-")[0])), None)
