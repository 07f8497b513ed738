"""Compare the prompts sent to sub-agents with the prompt templates in the text."""

from collections.abc import Iterator

from actions.history.hits import Hit
from actions.regex import regex

_PLACEHOLDER = regex(r"[\[\]<>{}$]|\.\.\.|…")
"""Characters that mark a placeholder, which a run fills in."""
_MIN_WORDS = 3
"""Minimum number of words in a line of a template for the prompt to have to contain it."""


def find_deviations(hit: Hit) -> Iterator[str]:
    """Yield the deviations of a call from its template: different argument values, lines missing from the prompt."""
    given = dict(zip(hit.fact.key[::2], hit.fact.key[1::2], strict=True))
    sent = hit.step.call
    for name in ("model", "subagent_type"):
        value = given.get(name, "")
        if value and not _PLACEHOLDER.search(value) and sent.get(name) != value:
            yield f"`{name}` is {sent.get(name) or 'missing'}, not {value}"
    prompt = " ".join(sent.get("prompt").split())
    for line in given.get("prompt", "").split("\n"):
        words = line.split()
        if len(words) >= _MIN_WORDS and not _PLACEHOLDER.search(line) and " ".join(words) not in prompt:
            yield f'the prompt lacks "{" ".join(words)}"'
