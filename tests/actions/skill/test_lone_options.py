"""Test which options without a command are reported beside a command that the script rejects."""

import pytest

from tests.actions.patterns.rows import FRONTMATTER, find_rows

SCRIPT = """import argparse

p = argparse.ArgumentParser()
p.add_argument('file')
p.add_argument('--json', action='store_true')
args = p.parse_args()
"""
TEXT = f"""{FRONTMATTER}---

# Count

```bash
python3 scripts/count.py a
# or
python3 scripts/count.py a --sorted
```

- a chart (`--chart`)
- for programs (`--json`)
"""


def list_lines(text=TEXT, script=SCRIPT):
    files = {"SKILL.md": text, "scripts/count.py": script, "scripts/sort.py": "print(1)\n"}
    return [line for line, *_ in find_rows("DOC-CON-002", files)]


def test_lone_option_beside_an_unknown_option_is_reported():
    assert list_lines() == [11, 14]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a chart (`--chart`)", "no chart (`--chart`) any more"),
        ("a chart (`--chart`)", "a chart (`--chart` of `git diff`)"),
        ("- a chart", "## Other\n\n- a chart"),
        ("# or\n", "npm install --force\n"),
        ("for programs", "for sort.py"),
    ],
)
def test_option_that_may_belong_to_another_program_is_not_reported(old, new):
    assert list_lines(TEXT.replace(old, new)) == [11]


def test_lone_option_alone_is_not_reported():
    assert list_lines(TEXT.replace(" --sorted", "")) == []


def test_lone_option_that_the_script_has_elsewhere_is_not_reported():
    assert list_lines(script=SCRIPT + "# --chart\n") == [11]
