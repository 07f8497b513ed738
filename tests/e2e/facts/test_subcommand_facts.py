"""Test that the subcommands of `claude` that manage plugins and servers are those in our table."""

import re
import subprocess

import pytest

from actions.project.facts.subcommands import SUBCOMMANDS
from tests.claude_code import CLAUDE
from tests.e2e.facts.claude_cli import QUIET


@pytest.mark.parametrize("parent", SUBCOMMANDS)
def test_table_lists_the_subcommands(parent, tmp_path):
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": str(tmp_path), **QUIET}
    command = [CLAUDE, *parent.split(), "--help"]
    result = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    name_cells = re.findall(r"(?m)^  ([a-z][\w|-]*)", result.stdout.partition("Commands:")[2])
    assert {name for names in name_cells for name in names.split("|")} == SUBCOMMANDS[parent]
