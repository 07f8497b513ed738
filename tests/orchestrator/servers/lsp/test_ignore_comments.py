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
from tests.fakes import HEAD, a_pattern, birds, install, unused_messages


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    birds(monkeypatch)


def a_case(text, path="SKILL.md"):
    files = {"SKILL.md": (HEAD + "See [all](x.md) and [it](x.sh).\n").encode(), path: text.encode()}
    return Case(parse_skill("plover", files))


def ignored(text, path="SKILL.md"):
    """Return a text with a comment that ignores its only open finding, or None if no line can hold the comment."""
    case = a_case(text, path)
    (issue,) = (one for one in make_issues(scan(case)) if one.location.file == path)
    place = find_insertion(case, issue, Text(text, PositionCodec()))
    if place is None:
        return None
    new = text.lstrip("\ufeff")
    new = new[: place.offset] + place.text + new[place.offset :]
    assert not [found for found in scan(a_case(new, path)).open if found.file == path]
    assert unused_messages(scan(a_case(new, path))) == []
    return new


HTML = "<!-- tune-skill: ignore AGT-001 -->"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("One CRANE.\n", f"{HTML}\nOne CRANE.\n"),
        ("One\nCRANE here.\n", f"One\nCRANE here. {HTML}\n"),
        ("- one\n- CRANE\n- two\n", f"- one\n- CRANE {HTML}\n- two\n"),
        ("## The CRANE\n\nText\n", f"{HTML}\n## The CRANE\n\nText\n"),
        ("| a | b |\n|---|---|\n| 1 | CRANE |\n", f"| a | b |\n|---|---|\n| 1 | CRANE | {HTML}\n"),
        ("1. one\n\n   ```js\n   go(CRANE)\n   ```\n",
         "1. one\n\n   ```js\n   // tune-skill: ignore AGT-001\n   go(CRANE)\n   ```\n"),
        ("```python\nif a:\n    go(CRANE)\n```\n",
         "```python\nif a:\n    # tune-skill: ignore AGT-001\n    go(CRANE)\n```\n"),
        ("```ts\ngo(CRANE)\n```\n", "```ts\n// tune-skill: ignore AGT-001\ngo(CRANE)\n```\n"),
        ("```sh\ngo CRANE\n```\n", "```sh\n# tune-skill: ignore AGT-001\ngo CRANE\n```\n"),
        ("```json\n{\"CRANE\": 1}\n```\n", f"{HTML}\n```json\n{{\"CRANE\": 1}}\n```\n"),
        ("```\nCRANE\n```\n", f"{HTML}\n```\nCRANE\n```\n"),
        ("One CRANE.\r\nTwo.\r\n", f"{HTML}\r\nOne CRANE.\r\nTwo.\r\n"),
    ],
)  # fmt: skip
def test_comment_fits_its_place(before, after):
    assert ignored(HEAD + before) == HEAD + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # on the line above, the comment would be part of the command, text or string
        ("```bash\ngo \\\n  CRANE\n```\n", "```bash\ngo \\\n  CRANE # tune-skill: ignore AGT-001\n```\n"),
        ("```bash\ncat <<X\nCRANE\nX\n```\n", f"{HTML}\n```bash\ncat <<X\nCRANE\nX\n```\n"),
        ('```python\na = """\nCRANE\n"""\n```\n', f'{HTML}\n```python\na = """\nCRANE\n"""\n```\n'),
        ("```js\na(`\nCRANE\n`)\n```\n", f"{HTML}\n```js\na(`\nCRANE\n`)\n```\n"),
    ],
)
def test_comment_is_never_inside_a_string_or_command(before, after):
    assert ignored(HEAD + before) == HEAD + after


def test_comment_in_frontmatter_is_yaml():
    head = "---\nname: plover\ndescription: CRANE\n---\n\nText\n"
    assert ignored(head) == head.replace("desc", "# tune-skill: ignore AGT-001\ndesc")
    assert ignored("---\nname: plover\ndescription: |\n  One\n  CRANE\n---\n\nText\n") is None


def test_comment_on_whole_frontmatter_goes_below_first_line(monkeypatch):
    install(monkeypatch, [a_pattern("AGT-001", "---")], [])
    case = a_case("---\nname: plover\n---\n\nText\n")
    issue = make_issues(scan(case))[0]
    place = find_insertion(case, issue, Text(case.skill.main.text, PositionCodec()))
    assert (issue.location.line_start, place.offset, place.text) == (1, 4, "# tune-skill: ignore AGT-001\n")


def test_comment_in_script_keeps_the_first_line(monkeypatch):
    def check(case):
        lines = (
            (file, n) for file in case.skill.scripts for n, line in enumerate(file.doc.lines, 1) if "CRANE" in line
        )
        yield from (Finding(file.path, n, "A crane.") for file, n in lines)

    pattern = a_pattern("AGT-001", "CRANE")
    pattern.check = check
    install(monkeypatch, [pattern], [])
    assert ignored("#!/bin/sh\ngo CRANE\n", "x.sh") == "#!/bin/sh\n# tune-skill: ignore AGT-001\ngo CRANE\n"
    assert ignored("#!/bin/CRANE\ngo\n", "x.sh") == "#!/bin/CRANE # tune-skill: ignore AGT-001\ngo\n"
