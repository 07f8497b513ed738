"""Test which names of agents, commands and skills in a text are reported as missing from their plugin."""

import pytest

from actions.patterns import get_patterns
from schemas.vocabulary import Severity
from tests.examples import list_project_cases

AGENT = "---\nname: counter\ndescription: Counts.\n---\n\nCount.\n"
FILES = {
    ".claude-plugin/plugin.json": '{"name": "birds"}',
    "agents/counter.md": AGENT,
    "commands/tools/count.md": "---\ndescription: Counts.\n---\n\nCount.\n",
    "skills/sort/SKILL.md": "---\nname: sort\ndescription: Sorts.\n---\n\nSort.\n",
    "workflows/walk.js": "walk()\n",
}


def list_messages(text, path="CLAUDE.md"):
    module = get_patterns()["PRJ-040"]
    return [f.message for case in list_project_cases(module, {**FILES, path: text}) for f in module.check(case)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Run `/birds:count`.", " Did you mean `birds:tools:count`?"),
        ("Run /birds:sorts.", " Did you mean `birds:sort`?"),
        ("```\n/birds:tally --all\n```", ""),
        ('Task(subagent_type="birds:count", prompt="Count.")', ""),
        ("Use subagent_type: 'birds:sort'.", ""),
        ("`subagent_type` = `birds::counter`", " Did you mean `birds:counter`?"),
    ],
)
def test_name_that_its_plugin_does_not_have_is_found(text, hint):
    (message,) = list_messages(f"# Birds\n\n{text}\n")
    assert message.endswith(f"`.{hint}")


@pytest.mark.parametrize(
    ("path", "is_found"),
    [
        ("packs/trees/commands/climb.md", False),
        ("packs/trees/skills/climb/SKILL.md", False),
        ("packs/trees/agents/climb.md", True),
        ("packs/trees/commands/more/climb.md", True),
        ("shims/commands/climb.md", True),
        (".claude/commands/climb.md", True),
    ],
)
def test_unit_in_a_part_of_its_plugin_is_not_reported(path, is_found):
    files = {
        **FILES,
        path: "---\nname: climb\ndescription: Climbs.\n---\n\nClimb.\n",
        "hooks/link.sh": "".join(f'ln -s "$ROOT/packs/$1/{kind}"/* .\n' for kind in ("agents", "commands", "skills")),
    }
    calls = {"Run `/birds:climb`.\n": is_found, "Task(subagent_type='birds:climb')\n": "/agents/" not in path}
    for call, is_expected in calls.items():
        cases = list_project_cases(get_patterns()["PRJ-040"], {**files, "CLAUDE.md": call})
        assert len([f for case in cases for f in get_patterns()["PRJ-040"].check(case)]) == is_expected


def test_unit_in_a_part_that_no_script_copies_is_reported():
    files = {**FILES, "packs/trees/commands/climb.md": "Climb.\n", "CLAUDE.md": "Run `/birds:climb`.\n"}
    cases = list_project_cases(get_patterns()["PRJ-040"], {**files, "run.sh": "ls /packs /commands\n"})
    assert len([f for case in cases for f in get_patterns()["PRJ-040"].check(case)]) == 1


@pytest.mark.parametrize("path", ["commands/more.md", "agents/more.md", "skills/more/SKILL.md"])
def test_texts_of_all_kinds_are_checked(path):
    assert len(list_messages("---\nname: more\ndescription: More.\n---\n\nRun `/birds:tally`.\n", path)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Run `/birds:tools:count`, `/birds:sort` or `/birds:walk`.",
        'Task(subagent_type="birds:counter", prompt="Count.")',
        "Run `/trees:count`.",
        "Run `/birds:tally` if available.",
        "Review: `/birds:tally` (if exists) or `/birds:sort`.",
        "`/birds:tally` was removed.",
        "Rejected: a skill `/birds:tally`.",
        "It would need a new `/birds:tally` skill.",
        "```\n❌ Failed\nShould be: /birds:tally\n```",
        "Run `/birds:<name>` or `/birds:count-*`.",
        "See https://example.org/birds:tally and docs/birds:tally.",
    ],
)
def test_name_that_exists_or_may_exist_is_not_reported(text):
    assert list_messages(f"# Birds\n\n{text}\n") == []


@pytest.mark.parametrize(
    ("path", "call"),
    [("agents/file.md", "Task(subagent_type='birds:owl')"), ("skills/file/SKILL.md", "Run `/birds:owl`.")],
)
def test_name_beside_a_value_without_quotes_is_known(path, call):
    text = f"---\nname: owl\ndescription: Counts: all owls: daily.\n---\n\n{call}\n"
    assert list_messages(text, path) == []
    assert len(list_messages(text.replace("name: owl", "name: hawk"), path)) == 1


def test_unit_can_be_called_by_the_name_in_its_frontmatter():
    files_with_named_skill = {"skills/order/SKILL.md": "---\nname: birds:rank\ndescription: Ranks.\n---\n\nRank.\n"}
    module = get_patterns()["PRJ-040"]
    files = {**FILES, **files_with_named_skill, "CLAUDE.md": "Run `/birds:rank`, then `/birds:order`.\n"}
    assert [f.message for case in list_project_cases(module, files) for f in module.check(case)] == []


@pytest.mark.parametrize(
    "line", ["| `/birds:fly` | TODO |\n", "`/birds:fly` is coming soon.\n", "Type `/birds:command`.\n"]
)
def test_planned_name_or_placeholder_is_not_reported(line):
    assert list_messages(line) == []


@pytest.mark.parametrize("value", ["birds:conter", '"birds:conter"'])
def test_agent_in_a_code_span_is_found_with_and_without_quotes(value):
    assert [message[:40] for message in list_messages(f"Call `Agent` with `subagent_type: {value}`.\n")] == [
        "The plugin has no agent `birds:conter`. "
    ]
    assert list_messages("Call `Agent` with `subagent_type: birds:conter-<kind>`.\n") == []


@pytest.mark.parametrize(
    ("call", "others", "expected"),
    [
        ("`/qt:run`", {}, ["No plugin is called `qt`: write `qt-suite:run`."]),
        ("`/suite:run`", {}, ["No plugin is called `suite`: write `qt-suite:run`."]),
        ("Skill(skill='qt:run')", {}, ["No plugin is called `qt`: write `qt-suite:run`."]),
        ("`/qt:walk`", {}, []),
        ("`/qts:run`", {}, []),
        ("The old `/qt:run` was removed.", {}, []),
        (
            "`/qt:run`",
            {
                ".claude-plugin/marketplace.json": '{"name": "m", "plugins": [{"name": "qt", "source": {"source": "github"}}]}'
            },
            [],
        ),
        ("`/qt:run`", {".claude/commands/qt/run.md": "Run.\n"}, []),
        ("`/qt:run`", {"p/.claude-plugin/plugin.json": '{"name": "qt"}', "p/commands/run.md": "Run.\n"}, []),
    ],
)
def test_call_by_a_part_of_the_name_of_the_plugin_is_low(call, others, expected):
    module = get_patterns()["PRJ-040"]
    files = {
        ".claude-plugin/plugin.json": '{"name": "qt-suite"}',
        "commands/run.md": "Run.\n",
        "commands/walk/far.md": f"{call}\n",
        **others,
    }
    findings = [finding for case in list_project_cases(module, files) for finding in module.check(case)]
    assert [finding.message for finding in findings] == expected
    assert {finding.severity for finding in findings} <= {Severity.LOW}
