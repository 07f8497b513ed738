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
        ("## Examples\n\n```bash\n/birds:tally\n```", [Severity.LOW]),
        ("## Examples of steps\n\nRun `/birds:tally`.", [Severity.MEDIUM]),
        ("Log as `/birds:cmd` or `/birds:commandname`.", []),
        ("| Kind | Example |\n|---|---|\n| command | `/birds:weigh` |", []),
        ("| Kind | Example |\n|---|---|\n| command | `/birds:tally` |", [Severity.MEDIUM]),
        ("| Example | Call |\n|---|---|\n| one | `/birds:weigh` |", [Severity.LOW]),
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


@pytest.mark.parametrize(
    ("path", "name", "severity"),
    [
        (".claude/commands/publish.md", "publish", Severity.LOW),
        (".claude/commands/publish.md", "ring", Severity.MEDIUM),
        (".claude/skills/publish/SKILL.md", "publish", Severity.MEDIUM),
    ],
)
def test_command_that_calls_itself_in_its_examples_by_a_plugin_is_low(path, name, severity):
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', "commands/ring-birds.md": COMMAND % "Ring."}
    text = f"---\nname: publish\ndescription: Publishes.\n---\n\n## Examples\n\n/birds:{name} 1.70\n"
    kind = UnitKind.SKILL if path.endswith("SKILL.md") else UnitKind.COMMAND
    rows = find_rows("PRJ-040", {**files, path: text}, kind)
    assert [row[1] for row in rows] == [severity]


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


@pytest.mark.parametrize(
    ("first", "second", "count"),
    [
        ("Counts the gulls of a bay by the photos of the last tide.", "", 1),
        ("Planning stage of a count. Use for planning, timing and doing it.", "Timing stage", 0),
        ("Gulls by terns: counts the gulls of a bay, the photos and the boats.", "Terns by gulls", 0),
    ],
)
def test_same_description_has_the_same_words_in_the_same_order(first, second, count):
    text = "---\nname: %s\ndescription: %r\n---\n\nCount.\n"
    other = " ".join([second, *first.split()[len(second.split()) :]]).strip()
    files = {".claude/skills/a/SKILL.md": text % ("a", first), ".claude/skills/b/SKILL.md": text % ("b", other)}
    assert len(find_rows("PRJ-030", files, UnitKind.SKILL)) == count


@pytest.mark.parametrize(("key", "count"), [("skill_id: count-birds", 0), ("product_id: B1", 0), ("version_id: 3", 1)])
def test_name_beside_an_id_is_for_people(key, count):
    text = f"---\n{key}\nname: Count Birds\ndescription: Counts. Use when birds are to be counted.\n---\n\nCount.\n"
    assert len(find_rows("SPEC-002", {"SKILL.md": text})) == count
    assert len(find_rows("SPEC-002", {"SKILL.md": text.replace("name: Count Birds\n", "")})) == 1


@pytest.mark.parametrize(
    ("folder", "text", "severity"),
    [
        ("template-skill", "# Skill", Severity.LOW),
        ("skill-template", "", Severity.LOW),
        ("template", "# Skill", Severity.LOW),
        ("birds", "# Insert instructions below", Severity.LOW),
        ("birds", "# Insert instructions below\n\n## Steps", Severity.CRITICAL),
        ("birds", "# Birds", Severity.CRITICAL),
        ("email-templates", "# Mails", Severity.CRITICAL),
    ],
)
def test_template_without_instructions_is_low(folder, text, severity):
    skill = f"---\nname: {folder}\ndescription: Counts.\n---\n\n{text}\n"
    rows = find_rows("SPEC-006", {f"skills/{folder}/SKILL.md": skill}, UnitKind.SKILL)
    assert [row[1] for row in rows] == [severity]
