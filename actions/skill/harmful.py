"""Find text that no model's draft may add: a URL, a download, or text that makes Claude Code run or read something."""

import re
from collections.abc import Iterator

from actions.regex import regex

_HARMFUL = {
    "a URL": regex(r"[a-z][a-z0-9+.-]{0,30}://\S+|\bwww\.\S+", re.IGNORECASE),
    "a download (`curl`, `wget`)": regex(r"\b(?:curl|wget)\b[^\n]*(?:\w\.[a-z]{2,}\b|\|)[^\n]*", re.IGNORECASE),
    "a command that runs on its own (`!`)": regex(r"!`[^`]*`?|```!.*"),
    "a file that is read on its own (`@path`)": regex(r"(?<![\w`])@(?:[\w~./-]+|\"[^\"]*)"),
}
"""As wide as the expressions of Claude Code 2.1.332: commands on one line and on several, quoted paths."""


def find_harmful(before: str, after: str) -> Iterator[str]:
    """Yield the kinds of harmful text that are new in the text `after`."""
    for what, pattern in _HARMFUL.items():
        if set(pattern.findall(after)) - set(pattern.findall(before)):
            yield what
