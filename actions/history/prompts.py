"""Compare the prompts of sub-agents with the prompt templates in the text."""

from collections.abc import Iterator

from actions.agent_types import normalize_agent_type
from actions.history.matches import Match
from actions.regex import regex

_PLACEHOLDER = regex(r"[\[\]<>{}$]|\.\.\.|…")
"""Characters that mark a placeholder, which a run fills in."""
_MIN_WORDS = 3
"""Minimum number of words of a template line that must be in the prompt."""


def find_deviations(match: Match) -> Iterator[str]:
    """Yield the deviations of a call from its template: different argument values, and missing lines in the prompt."""
    template = dict(zip(match.fact.key[::2], match.fact.key[1::2], strict=True))
    call = match.step.call
    for name in ("model", "subagent_type"):
        value = template.get(name, "")
        normalize = normalize_agent_type if name == "subagent_type" else str
        if value and not _PLACEHOLDER.search(value) and normalize(call.get(name)) != normalize(value):
            yield f"`{name}` is {call.get(name) or 'missing'}, not {value}"
    prompt = " ".join(call.get("prompt").split())
    for line in template.get("prompt", "").split("\n"):
        words = line.split()
        if len(words) >= _MIN_WORDS and not _PLACEHOLDER.search(line) and " ".join(words) not in prompt:
            yield f'the prompt lacks "{" ".join(words)}"'
