"""Test the exceptions of patterns that had false positives in repositories that were not used to develop them."""

import json

import pytest

from actions.case import Case
from actions.patterns import get_patterns
from actions.scoring.scan import scan
from actions.skill import parse_skill
from schemas.vocabulary import Severity, UnitKind
from tests.examples import list_project_cases, make_example_case

FRONTMATTER = "---\nname: example\ndescription: Counts words. Use when a text must be counted.\n"
TABLE = "| Step | Meaning | Rule |\n|---|---|---|\n" + "".join(
    f"| {n} | what the {n} of the fledglings is | count the {n} twice, then once |\n"
    for n in ("egg", "nest", "wing", "call")
)


def find_rows(pattern, files, kind=None):
    """Return (line, severity, message) of the findings of a pattern in a skill, or in the units of a kind."""
    cases = [make_example_case(files)] if kind is None else list_project_cases(get_patterns()[pattern], files)
    cases = [case for case in cases if kind is None or case.skill.kind is kind]
    findings = [finding for case in cases for finding in scan(case, [get_patterns()[pattern]]).open]
    return [(finding.line, finding.severity, finding.message) for finding in findings]


def test_key_that_breaks_yaml_is_named():
    text = f"{FRONTMATTER}allowed-tools: [Bash, Read]\nargument-hint: [source] <issue>\n---\n\nCount.\n"
    ((line, _, message),) = find_rows("SPEC-001", {"SKILL.md": text})
    assert (line, message.split("`")[1]) == (5, "argument-hint")


@pytest.mark.parametrize(("length", "severity"), [(1100, Severity.LOW), (1600, Severity.MEDIUM)])
def test_description_that_claude_code_shows_whole_is_low(length, severity):
    text = f"---\nname: example\ndescription: Use when {'x' * length}\n---\n\nCount.\n"
    assert [finding[1] for finding in find_rows("SPEC-003", {"SKILL.md": text})] == [severity]


@pytest.mark.parametrize(
    ("line", "severity"), [("user_invocable: true", Severity.LOW), ("user_invocable: false", Severity.MEDIUM)]
)
def test_misspelled_key_with_its_default_is_low(line, severity):
    assert [finding[1] for finding in find_rows("SPEC-004", {"SKILL.md": f"{FRONTMATTER}{line}\n---\n\nCount.\n"})] == [
        severity
    ]


@pytest.mark.parametrize(
    ("intro", "severity"), [("See the new documentation:", Severity.LOW), ("Read these first:", Severity.MEDIUM)]
)
def test_dead_link_in_a_see_also_list_is_low(intro, severity):
    findings = find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{intro}\n\n- [one](one.md)\n- [two](two.md)\n"})
    assert {finding[1] for finding in findings} == {severity}


@pytest.mark.parametrize(
    ("name", "count"), [("report-example", 0), ("example_report", 0), ("report", 1), ("examples", 1)]
)
def test_link_in_a_sample_of_a_file_is_a_sample(name, count):
    files = {
        "SKILL.md": f"{FRONTMATTER}---\n\nRead `references/`.\n",
        f"references/{name}.md": "# Report\n\nSee [nests](nests.md).\n",
    }
    assert len(find_rows("SPEC-005", files)) == count


def test_link_after_a_fence_that_ends_early_may_be_a_sample():
    text = "# Guide\n\n````xml\n<tag>\n```python\ncount()\n````\n\nSee [rules](rules.md).\n\n````\n"
    assert find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{text}"}) == []
    text_with_closed_fence = text.replace("count()", "count()\n```")
    assert len(find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{text_with_closed_fence}"})) == 1


def test_link_directly_above_a_stray_fence_may_be_a_sample():
    text = "# Guide\n\n- [one](wiki/one)\n- [two](wiki/two)\n{}```\n\n## Two\n\n```markdown\n# Two\n```\n"
    assert find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{text.format('')}"}) == []
    assert len(find_rows("SPEC-005", {"SKILL.md": f"{FRONTMATTER}---\n\n{text.format(chr(10))}"})) == 1


def test_list_of_headings_of_the_other_file_is_not_a_copy():
    names = [
        f"How to count the {n} that nest in the {w} of the lake"
        for n in ("plovers", "terns", "gulls", "herons", "ducks")
        for w in ("reed", "sand")
    ]
    items = "".join(f"{n}. {name}\n" for n, name in enumerate(names, 1))
    text = f"{FRONTMATTER}---\n\n# Count\n\nRead [the list](references/list.md):\n\n{items}"
    headings = "".join(f"## {n}. {name}\n\nCount number {n}.\n\n" for n, name in enumerate(names, 1))
    files = {"SKILL.md": text, "references/list.md": f"# List\n\n{items}\n"}
    assert len(find_rows("TKN-006", files)) == 1
    assert find_rows("TKN-006", files | {"references/list.md": f"# List\n\n{items}\n{headings}"}) == []


@pytest.mark.parametrize(("rows", "count"), [(1, 0), (2, 1)])
def test_copy_of_a_small_table_is_an_overview(rows, count):
    table = TABLE + "".join(TABLE.splitlines(keepends=True)[2:]).replace("fledglings", "adults") * (rows - 1)
    files = {"SKILL.md": f"{FRONTMATTER}---\n\n# Count\n\n{table}", "references/all.md": f"# All\n\n{table}"}
    assert len(find_rows("TKN-006", files)) == count


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


@pytest.mark.parametrize(
    ("pattern", "key", "severity"),
    [
        ("PRJ-020", "user_invocable: true", Severity.LOW),
        ("PRJ-020", "user_invocable: false", Severity.MEDIUM),
        ("PRJ-017", "allowed-tools: [web_fetch]", Severity.LOW),
        ("PRJ-017", "allowed-tools: [bash, read]", Severity.LOW),
        ("PRJ-017", "allowed-tools: [Read, web_fetch, bash]", Severity.MEDIUM),
        ("PRJ-021", "description: Counts birds (from list #2 of the bay)", Severity.LOW),
        ("PRJ-021", "description: Counts birds (of #2, use it for gulls)", Severity.MEDIUM),
        ("PRJ-021", "description: Counts birds of #2 and use it", Severity.MEDIUM),
    ],
)
def test_faults_without_effect_in_a_command_are_low(pattern, key, severity):
    files = {".claude/commands/count.md": f"---\n{key}\n---\n\nCount.\n"}
    assert [row[1] for row in find_rows(pattern, files, UnitKind.COMMAND)] == [severity]


@pytest.mark.parametrize(("script", "severity"), [("cp CLAUDE.md ~/.claude/", Severity.LOW), ("ls", Severity.MEDIUM)])
def test_import_of_a_memory_file_for_the_home_is_low(script, severity):
    files = {"config/CLAUDE.md": "# Birds\n\n@RINGS.md\n", "config/sync.sh": f"#!/bin/sh\n{script}\n"}
    assert [row[1] for row in find_rows("PRJ-012", files, UnitKind.MEMORY)] == [severity]


AGENT = "---\nname: counter\ndescription: Counts birds.\n%shooks:\n  PreToolUse:\n    - matcher: %s\n      hooks: []\n---\n\nCount.\n"


@pytest.mark.parametrize(
    ("keys", "matcher", "severity"),
    [
        ("tools: Read, Grep\n", "Write|Edit", Severity.LOW),
        ("disallowedTools: Write, Edit\n", "Write|Edit", Severity.LOW),
        ("tools: Read, Write\n", "Write|Edit", Severity.MEDIUM),
        ("", "Write|Edit", Severity.MEDIUM),
        ("tools: Read\n", "mcp__.*", Severity.MEDIUM),
    ],
)
def test_ignored_hooks_of_missing_tools_are_low(keys, matcher, severity):
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', "agents/counter.md": AGENT % (keys, matcher)}
    assert [finding[1] for finding in find_rows("PRJ-004", files, UnitKind.AGENT)] == [severity]


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


def test_many_missing_scripts_of_a_folder_are_one_fault():
    calls = "".join(f"```bash\npython3 scripts/{name}_birds.py\n```\n\n" for name in ("ring", "tally", "weigh"))
    files = {"SKILL.md": f"{FRONTMATTER}---\n\n# Count\n\n{calls}", "scripts/count_birds.py": "print(1)\n"}
    assert [finding[2] for finding in find_rows("PRJ-042", files)] == [
        "Commands start 3 missing scripts of `scripts/`, such as `scripts/ring_birds.py`."
    ]


def test_dropped_descriptions_count_a_name_once():
    text = "---\nname: {0}\ndescription: " + "Counts birds. " * 100 + "\n---\n\nCount.\n"
    skills = {f"skills/s{n}/SKILL.md": text.format(f"s{n}") for n in range(20)}
    shadowing_commands = {f"commands/s{n}.md": text.format("") for n in range(20)}
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', **skills}
    assert find_rows("PRJ-027", files | shadowing_commands, UnitKind.SKILL) == []


@pytest.mark.parametrize(
    ("keys", "count"), [("", 0), ("tools: Read\n", 1), ("tools: Read, mcp__atlas__find\n", 0), ("x: 1\n", 0)]
)
def test_servers_that_the_agent_already_has_are_left_out(keys, count):
    text = f"---\nname: counter\ndescription: Counts.\n{keys}mcpServers: [atlas]\n---\n\nCount.\n"
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', "agents/counter.md": text}
    assert len(find_rows("PRJ-004", files, UnitKind.AGENT)) == count


def test_name_ends_before_a_letter_of_another_script():
    text = COMMAND % "다시 `/birds:count`, /birds:count을 실행하세요."
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', "commands/count.md": text}
    assert find_rows("PRJ-040", files, UnitKind.COMMAND) == []


@pytest.mark.parametrize(
    ("text", "severity"), [("# Count\n\nCount.\n", Severity.HIGH), ("**Status: Archived**\n\nCount.\n", Severity.LOW)]
)
def test_missing_frontmatter_of_an_archived_skill_is_low(text, severity):
    case = Case(parse_skill("example", {"SKILL.md": text.encode()}))
    assert [finding.severity for finding in scan(case, [get_patterns()["SPEC-001"]]).open] == [severity]


def test_file_that_a_text_of_the_plugin_names_is_read():
    files = {
        ".claude-plugin/plugin.json": '{"name": "birds"}',
        "skills/example/SKILL.md": f"{FRONTMATTER}---\n\n# Count\n\nCount.\n",
        "skills/example/references/rings.md": "# Rings\n\nRead the ring.\n",
        "skills/example/_dev/notes.md": "# Notes\n\nWhy it hung.\n",
    }
    assert len(find_rows("DF-010", files, UnitKind.SKILL)) == 1
    guide = {"docs/guide.md": "See [rings](../skills/example/references/rings.md).\n"}
    assert find_rows("DF-010", files | guide, UnitKind.SKILL) == []
    general_path = {"skills/tour/SKILL.md": f"{FRONTMATTER}---\n\nLoad `.birds/<skill>/references/<topic>.md`.\n"}
    assert find_rows("DF-010", files | general_path, UnitKind.SKILL) == []


@pytest.mark.parametrize(("title", "severity"), [("Additional Resources", Severity.LOW), ("Steps", Severity.MEDIUM)])
def test_dead_link_of_a_memory_file_to_further_texts_is_low(title, severity):
    files = {"CLAUDE.md": f"# Birds\n\n## {title}\n\n- [the list](docs/list.md)\n"}
    assert [finding[1] for finding in find_rows("PRJ-012", files, UnitKind.MEMORY)] == [severity]


def test_name_that_is_the_path_of_a_skill_is_ignored():
    files = make_plugin({"count": "birds-count"})
    moved_files = {path.replace("skills/", "skills/birds/"): text for path, text in files.items()}
    assert find_rows("SPEC-002", moved_files, UnitKind.SKILL) == []


def test_description_beside_a_value_without_quotes_is_listed():
    head = "---\nname: s%d\nargument-hint: [a] [b]\ndescription: " + "Counts birds. " * 100 + "\n---\n\nCount.\n"
    files = {
        ".claude-plugin/plugin.json": '{"name": "birds"}',
        **{f"skills/s{n}/SKILL.md": head % n for n in range(30)},
    }
    assert len(find_rows("PRJ-027", files, UnitKind.SKILL)) == 1


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
    ("keys", "severity"),
    [
        ("tools: Read, Grep, Skill\npermissionMode: plan\n", Severity.LOW),
        ("tools: [Read]\npermissionMode: acceptEdits\n", Severity.LOW),
        ("tools: Read, Bash\npermissionMode: plan\n", Severity.MEDIUM),
        ("tools: Read\npermissionMode: bypassPermissions\n", Severity.MEDIUM),
        ("permissionMode: plan\n", Severity.MEDIUM),
    ],
)
def test_ignored_mode_of_an_agent_that_only_reads_is_low(keys, severity):
    agent = f"---\nname: counter\ndescription: Counts.\n{keys}---\n\nCount.\n"
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', "agents/counter.md": agent}
    assert [finding[1] for finding in find_rows("PRJ-004", files, UnitKind.AGENT)] == [severity]


@pytest.mark.parametrize(
    ("pattern", "fault"), [("PRJ-029", "```python\ncount()\n"), ("PRJ-044", "Change **init**.py first.\n")]
)
def test_fault_of_a_fetched_page_is_not_reported(pattern, fault):
    skill = f"{FRONTMATTER}---\n\nRead [it](references/nests.md).\n"
    files = {"SKILL.md": skill, "references/nests.md": f"# Nests\n\n{fault}"}
    assert len(find_rows(pattern, files)) == 1
    fetched_page = f"---\nsource_url: https://birds.example/nests\nfetched_at: 2026-07-08\n---\n\n{fault}"
    assert find_rows(pattern, {**files, "references/nests.md": fetched_page}) == []


def test_passage_of_a_generated_skill_is_not_reported():
    files = {"references/table.md": f"# Table\n\n{TABLE * 3}", "SKILL.md": f"{FRONTMATTER}---\n\n{TABLE * 3}\ntable.md"}
    assert len(find_rows("TKN-006", files)) == 1
    generated_text = files["SKILL.md"].replace("---\n\n", "---\n\n<!-- Auto-generated by build.py -->\n\n")
    assert find_rows("TKN-006", {**files, "SKILL.md": generated_text}) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Turn the map in step 45° turns.", 0),
        ("Compare L3 step 7.", 0),
        ("Called by **write-notes** (Step 8).", 0),
        ("Called by [the notes](notes.md) (Step 8).", 0),
        ("Feeds `write-notes` step 8.", 0),
        ("The agent must go on with Step 8.", 0),
        ("Go on with Step 8.", 1),
        ("The last one, as in Step 8, sends it.", 1),
        ("The last one (Step 8) sends it.", 0),
    ],
)
def test_step_of_another_owner_is_not_missing(text, count):
    files = {
        "SKILL.md": f"---\nname: x\ndescription: Sorts.\n---\n\n## Step 1: Sort\n\n{text}\n\n## Step 2: Tell\n\nTell all.\n",
        "notes.md": "Notes.\n",
    }
    assert len(find_rows("DF-009", files, UnitKind.SKILL)) == count


def test_dead_link_below_resources_to_a_file_of_the_skill_is_medium():
    text = "---\nname: count\ndescription: Counts birds.\n---\n\n## Resources\n\n- [all](references/all.md)\n- [bees](../bees/SKILL.md)\n"
    rows = find_rows(
        "SPEC-005", {"skills/count/SKILL.md": text, ".claude-plugin/plugin.json": '{"name": "b"}'}, UnitKind.SKILL
    )
    assert [row[1] for row in rows] == [Severity.MEDIUM, Severity.LOW]


@pytest.mark.parametrize(("path", "count"), [("PIPELINE.md", 0), ("skills/b/SKILL.md", 1)])
def test_phase_of_a_text_for_several_units_is_not_missing(path, count):
    agent = "---\nname: a\ndescription: Plans.\n---\n\n## Phase 0: Ask\n\nAsk.\n\n## Phase 1: Plan\n\nBefore moving to Phase 2, ask.\n"
    phases = f"{FRONTMATTER}---\n\n### Phase 2: Build\n\nBuild.\n"
    assert len(find_rows("DF-009", {".claude/agents/a.md": agent, path: phases}, UnitKind.AGENT)) == count


@pytest.mark.parametrize(
    ("script", "severity"),
    [
        ('copy_dir "$HERE/agents" "$HOME/.claude/agents"', Severity.LOW),
        ('cp -r "$HERE/agents" ~/other', Severity.MEDIUM),
        ("rm -rf ~/.claude/cache", Severity.MEDIUM),
    ],
)
def test_ignored_key_is_low_if_a_script_installs_the_agents(script, severity):
    agent = "---\nname: counter\ndescription: Counts.\npermissionMode: plan\n---\n\nCount.\n"
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', "agents/counter.md": agent, "install.sh": script}
    assert [finding[1] for finding in find_rows("PRJ-004", files, UnitKind.AGENT)] == [severity]


def test_script_of_a_sample_beside_a_worse_one_is_not_missing():
    text = "Be specific: `Run python scripts/check_birds.py` instead of `Check the data`."
    files = {"SKILL.md": f"{FRONTMATTER}---\n\n# Count\n\n{text}\n", "scripts/count_birds.py": "print(1)\n"}
    assert find_rows("PRJ-042", files) == []
    plain = text.partition(" instead")[0]
    assert len(find_rows("PRJ-042", files | {"SKILL.md": files["SKILL.md"].replace(text, plain)})) == 1


def test_paths_of_a_list_of_examples_are_samples():
    paths = "`references/prices.md` for prices, `references/birds.md` for birds"
    assert find_rows("DF-009", {"SKILL.md": f"{FRONTMATTER}---\n\n- **Examples**: {paths}\n"}) == []
    rows = find_rows("DF-009", {"SKILL.md": f"{FRONTMATTER}---\n\n- **Read**: {paths}\n", "references/a/x.md": "# X\n"})
    assert rows == []
    assert len(find_rows("DF-009", {"SKILL.md": f"{FRONTMATTER}---\n\n- **Read**: {paths}\n"})) == 1


def test_missing_folder_in_a_folder_of_references_is_named():
    paths = "`references/go/a.md`, `references/py/b.md`"
    files = {"SKILL.md": f"{FRONTMATTER}---\n\nRead {paths}\n", "references/java/a.md": "# X\n"}
    assert "no folder `references/go`" in find_rows("DF-009", files)[0][2]


@pytest.mark.parametrize(
    ("path", "severities"),
    [
        ("skills/count.md", [Severity.MEDIUM]),
        ("skills/count/skill.md", [Severity.HIGH]),
        ("skills/sort.md", []),
        ("skills/ring.txt", []),
    ],
)
def test_skill_without_a_folder_is_medium(path, severities):
    plugins = [
        {"name": "birds", "source": "./", "skills": []},
        {"name": "b", "source": "./", "commands": ["./skills/sort.md"]},
    ]
    files = {
        ".claude-plugin/plugin.json": '{"name": "birds"}',
        ".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": plugins}),
        path: f"{FRONTMATTER}---\n\nCount.\n",
    }
    assert [row[1] for row in find_rows("PRJ-013", files, UnitKind.MANIFEST)] == severities


@pytest.mark.parametrize(("separator", "severity"), [(" · ", Severity.LOW), (", ", Severity.MEDIUM)])
def test_line_that_leads_to_all_parts_of_a_collection_is_further_reading(separator, severity):
    links = separator.join(f"[{name}](../{name}/)" for name in ("gulls", "owls", "terns"))
    files = {"skills/example/SKILL.md": f"{FRONTMATTER}---\n\n# Count\n\n{links}\n", "README.md": ""}
    assert {finding[1] for finding in find_rows("SPEC-005", files, UnitKind.SKILL)} == {severity}


def test_misspelled_tools_of_a_skill_are_those_that_claude_code_reads():
    skill = {"SKILL.md": f"{FRONTMATTER}%s: Read, bash\n---\n\nCount.\n"}
    assert find_rows("PRJ-017", {"SKILL.md": skill["SKILL.md"] % "tools"}) == []
    assert len(find_rows("PRJ-017", {"SKILL.md": skill["SKILL.md"] % "allowed-tools"})) == 1


def test_key_of_an_agent_in_a_folder_of_skills_is_not_misspelled():
    skill = f"{FRONTMATTER}tools: Read\n---\n\nCount.\n"
    assert find_rows("SPEC-004", {"make/agents/example/SKILL.md": skill}, UnitKind.SKILL) == []
    assert len(find_rows("SPEC-004", {"make/skills/example/SKILL.md": skill}, UnitKind.SKILL)) == 1


def test_long_text_that_is_generated_is_not_reported():
    text = f"{FRONTMATTER}---\n\n%s# Count\n\n" + "Count all the birds of the meadow and of the shore.\n\n" * 900
    assert len(find_rows("CTX-005", {"SKILL.md": text % ""})) == 1
    assert find_rows("CTX-005", {"SKILL.md": text % "<!-- AUTO-GENERATED from SKILL.md.tmpl -->\n\n"}) == []


def test_paths_below_an_address_are_fetched():
    text = f"{FRONTMATTER}---\n\n%sRead `references/a.md` and `references/b.md`.\n"
    assert len(find_rows("DF-009", {"SKILL.md": text % ""})) == 1
    assert find_rows("DF-009", {"SKILL.md": text % "Fetch each from `${BASE_RAW_URL}`.\n\n"}) == []


LIST_TEMPLATE = (
    "1. Write:\n   ```markdown\n   # Report\n   ```bash\n   count\n   ```\n   %s\n   ```\n\n2. Send it.\n%s\n"
)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("SPEC-005", "[a](references/nests.md)"),
        ("SPEC-005", "See [a](#nests) first."),
        ("DF-009", "Then go to Step 6."),
        ("DF-009", "Read `references/nest.md`."),
    ],
)
def test_end_of_a_sample_after_a_fence_inside_it_is_no_text(pattern, text):
    steps = f"{FRONTMATTER}---\n\n## Step 1: Sort\n\nSort.\n\n## Step 2: Tell\n\nTell.\n\n## Then\n\n"
    files = {"references/nestt.md": "# A\n"}
    for place, count in (((text, ""), 0), (("", text), 1)):
        assert len(find_rows(pattern, {**files, "SKILL.md": steps + LIST_TEMPLATE % place})) == count
    assert [row[0] for row in find_rows("PRJ-029", {**files, "SKILL.md": steps + LIST_TEMPLATE % ("", "")})] == [17]


LONG_TEXT = f"{FRONTMATTER}---\n\n%s# Count\n\n" + "Count all the birds of the meadow and of the shore.\n\n" * 900
UPDATE = "Run `curl -L -o ~/.claude/skills/%s/SKILL.md https://birds.example`.\n\n"


@pytest.mark.parametrize(
    ("files", "severity"),
    [
        ({"SKILL.md": LONG_TEXT % ""}, Severity.MEDIUM),
        ({"SKILL.md": LONG_TEXT % "", ".birds_version": "1.2\n"}, Severity.LOW),
        ({"SKILL.md": LONG_TEXT % "", "VERSION": "1.2\n"}, Severity.MEDIUM),
        ({"SKILL.md": LONG_TEXT % "This is a vendored copy of the skill.\n\n"}, Severity.LOW),
        ({"SKILL.md": LONG_TEXT % UPDATE % "example"}, Severity.LOW),
        ({"SKILL.md": LONG_TEXT % UPDATE % "other"}, Severity.MEDIUM),
    ],
)
def test_long_text_that_a_tool_installs_is_low(files, severity):
    files = {f".claude/skills/example/{path}": text for path, text in files.items()}
    assert [row[1] for row in find_rows("CTX-005", files, UnitKind.SKILL)] == [severity]


@pytest.mark.parametrize(
    ("tokens", "alone", "split"),
    [
        (7200, [Severity.LOW], []),
        (7400, [Severity.LOW], [Severity.LOW]),
        (10200, [Severity.MEDIUM], [Severity.LOW]),
        (10600, [Severity.MEDIUM], [Severity.MEDIUM]),
    ],
)
def test_long_text_with_references_has_a_higher_limit(tokens, alone, split):
    files = {
        "SKILL.md": f"{FRONTMATTER}---\n\nRead [it](references/nests.md).\n\n"
        + "Count each bird.\n\n" * (tokens // 18 * 4)
    }
    assert [row[1] for row in find_rows("CTX-005", files)] == alone
    assert [row[1] for row in find_rows("CTX-005", {**files, "references/nests.md": "# Nests\n"})] == split


@pytest.mark.parametrize(("skills", "count"), [("", 1), ('"skills": "./", ', 2), ('"skills": "./skills/", ', 1)])
def test_long_text_in_the_root_of_a_plugin_counts_if_it_is_loaded(skills, count):
    root = {".claude-plugin/plugin.json": f'{{{skills}"name": "birds"}}', "SKILL.md": LONG_TEXT % ""}
    files = {**root, "skills/example/SKILL.md": LONG_TEXT % ""}
    assert len(find_rows("CTX-005", files, UnitKind.SKILL)) == count
    assert len(find_rows("CTX-005", root, UnitKind.SKILL)) == (0 if "skills/" in skills else 1)


def test_rules_with_the_same_fault_are_one_finding():
    rules = '"allow": [\n"bash(ls *)",\n"bash(cat *)",\n"read(src/**)"],\n"deny": [\n"bash(rm *)"]'
    rows = find_rows("PRJ-018", {".claude/settings.json": f'{{"permissions": {{{rules}}}}}\n'}, UnitKind.HOOKS)
    assert [(line, message.partition(":")[0]) for line, _, message in rows] == [
        (2, "Claude Code skips the rule `bash(ls *)` and 2 more rules for this tool"),
        (4, "Claude Code skips the rule `read(src/**)`"),
    ]


@pytest.mark.parametrize(
    ("event", "advice"),
    [("preCommit", "use a hook of git"), ("postPush", "use a hook of git"), ("PreTool", "PreToolUse?")],
)
def test_event_of_git_is_not_taken_for_another_event(event, advice):
    hooks = f'{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "true"}}]}}]}}}}\n'
    ((_, _, message),) = find_rows("PRJ-001", {".claude/settings.json": hooks}, UnitKind.HOOKS)
    assert advice in message
    assert ("did you mean" in message) == (event == "PreTool")


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
