"""Compare the prompts that sub-agents were sent with the templates of the text."""

from collections.abc import Iterator

from actions.history.hits import Hit
from actions.regex import regex

_OPEN = regex(r"[\[\]<>{}$]|\.\.\.|…")
"""What marks a line of a template as one that is filled in."""
_FEW = 3


def find_deviations(hit: Hit) -> Iterator[str]:
    """Yield what a call lacks of its template: arguments with another value, and fixed lines of the prompt."""
    given = dict(zip(hit.fact.key[::2], hit.fact.key[1::2], strict=True))
    sent = hit.step.call
    for name in ("model", "subagent_type"):
        value = given.get(name, "")
        if value and not _OPEN.search(value) and sent.get(name) != value:
            yield f"`{name}` is {sent.get(name) or 'missing'}, not {value}"
    prompt = " ".join(sent.get("prompt").split())
    for line in given.get("prompt", "").split("\n"):
        words = line.split()
        if len(words) >= _FEW and not _OPEN.search(line) and " ".join(words) not in prompt:
            yield f'the prompt lacks "{" ".join(words)}"'
