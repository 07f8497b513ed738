"""Find frontmatter that is not at the beginning of its file: Claude Code does not read it.

Source: the CLI 2.1.332; `tests/e2e/facts/test_agent_facts.py` asks it. Only a byte order mark may come first.
"""

from collections.abc import Iterable

from actions.project.frontmatter import read_values

_MARK = "---"
_MAX_LINES = 30
"""Number of lines in which the frontmatter must begin."""


def find_late_frontmatter(text: str) -> int:
    """Return the line at which frontmatter with a description begins below other text, or 0.

    Above it are only blank lines, headings, comments or the start of a fence. A `---` below prose is a ruler.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    number = next((n for n, line in enumerate(lines[:_MAX_LINES], 1) if line.strip() == _MARK), 0)
    if number == 0 or text.removeprefix("\ufeff").startswith(_MARK) or not _is_preface(lines[: number - 1]):
        return 0
    block = "\n".join((_MARK, *lines[number:]))
    return number if (read_values(block) or {}).get("description") else 0


def _is_preface(lines: Iterable[str]) -> bool:
    """Return whether lines are only headings, comments, the start of a fence, and blank lines."""
    is_in_comment = False
    for line in map(str.strip, lines):
        is_in_comment |= line.startswith("<!--")
        if line and not is_in_comment and not line.startswith(("#", "```", "~~~")):
            return False
        is_in_comment &= "-->" not in line
    return True
