"""Propose the fix of one strategy for a finding in a text."""

from actions.fixes.strategies import find_strategy
from tests.actions.fixes.strategies.issues import make_read_issue
from tests.examples import make_example_case

FILE = "# A file\n\nIt says what it says.\n"


def draft_at(name, pattern, example, file="SKILL.md"):
    """Return the first draft that a strategy makes for a finding on any line of a file, as text by path, or None."""
    case = make_example_case(example)
    module, lines = find_strategy(name), case.skill.by_path[file].doc.lines
    drafts = (module.propose(make_read_issue(pattern, file, n), case) for n in range(1, len(lines) + 1))
    draft = next((d for d in drafts if d), None)
    return draft and {path: data.decode() for path, data in draft.writes.items()}


def make_frontmatter(**keys):
    lines = {"name": "example", "description": "Counts words. Use when asked.", **keys}
    return "---\n" + "".join(f"{key.replace('__', '-')}: {value}\n" for key, value in lines.items()) + "---\n\n"
