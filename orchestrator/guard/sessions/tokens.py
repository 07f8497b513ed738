"""How full the context window is, from the usage that the transcript tells last."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.fs import tail
from orchestrator.guard.sessions.config import ConsciousnessConfig

_KEYS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
_BOUNDARY = b"compact_boundary"
_USAGE = b'"usage"'


@dataclass(frozen=True)
class TokenBudget:
    """Tokens of the context window, and how many of them are used."""

    window: int
    used: int

    @property
    def left(self) -> int:
        """Tokens that are left."""
        return max(0, self.window - self.used)

    @property
    def percent_left(self) -> float:
        """Share of the window that is left, 0 to 100."""
        return round(100 * self.left / self.window, 1)


def get_token_budget(transcript: Path | None, root: Path | None = None) -> TokenBudget:
    """Give the budget of a session: all of it is left when its transcript is missing or was just compacted.

    Used is what the main agent's last message sent and received: one message, so its usage counts once.
    """
    return TokenBudget(ConsciousnessConfig(root).get("context_window"), _used(transcript) if transcript else 0)


def _used(transcript: Path) -> int:
    """Read from the end: a session of any length costs its last records alone."""
    try:
        with transcript.open("rb") as file:
            for line in tail.newest_first(file):
                if _BOUNDARY in line and _record(line).get("subtype") == "compact_boundary":
                    return 0
                if _USAGE in line and (used := _usage(_record(line))):
                    return used
    except OSError:
        return 0
    return 0


def _usage(record: Mapping[str, Any]) -> int:
    message = record.get("message")
    if record.get("type") != "assistant" or record.get("isSidechain") is True or not isinstance(message, dict):
        return 0
    usage = message.get("usage")
    if not isinstance(usage, dict):
        return 0
    counts = (usage.get(key) for key in _KEYS)
    return sum(count for count in counts if type(count) is int and count > 0)


def _record(line: bytes) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
