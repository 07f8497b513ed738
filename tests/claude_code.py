"""Locate the Claude Code in the SDK's wheel, and define an environment that saves CPU in its short sessions."""

from importlib.util import find_spec
from pathlib import Path

_SDK = find_spec("claude_agent_sdk")  # the import itself takes half a second of CPU
assert _SDK
assert _SDK.origin
CLAUDE = Path(_SDK.origin).parent / "_bundled" / "claude"
LOW_CPU_ENVIRONMENT = {
    "BUN_JSC_useJIT": "0",  # a session takes a second, so the compiler costs more than it saves
    "BUN_JSC_useGC": "0",  # at a start, a third of the CPU would go into the collection of 20 MB
}
"""Environment variables for a Claude Code in tests."""
