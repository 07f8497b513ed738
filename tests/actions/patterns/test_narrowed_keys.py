"""Test the exceptions of patterns about keys, hooks, scripts and phases, which had false positives in repositories not used to develop them."""

import json

import pytest

from actions.case import Case
from actions.patterns import get_patterns
from actions.project.place import place_in_project
from actions.skill import parse_skill
from schemas.vocabulary import Severity, UnitKind
from tests.actions.patterns.rows import FRONTMATTER, find_rows
from tests.examples import make_project


def test_key_that_breaks_yaml_is_named():
    text = f"{FRONTMATTER}allowed-tools: [Bash, Read]\nargument-hint: [source] <issue>\n---\n\nCount.\n"
    ((line, _, message),) = find_rows("SPEC-001", {"SKILL.md": text})
    assert (line, message.split("`")[1]) == (5, "argument-hint")


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("user-invocable: false", Severity.CRITICAL),
        ("user-invocable: true", Severity.HIGH),
        ('user-invocable: "true" # as usual', Severity.HIGH),
        ("disable-model-invocation: true", Severity.CRITICAL),
        ("disable-model-invocation: false", Severity.HIGH),
        ("disallowed-tools: Bash", Severity.CRITICAL),
    ],
)
def test_lost_key_with_its_default_is_no_critical_loss(line, severity):
    text = f"{FRONTMATTER}{line}\nsteps:\n  one: count\n   two: sort\n---\n\nCount.\n"
    assert [row[1] for row in find_rows("SPEC-001", {"SKILL.md": text})] == [severity]


@pytest.mark.parametrize(
    ("end", "expected"), [("", ["SPEC-001"]), ("---\n", ["PRJ-005"]), ("- : [\n---\n", ["SPEC-001"])]
)
def test_frontmatter_that_is_lost_is_reported_once(end, expected):
    text = f"{FRONTMATTER}argument-hint: one --- two\n{end}\nCount.\n"
    found = [pattern for pattern in ("SPEC-001", "PRJ-005") if find_rows(pattern, {"SKILL.md": text})]
    assert found == expected


@pytest.mark.parametrize(
    ("line", "severity"), [("user_invocable: true", Severity.LOW), ("user_invocable: false", Severity.MEDIUM)]
)
def test_misspelled_key_with_its_default_is_low(line, severity):
    assert [finding[1] for finding in find_rows("SPEC-004", {"SKILL.md": f"{FRONTMATTER}{line}\n---\n\nCount.\n"})] == [
        severity
    ]


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
        ("PRJ-021", "description: Counts birds of the bay by photos. Part of list #2. No rings.", Severity.LOW),
        ("PRJ-021", "description: Counts birds of the bay by photos. Part of list #2. Not for gulls.", Severity.MEDIUM),
        ("PRJ-021", "description: Counts birds by photos. Use it for bays, piers and list #2.", Severity.MEDIUM),
        ("PRJ-021", 'description: Counts birds of the bay by photos. For list #2 or "the tide".', Severity.MEDIUM),
        ("PRJ-021", "description: Counts birds of the #2 bay by photos of the pier", Severity.MEDIUM),
        ("PRJ-021", "argument-hint: a place, an hour, the name of a list, list #2", Severity.MEDIUM),
    ],
)
def test_faults_without_effect_in_a_command_are_low(pattern, key, severity):
    files = {".claude/commands/count.md": f"---\n{key}\n---\n\nCount.\n"}
    assert [row[1] for row in find_rows(pattern, files, UnitKind.COMMAND)] == [severity]


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


def test_many_missing_scripts_of_a_folder_are_one_fault():
    calls = "".join(f"```bash\npython3 scripts/{name}_birds.py\n```\n\n" for name in ("ring", "tally", "weigh"))
    files = {"SKILL.md": f"{FRONTMATTER}---\n\n# Count\n\n{calls}", "scripts/count_birds.py": "print(1)\n"}
    assert [finding[2] for finding in find_rows("PRJ-042", files)] == [
        "Commands start 3 missing scripts of `scripts/`, such as `scripts/ring_birds.py`."
    ]


@pytest.mark.parametrize(
    ("keys", "count"), [("", 0), ("tools: Read\n", 1), ("tools: Read, mcp__atlas__find\n", 0), ("x: 1\n", 0)]
)
def test_servers_that_the_agent_already_has_are_left_out(keys, count):
    text = f"---\nname: counter\ndescription: Counts.\n{keys}mcpServers: [atlas]\n---\n\nCount.\n"
    files = {".claude-plugin/plugin.json": '{"name": "birds"}', "agents/counter.md": text}
    assert len(find_rows("PRJ-004", files, UnitKind.AGENT)) == count


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


def test_misspelled_tools_of_a_skill_are_those_that_claude_code_reads():
    skill = {"SKILL.md": f"{FRONTMATTER}%s: Read, bash\n---\n\nCount.\n"}
    assert find_rows("PRJ-017", {"SKILL.md": skill["SKILL.md"] % "tools"}) == []
    assert len(find_rows("PRJ-017", {"SKILL.md": skill["SKILL.md"] % "allowed-tools"})) == 1


def test_key_of_an_agent_in_a_folder_of_skills_is_not_misspelled():
    skill = f"{FRONTMATTER}tools: Read\n---\n\nCount.\n"
    assert find_rows("SPEC-004", {"make/agents/example/SKILL.md": skill}, UnitKind.SKILL) == []
    assert len(find_rows("SPEC-004", {"make/skills/example/SKILL.md": skill}, UnitKind.SKILL)) == 1


@pytest.mark.parametrize(("folder", "count"), [("make/agents/example", 0), ("make/skills/example", 1)])
def test_key_of_an_agent_of_a_plugin_is_not_misspelled(folder, count):
    project = make_project({"make/.claude-plugin/plugin.json": '{"name": "make"}'})
    skill = parse_skill("example", {"SKILL.md": f"{FRONTMATTER}tools: Read\n---\n\nCount.\n".encode()})
    case = Case(skill, locate=lambda skill: place_in_project(skill, project, folder))
    assert len([*get_patterns()["SPEC-004"].check(case)]) == count


def test_rules_with_the_same_fault_are_one_finding():
    rules = '"allow": [\n"bash(ls *)",\n"bash(cat *)",\n"read(src/**)"],\n"deny": [\n"bash(rm *)"]'
    rows = find_rows("PRJ-018", {".claude/settings.json": f'{{"permissions": {{{rules}}}}}\n'}, UnitKind.HOOKS)
    assert [(line, message.partition(":")[0]) for line, _, message in rows] == [
        (2, "Claude Code skips the rule `bash(ls *)` and 2 more rules for this tool"),
        (4, "Claude Code skips the rule `read(src/**)`"),
    ]


@pytest.mark.parametrize(
    ("rules", "fault"),
    [
        (("rm -rf /",), "`rm -rf /`: a shell command needs the name of its tool: `Bash(rm -rf /)`."),
        (
            ("git push --force main", "chmod 777", "npm run:*", "make:*"),
            "`git push --force main` and 3 more shell commands: a shell command needs the name of its tool:"
            " `Bash(git push --force main)`.",
        ),
        (("bash(ls *)",), "`bash(ls *)`: tool names begin with an upper-case letter: `Bash`."),
        (("webfetch",), "`webfetch`: tool names begin with an upper-case letter: `WebFetch`."),
        (("read:*",), "`read:*`: tool names begin with an upper-case letter."),
        (("owl",), "`owl`: tool names begin with an upper-case letter."),
    ],
)
def test_rules_of_one_line_are_one_finding_with_the_right_rule(rules, fault):
    text = json.dumps({"permissions": {"deny": rules}})
    ((_, _, message),) = find_rows("PRJ-018", {".claude/settings.json": text}, UnitKind.HOOKS)
    assert message == f"Claude Code skips the rule {fault}"


@pytest.mark.parametrize(
    ("event", "advice"),
    [("preCommit", "use a hook of git"), ("postPush", "use a hook of git"), ("PreTool", "PreToolUse?")],
)
def test_event_of_git_is_not_taken_for_another_event(event, advice):
    hooks = f'{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "true"}}]}}]}}}}\n'
    ((_, _, message),) = find_rows("PRJ-001", {".claude/settings.json": hooks}, UnitKind.HOOKS)
    assert advice in message
    assert ("did you mean" in message) == (event == "PreTool")


@pytest.mark.parametrize(("comment", "severity"), [("Counts.", Severity.HIGH), ("DEPRECATED: see b.md.", Severity.LOW)])
def test_late_frontmatter_of_a_deprecated_agent_is_low(comment, severity):
    files = {".claude/agents/a.md": f"<!-- {comment} -->\n{FRONTMATTER}---\n\nCount what is deprecated.\n"}
    assert [row[1] for row in find_rows("PRJ-005", files, UnitKind.AGENT)] == [severity]
