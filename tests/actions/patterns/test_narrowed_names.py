"""Test the exceptions of patterns about names, which had false positives in repositories not used to develop them."""

import json

import pytest

from schemas.vocabulary import Severity, UnitKind
from tests.actions.patterns.rows import find_rows

COMMAND = "---\ndescription: Counts.\n---\n\n# Count\n\n%s\n"


@pytest.mark.parametrize(
    ("text", "severities"),
    [
        ("## Usage\n\n```\n/birds:tally\n```", [Severity.LOW]),
        ("## Steps\n\nRun `/birds:tally`.", [Severity.MEDIUM]),
        ("## Steps\n\nRun `/birds:ring`.", [Severity.MEDIUM]),
        ("## Steps\n\nRun `/birds:counts`.", [Severity.MEDIUM]),
        ("## Steps\n\nRun `/birds:weigh`.", [Severity.LOW]),
        ("## Steps\n\nRun `/birds:feathers`.", [Severity.LOW]),
        ("```text\n[WARN] two names: /count\n       /birds:tally\n```", []),
        ("```text\n/birds:tally\n```", [Severity.MEDIUM]),
    ],
)
def test_missing_name_is_low_in_usage_or_if_the_project_has_no_such_name(text, severities):
    files = {
        ".claude-plugin/plugin.json": '{"name": "birds"}',
        "commands/count.md": COMMAND % text,
        "commands/ring-birds.md": COMMAND % "Ring.",
        "shims/commands/tally.md": COMMAND % "Tally.",
        "skills/sort/references/feathers.md": "# Feathers\n",
    }
    assert [finding[1] for finding in find_rows("PRJ-040", files, UnitKind.COMMAND)] == severities


def test_dropped_descriptions_count_a_name_once():
    text = "---\nname: {0}\ndescription: " + "Counts birds. " * 100 + "\n---\n\nCount.\n"
    skills = {f"skills/s{n}/SKILL.md": text.format(f"s{n}") for n in range(20)}
    shadowing_commands = {f"commands/s{n}.md": text.format("") for n in range(20)}
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', **skills}
    assert find_rows("PRJ-027", files | shadowing_commands, UnitKind.SKILL) == []


def test_name_ends_before_a_letter_of_another_script():
    text = COMMAND % "다시 `/birds:count`, /birds:count을 실행하세요."
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', "commands/count.md": text}
    assert find_rows("PRJ-040", files, UnitKind.COMMAND) == []


def test_units_that_two_plugins_load_have_both_names():
    plugins = [{"name": "all", "source": "./"}, {"name": "birds", "source": "./plugins/birds"}]
    files = {
        ".claude-plugin/marketplace.json": json.dumps({"name": "shore", "owner": {"name": "Ada"}, "plugins": plugins}),
        ".claude-plugin/plugin.json": '{"name": "all", "commands": ["./plugins/birds/commands"]}',
        "plugins/birds/.claude-plugin/plugin.json": '{"name": "birds"}',
        "plugins/birds/commands/count.md": COMMAND % "Run `/birds:count`, `/all:count` or `/birds:tally`.",
    }
    assert [finding[2] for finding in find_rows("PRJ-040", files, UnitKind.COMMAND)] == [
        "The plugin has no command or skill `birds:tally`."
    ]
