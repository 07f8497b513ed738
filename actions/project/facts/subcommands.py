"""List the subcommands of `claude` that manage plugins and MCP servers.

Source: the CLI 2.1.330. `claude plugin NAME` and `claude mcp NAME` fail with "unknown command" for every other name.
"""

from collections.abc import Mapping
from types import MappingProxyType

SUBCOMMANDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "plugin": frozenset(
            "configure details disable enable eval help init new install i list marketplace prune autoremove"
            " restore-set-aside tag test uninstall remove update validate".split()
        ),
        "plugin marketplace": frozenset("add help list remove rm update".split()),
        "mcp": frozenset(
            "add add-from-claude-desktop add-json get help list login logout remove reset-project-choices serve".split()
        ),
    }
)
