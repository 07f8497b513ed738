"""Small readings of prose: the assistant's last words, and what the user asked for. Words are matched as words."""

import re
from collections.abc import Iterator

_ORDER = r"(?:^|[.!?,;:\n]\s*|\b(?:and|then|please|also|now|can you|could you|let'?s|you should|must)\s+)"
_COMMIT = re.compile(_ORDER + r"(?:git )?commit\b(?! (?:message|hash|history|id|sha)s?\b)", re.I)
_PUSH = re.compile(_ORDER + r"(?:git )?push\b|\bcommit,? (?:and|&) push\b", re.I)
_REQUEST = re.compile(
    r"\b(?:open|create|make|raise|submit|file|send|put up)\s+(?:(?:a|the|another|new|draft)\s+)*"
    r"(?:pr|pull request|mr)\b",
    re.I,
)
_NOT = re.compile(r"\b(?:don'?t|do not|never|without|no need to|before|instead of|not)\b[^.\n]{0,25}$", re.I)
_REVIEW = re.compile(
    r"\b(?:address|resolve|respond to|fix|handle|reply to|look at|comment on)\b[^.\n]{0,40}"
    r"\b(?:review|comments?|feedback|threads?)\b|/?[\w:-]*pr-address\b|\breview comments?\b", re.I
)  # fmt: skip
SHORT = 600
"""Characters of a prompt that may be an order; longer ones are plans and logs, whose words are not orders."""


def _ordered(pattern: re.Pattern[str], text: str, *hints: str) -> str:
    if len(text) > SHORT or not any(hint in text for hint in hints):
        return ""
    for found in pattern.finditer(text):
        if not _NOT.search(text[max(0, found.start() - 40) : found.start()]):
            return found[0].strip(" .,;:!?\n")
    return ""


def asks_commit(text: str) -> str:
    """Return the words that ask for a commit, or ""."""
    return _ordered(_COMMIT, text, "ommit")


def asks_push(text: str) -> str:
    """Return the words that ask for a push, or ""."""
    return _ordered(_PUSH, text, "ush")


def asks_request(text: str) -> str:
    """Return the words that ask for a pull request, or ""."""
    return _ordered(_REQUEST, text, "PR", "pr", "Pull", "pull", "MR", "mr")


def asks_review(text: str) -> str:
    """Return the words that ask to answer a review, or ""."""
    return _ordered(_REVIEW, text, "eview", "omment", "eedback", "hread", "pr-address")


def lines_with(text: str, hints: tuple[str, ...]) -> Iterator[str]:
    """Return the lines that hold one of some plain texts, in no certain order, each at least once."""
    for hint in hints:
        at = text.find(hint)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
            end = end if end >= 0 else len(text)
            yield text[start:end]
            at = text.find(hint, end)


def line_with(pattern: re.Pattern[str], text: str) -> str:
    """Return the first line that a pattern meets, or ""."""
    found = pattern.search(text)
    if found is None:
        return ""
    start = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.end())
    return text[start : end if end >= 0 else len(text)].strip()
