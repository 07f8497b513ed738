"""List the types of MCP servers that Claude Code starts, and the key that each needs.

Source: the CLI 2.1.330. `claude plugin validate` and `claude mcp list` name the servers that it drops.
"""

from collections.abc import Mapping
from types import MappingProxyType

REQUIRED_KEYS: Mapping[str, str] = MappingProxyType(
    {"stdio": "command", "http": "url", "streamable-http": "url", "sse": "url", "ws": "url"}
)
"""Types that a file may name, each with the key that it needs."""
INTERNAL_TYPES = frozenset({"sse-ide", "ws-ide", "sdk", "claudeai-proxy"})
"""Types that only Claude Code itself writes."""
