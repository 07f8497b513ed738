"""Test where frontmatter is found that is not at the beginning of its file."""

import pytest

from actions.project.late_frontmatter import find_late_frontmatter

BLOCK = "---\nname: counter\ndescription: Counts.\n---\n\nCount.\n"


@pytest.mark.parametrize(
    ("above", "line"),
    [
        ("# Counter\n\n", 3),
        ("\r\n\r\n", 3),
        ("<!-- A note\nof two lines. -->\n", 3),
        ("```markdown\n", 2),
        (" ", 1),
    ],
)
def test_frontmatter_below_other_text_is_found(above, line):
    assert find_late_frontmatter(above + BLOCK) == line


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        "\ufeff" + BLOCK,
        "# Counter\n\nCount.\n",
        "An agent has this form:\n\n" + BLOCK,
        "# Counter\n\n---\n\nCount.\n\n---\n",
        "<!-- A note. -->\nCount.\n" + BLOCK,
        "# Counter\n\n" + BLOCK.replace("description: Counts.\n", ""),
        "\n" * 40 + BLOCK,
    ],
)
def test_other_text_has_no_late_frontmatter(text):
    assert find_late_frontmatter(text) == 0
