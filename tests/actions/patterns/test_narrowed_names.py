"""Test the exceptions of patterns about names, which had false positives in repositories not used to develop them."""

import json

import pytest

from schemas.vocabulary import Severity, UnitKind
from tests.actions.patterns.rows import FRONTMATTER, find_rows


def make_plugin(names):
    texts = {folder: FRONTMATTER.replace("example", name) + "---\n\nCount.\n" for folder, name in names.items()}
    skills = {f"skills/{folder}/SKILL.md": text for folder, text in texts.items()}
    return {".claude-plugin/plugin.json": '{"name": "birds"}\n', **skills}


@pytest.mark.parametrize(
    ("names", "count"),
    [
        ({"count": "birds-count", "ring": "birds-ring", "list": "birds-list"}, 0),
        ({"count": "birds:count", "ring": "birds:ring", "list": "birds:list", "tell": "tell"}, 0),
        ({"ui-count": "count", "db-ring": "ring", "io-list": "list"}, 0),
        ({"count": "birds-count", "ring": "birds:ring", "list": "list"}, 0),
        ({"count": "gulls-count", "ring": "ring", "list": "list"}, 1),
        ({"01-count": "count", "02-ring": "ring", "03-list": "list"}, 0),
        ({"count-master": "count", "ring-master": "ring", "list": "list"}, 2),
        ({"count": "A Count", "ring": "A Ring", "list": "A List"}, 3),
    ],
)
def test_names_that_follow_a_convention_are_ignored(names, count):
    assert len(find_rows("SPEC-002", make_plugin(names), UnitKind.SKILL)) == count


def test_same_affix_in_several_plugins_is_a_convention():
    files = {}
    for name in ("count", "ring", "list"):
        text = FRONTMATTER.replace("example", name) + "---\n\nCount.\n"
        files[f"plugins/{name}/.claude-plugin/plugin.json"] = json.dumps({"name": name})
        files[f"plugins/{name}/skills/{name}-master/SKILL.md"] = text
    assert [row[2].split("`")[3] for row in find_rows("SPEC-002", files, UnitKind.SKILL)] == []
    files["plugins/list/skills/sort-it/SKILL.md"] = FRONTMATTER.replace("example", "sort") + "---\n\nSort.\n"
    assert [row[2].split("`")[3] for row in find_rows("SPEC-002", files, UnitKind.SKILL)] == ["sort-it"]


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


def test_name_that_is_the_path_of_a_skill_is_ignored():
    files = make_plugin({"count": "birds-count"})
    moved_files = {path.replace("skills/", "skills/birds/"): text for path, text in files.items()}
    assert find_rows("SPEC-002", moved_files, UnitKind.SKILL) == []


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


def name_skills(count, head, folder="kit{0}/skills/birds-{0}"):
    """Return plugins with one skill each, and a skill of the project that has a name and a description."""
    skills = {f"{folder.format(n)}/SKILL.md": f"---\n{head.format(n)}\n---\n\nCount.\n" for n in range(count)}
    manifests = {f"kit{n}/.claude-plugin/plugin.json": f'{{"name": "kit{n}"}}' for n in range(count)}
    return {
        **skills,
        **manifests,
        ".claude/skills/tally/SKILL.md": f"{FRONTMATTER}---\n\nCount.\n".replace("example", "tally"),
    }


@pytest.mark.parametrize(
    ("head", "count", "reported"),
    [
        ("name: ada-birds-{}\ndescription: Counts.", 5, 0),
        ("name: ada:birds-{}\ndescription: Counts.", 5, 0),
        ("name: ada-birds-{}\ndescription: Counts.", 4, 4),
        ("name: a{0}-birds-{0}\ndescription: Counts.", 5, 5),
        ("description: Counts.\nmodel: haiku", 5, 0),
        ("description: Counts.\nmodel: haiku", 4, 4),
        ("description: Counts.", 5, 5),
        ("description: Counts.", 6, 0),
        ("name:\ndescription: Counts.\nmodel: haiku", 5, 5),
    ],
)
def test_family_of_five_skills_may_have_names_of_its_own(head, count, reported):
    assert len(find_rows("SPEC-002", name_skills(count, head), UnitKind.SKILL)) == reported


@pytest.mark.parametrize(
    ("text", "count"), [("Run `claw publish ./ --slug bird-count`.", 0), ("Run `--slug tally`.", 1)]
)
def test_name_under_which_a_package_is_published_is_meant(text, count):
    skill = FRONTMATTER.replace("example", "bird-count") + "---\n\nCount.\n"
    files = {"packages/claw/SKILL.md": skill, "packages/claw/package.json": "{}", "packages/claw/PUBLISHING.md": text}
    assert len(find_rows("SPEC-002", files, UnitKind.SKILL)) == count
