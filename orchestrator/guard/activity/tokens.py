"""Compute how much of the context window is used, from the last token usage in the transcript."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from orchestrator.fs import tail
from orchestrator.guard.sessions.config import ProjectConfig

_TOKEN_KEYS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
_BOUNDARY = b"compact_boundary"
_USAGE = b'"usage"'


class TokenBudget(msgspec.Struct, frozen=True):
    """The size of the context window, and the part of it that is used, in tokens."""

    window: int
    used: int

    @property
    def tokens_left(self) -> int:
        """The number of tokens that are still free."""
        return max(0, self.window - self.used)

    @property
    def percent_left(self) -> float:
        """The free part of the window in percent, 0 to 100."""
        return round(100 * self.tokens_left / self.window, 1)


def get_token_budget(transcript: Path | None, root: Path | None = None) -> TokenBudget:
    """Return the token budget of a session.

    It is computed from the input and output tokens of the main agent's last message. If there is no transcript, or if a
    compaction has just happened, `used` is 0.
    """
    return TokenBudget(ProjectConfig(root).get("context_window"), _read_used_tokens(transcript) if transcript else 0)


def _read_used_tokens(transcript: Path) -> int:
    """Return the number of tokens in use at the end of a transcript, read backwards, which is fast at any length."""
    try:
        with transcript.open("rb") as file:
            for line in tail.read_newest_first(file):
                if _BOUNDARY in line and _parse_record(line).get("subtype") == "compact_boundary":
                    return 0
                if _USAGE in line and (used := _count_usage(_parse_record(line))):
                    return used
    except OSError:
        return 0
    return 0


def _count_usage(record: Mapping[str, Any]) -> int:
    message = record.get("message")
    if record.get("type") != "assistant" or record.get("isSidechain") is True or not isinstance(message, dict):
        return 0
    usage = message.get("usage")
    if not isinstance(usage, dict):
        return 0
    counts = (usage.get(key) for key in _TOKEN_KEYS)
    return sum(count for count in counts if type(count) is int and count > 0)


def _parse_record(line: bytes) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
