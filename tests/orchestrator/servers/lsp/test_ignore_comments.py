"""Test that the inserted comment that ignores a finding suppresses it and breaks no text around it."""

import pytest
from pygls.workspace import PositionCodec

from actions.case import Case
from actions.patterns.pattern import Finding
from actions.scoring.issues import make_issues
from actions.scoring.scan import scan
from actions.skill import parse_skill
from orchestrator.servers.lsp.ignore_comments import find_insertion
from orchestrator.servers.lsp.positions import Text
from tests.fakes import SKILL_HEADER, install_catalogue, install_word_catalogue, list_unused_messages, make_pattern


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install_word_catalogue(monkeypatch)


def make_case_of_file(text, path="SKILL.md"):
    files = {"SKILL.md": (SKILL_HEADER + "See [all](x.md) and [it](x.sh).\n").encode(), path: text.encode()}
    return Case(parse_skill("plover", files))


def add_comment(text, path="SKILL.md"):
    """Return a text with a comment that ignores its only open finding, or None if no line can hold the comment."""
    case = make_case_of_file(text, path)
    (issue,) = (issue_of_file for issue_of_file in make_issues(scan(case)) if issue_of_file.location.file == path)
    insertion = find_insertion(case, issue, Text(text, PositionCodec()))
    if insertion is None:
        return None
    new = text.lstrip("\ufeff")
    new = new[: insertion.offset] + insertion.text + new[insertion.offset :]
    assert not [finding for finding in scan(make_case_of_file(new, path)).open if finding.file == path]
    assert list_unused_messages(scan(make_case_of_file(new, path))) == []
    return new


HTML = "<!-- tune-skill: ignore AGT-001 -->"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("One FIXABLE.\n", f"{HTML}\nOne FIXABLE.\n"),
        ("One\nFIXABLE here.\n", f"One\nFIXABLE here. {HTML}\n"),
        ("- one\n- FIXABLE\n- two\n", f"- one\n- FIXABLE {HTML}\n- two\n"),
        ("## The FIXABLE\n\nText\n", f"{HTML}\n## The FIXABLE\n\nText\n"),
        ("| a | b |\n|---|---|\n| 1 | FIXABLE |\n", f"| a | b |\n|---|---|\n| 1 | FIXABLE | {HTML}\n"),
        ("1. one\n\n   ```js\n   go(FIXABLE)\n   ```\n",
         "1. one\n\n   ```js\n   // tune-skill: ignore AGT-001\n   go(FIXABLE)\n   ```\n"),
        ("```python\nif a:\n    go(FIXABLE)\n```\n",
         "```python\nif a:\n    # tune-skill: ignore AGT-001\n    go(FIXABLE)\n```\n"),
        ("```ts\ngo(FIXABLE)\n```\n", "```ts\n// tune-skill: ignore AGT-001\ngo(FIXABLE)\n```\n"),
        ("```sh\ngo FIXABLE\n```\n", "```sh\n# tune-skill: ignore AGT-001\ngo FIXABLE\n```\n"),
        ("```json\n{\"FIXABLE\": 1}\n```\n", f"{HTML}\n```json\n{{\"FIXABLE\": 1}}\n```\n"),
        ("```\nFIXABLE\n```\n", f"{HTML}\n```\nFIXABLE\n```\n"),
        ("One FIXABLE.\r\nTwo.\r\n", f"{HTML}\r\nOne FIXABLE.\r\nTwo.\r\n"),
    ],
)  # fmt: skip
def test_comment_has_the_syntax_of_its_place(before, after):
    assert add_comment(SKILL_HEADER + before) == SKILL_HEADER + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # On the line above, the comment would be part of the command, text or string.
        ("```bash\ngo \\\n  FIXABLE\n```\n", "```bash\ngo \\\n  FIXABLE # tune-skill: ignore AGT-001\n```\n"),
        ("```bash\ncat <<X\nFIXABLE\nX\n```\n", f"{HTML}\n```bash\ncat <<X\nFIXABLE\nX\n```\n"),
        ('```python\na = """\nFIXABLE\n"""\n```\n', f'{HTML}\n```python\na = """\nFIXABLE\n"""\n```\n'),
        ("```js\na(`\nFIXABLE\n`)\n```\n", f"{HTML}\n```js\na(`\nFIXABLE\n`)\n```\n"),
    ],
)
def test_comment_is_never_inside_a_string_or_command(before, after):
    assert add_comment(SKILL_HEADER + before) == SKILL_HEADER + after


def test_comment_in_frontmatter_is_yaml():
    text = "---\nname: plover\ndescription: FIXABLE\n---\n\nText\n"
    assert add_comment(text) == text.replace("desc", "# tune-skill: ignore AGT-001\ndesc")
    assert add_comment("---\nname: plover\ndescription: |\n  One\n  FIXABLE\n---\n\nText\n") is None


def test_comment_on_whole_frontmatter_goes_below_first_line(monkeypatch):
    install_catalogue(monkeypatch, [make_pattern("AGT-001", "---")], [])
    case = make_case_of_file("---\nname: plover\n---\n\nText\n")
    issue = make_issues(scan(case))[0]
    insertion = find_insertion(case, issue, Text(case.skill.main.text, PositionCodec()))
    assert (issue.location.line_start, insertion.offset, insertion.text) == (1, 4, "# tune-skill: ignore AGT-001\n")


def test_comment_in_script_keeps_the_first_line(monkeypatch):
    def check(case):
        lines = (
            (file, n) for file in case.skill.scripts for n, line in enumerate(file.doc.lines, 1) if "FIXABLE" in line
        )
        yield from (Finding(file.path, n, "A fixable.") for file, n in lines)

    pattern = make_pattern("AGT-001", "FIXABLE")
    pattern.check = check
    install_catalogue(monkeypatch, [pattern], [])
    assert add_comment("#!/bin/sh\ngo FIXABLE\n", "x.sh") == "#!/bin/sh\n# tune-skill: ignore AGT-001\ngo FIXABLE\n"
    assert add_comment("#!/bin/FIXABLE\ngo\n", "x.sh") == "#!/bin/FIXABLE # tune-skill: ignore AGT-001\ngo\n"
