"""Test that the same mistake, repeated in a hooks file or a list of tools, is one finding."""

from actions.patterns import get_patterns
from actions.scoring.scan import scan
from tests.examples import project_cases

HOOK = '{"hooks": [{"type": "command", "command": "true", "timeout": %d}]}'
RULE = '{"matcher": "Bash(git %s:*)", "hooks": [{"type": "command", "command": "true"}]}'


def find(id, path, text):
    found = (scan(case).open for case in project_cases(get_patterns()[id], {path: text}))
    return [one for findings in found for one in findings if one.pattern.id == id]


def test_timeouts_in_milliseconds_are_one_finding_per_file():
    hooks = ",\n".join(f'"{event}": [{HOOK % n}]' for event, n in (("Stop", 5000), ("PreToolUse", 30000)))
    (one,) = find("PRJ-016", ".claude/settings.json", f'{{"hooks": {{{hooks}}}}}')
    assert len(one.locations) == 2


def test_permission_rules_as_matchers_are_one_finding_per_file():
    rules = ",\n".join(RULE % name for name in ("add", "commit"))
    (one,) = find("PRJ-008", ".claude/settings.json", f'{{"hooks": {{"PreToolUse": [{rules}]}}}}')
    assert len(one.locations) == 2


def test_misspelled_tools_of_a_line_are_one_finding():
    (one,) = find(
        "PRJ-017", ".claude/agents/counter.md", "---\nname: a\ndescription: b\ntools: read, bash\n---\n\nCount.\n"
    )
    assert one.message == "Unknown names `read`, `bash` in `tools`. Did you mean `Read`, `Bash`?"
