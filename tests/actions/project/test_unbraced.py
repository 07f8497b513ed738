"""Test that `$CLAUDE_PLUGIN_ROOT` without braces is found in shell code, and not in text about it."""

import pytest

from actions.project.unbraced import find_unbraced_in_code
from actions.skill.skill import SkillFile


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("```bash\nls\ncat $CLAUDE_PLUGIN_ROOT/a\n```\n", [3]),
        ("```sh\ncat \"$CLAUDE_PLUGIN_ROOT\"/a\ncat $CLAUDE_PLUGIN_ROOT/b\n```\n", [2, 3]),
        ("```bash\ncat ${CLAUDE_PLUGIN_ROOT}/a $CLAUDE_PLUGIN_ROOTS\n```\n", []),
        ("```bash\nexport CLAUDE_PLUGIN_ROOT=/x\ncat $CLAUDE_PLUGIN_ROOT/a\n```\n", []),
        ("```json\n{\"command\": \"$CLAUDE_PLUGIN_ROOT/a\"}\n```\n", []),
        ("```bash\n# hooks.json\n\"command\": \"$CLAUDE_PLUGIN_ROOT/a\"\n```\n", []),
        ("```bash\ncat $CLAUDE_PLUGIN_ROOT/a\n```\nIf `$CLAUDE_PLUGIN_ROOT` is not set, ask.\n", []),
        ("```bash\nD=${CLAUDE_PLUGIN_ROOT:+$CLAUDE_PLUGIN_ROOT/a}\ncat $CLAUDE_PLUGIN_ROOT/b\n```\n", [3]),
        ("The variable `$CLAUDE_PLUGIN_ROOT` is set for hooks.\n", []),
    ],
)  # fmt: skip
def test_lines_of_shell_code_are_found(text, lines):
    assert [line for line, _ in find_unbraced_in_code(SkillFile("a.md", text.encode()))] == lines
