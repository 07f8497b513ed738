"""The Claude Code of the SDK's wheel, and what makes its short sessions cost less CPU."""

from importlib.util import find_spec
from pathlib import Path

_SDK = find_spec("claude_agent_sdk")  # the import itself takes half a second of CPU
assert _SDK
assert _SDK.origin
CLAUDE = Path(_SDK.origin).parent / "_bundled" / "claude"
QUICK = {
    "BUN_JSC_useJIT": "0",  # it lives for a second: its compiler costs more than it saves
    "BUN_JSC_useGC": "0",  # a third of the CPU of a start would go into garbage that is 20 MB
}
"""Variables of its environment."""
