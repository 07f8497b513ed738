"""Test the names by which Claude Code calls a skill (its folder, the name in its frontmatter) and a plugin's tool."""

from itertools import count

import pytest

from actions.patterns import get_patterns
from actions.project.find_units import find_units
from actions.project.hidden_units import find_hiding_unit
from tests.e2e.facts.claude_cli import MCP_SERVER, run_session
from tests.e2e.facts.test_unit_facts import read_project
from tests.examples import list_unit_cases
from tests.scripted_api import list_tool_names, tool_call

SKILL = "---\n%sdescription: A probe.\n---\n\nProbe.\n"
FILES = {
    ".claude/skills/bare/SKILL.md": SKILL % "",
    ".claude/skills/alpha/SKILL.md": SKILL % "name: beta\n",
    ".claude/skills/gamma/SKILL.md": SKILL % "name: Gamma Ray!\n",
    "plug/.claude-plugin/plugin.json": {"name": "plug"},
    "plug/skills/bare/SKILL.md": SKILL % "",
    "plug/skills/delta/SKILL.md": SKILL % "name: epsilon\n",
    "plug/skills/eta/SKILL.md": SKILL % "name: theta\nargument-hint: a: b: c\n",
    "plug/agents/file.md": SKILL % "name: owl\nmodel: a: b: c\n",
}

NAMES = ("bare", "alpha", "beta", "gamma", "Gamma Ray!", "plug:bare", "plug:delta", "plug:epsilon", "plug:theta")
UNKNOWN = ("ALPHA", "plug:beta")


def test_skill_is_called_by_folder_and_by_name(tmp_path):
    skill_names = iter((*NAMES, *UNKNOWN))

    def script(request):
        name = next(skill_names, None)
        return tool_call("Skill", skill=name) if name else "ok"

    _, started, requests = run_session(FILES, tmp_path, script, "--plugin-dir", "plug")
    assert "plug:owl" in started["agents"], "quotes around a value are added"
    answers = str(requests[-1]["messages"])
    assert [name for name in NAMES if f"Launching skill: {name}" not in answers] == []
    assert [name for name in UNKNOWN if f"Unknown skill: {name}" not in answers] == []


def test_command_of_a_plugin_is_not_called_by_a_part_of_its_name(tmp_path):
    files = {"plug/.claude-plugin/plugin.json": {"name": "qt-suite"}, "plug/commands/run.md": "Do the probing.\n"}
    for name in ("qt-suite", "qt", "suite"):
        home = tmp_path / name
        home.mkdir()
        _, _, requests = run_session(files, home, lambda request: "ok", "--plugin-dir", "plug", prompt=f"/{name}:run")
        assert ("Do the probing." in str(requests[-1]["messages"])) == (name == "qt-suite")


AGENT_TOOLS = {
    "short": "Read, mcp__at_las__find",
    "glob": "Read, mcp__at_las__*",
    "server": "Read, mcp__at_las",
    "full": "Read, mcp__plugin_bi_rds_at_las__find",
    "fullserver": "Read, mcp__plugin_bi_rds_at_las",
}
MATCHERS = ["mcp__at_las__find", "mcp__at_las__.*", "mcp__plugin_bi_rds_at_las__find", "mcp__.*at_las__.*"]
FULL_NAME = "mcp__plugin_bi_rds_at_las__find"


def test_tool_of_a_plugin_has_the_prefix_of_the_plugin(tmp_path):
    (tmp_path / "server.py").write_text(MCP_SERVER)
    hooks = [
        {"matcher": name, "hooks": [{"type": "command", "command": f"echo '{name}' >> $CLAUDE_PROJECT_DIR/log"}]}
        for name in MATCHERS
    ]
    server = {"command": "python3", "args": [str(tmp_path / "server.py")]}
    agent = "---\nname: {0}\ndescription: A probe.\ntools: {1}\n---\n\nI am {0}.\n"
    plugin = {
        ".claude-plugin/plugin.json": {"name": "bi.rds", "mcpServers": {"at las": server}},
        "hooks/hooks.json": {"hooks": {"PreToolUse": hooks}},
        **{f"agents/{name}.md": agent.format(name, tools) for name, tools in AGENT_TOOLS.items()},
    }
    agents, tool_calls = iter(AGENT_TOOLS), count()

    def script(request):
        if "I am " in str(request["system"]) or not request.get("tools"):
            return "ok"
        if next(tool_calls) == 0:
            return tool_call(FULL_NAME)
        name = next(agents, None)
        kind = f"bi.rds:{name}"
        options = {"description": "probe", "prompt": "go", "run_in_background": False}
        return tool_call("Agent", subagent_type=kind, **options) if name else "ok"

    files = {f"plug/{path}": content for path, content in plugin.items()}
    options = ("--plugin-dir", "plug", "--allowedTools", FULL_NAME)
    project, start, requests = run_session(files, tmp_path, script, *options)
    assert [name for name in start["tools"] if name.startswith("mcp__")] == [FULL_NAME]
    without_tool = [
        name
        for name in AGENT_TOOLS
        for request in requests
        if f"I am {name}." in str(request["system"]) and FULL_NAME not in list_tool_names(request)
    ]
    started = sorted((project / "log").read_text().split())  # hooks run side by side
    assert (without_tool, started) == (["short", "glob", "server"], sorted(MATCHERS[2:]))
    check = get_patterns()["PRJ-049"].check
    found = [finding for case in list_unit_cases(read_project(project / "plug")) for finding in check(case)]
    assert len(found) == len(without_tool) + 2


def test_tool_of_a_plugin_has_no_prefix_if_the_project_has_the_same_server(tmp_path):
    (tmp_path / "server.py").write_text(MCP_SERVER)
    servers = {"mcpServers": {"atlas": {"command": "python3", "args": [str(tmp_path / "server.py")]}}}
    files = {
        "plug/.claude-plugin/plugin.json": {"name": "birds", **servers},
        ".mcp.json": servers,
        ".claude/settings.json": {"enableAllProjectMcpServers": True},
    }
    _, start, _ = run_session(files, tmp_path, lambda _: "ok", "--plugin-dir", "plug")
    assert [name for name in start["tools"] if name.startswith("mcp__")] == ["mcp__atlas__find"]


@pytest.mark.parametrize("name", ["sea:count", "count", "sea-count", "sea/count", "sea-sort", "sea:sort"])
def test_command_is_called_only_by_its_listed_name(tmp_path, name):
    text = SKILL.replace("\nProbe.", "\nDo the probing.")
    files = {
        ".claude/commands/sea/count.md": text % "",
        ".claude/skills/sea-sort/SKILL.md": text % "name: sea-sort\n",
        "CLAUDE.md": f"Run `/{name}`.\n",
    }
    project, _, requests = run_session(files, tmp_path, lambda _: "ok", prompt=f"/{name}")
    is_known = "Do the probing." in str(requests[-1]["messages"])
    assert is_known == (name in ("sea:count", "sea-sort"))
    check = get_patterns()["PRJ-055"].check
    cases = list_unit_cases(read_project(project))
    assert bool([finding for case in cases for finding in check(case)]) == (not is_known and "/" not in name)


UNIT = "---\n{}description: From the {}.\n---\n\nBODY of the {}.\n"
COMMAND, TWIN = UNIT.format("", "command", "command"), UNIT.format("name: x\n", "skill", "skill")
USERS_COMMAND = UNIT.format("disable-model-invocation: true\n", "command", "command")


@pytest.mark.parametrize(
    ("files", "names", "body"),
    [
        ({"plug/commands/x.md": COMMAND, "plug/skills/x/SKILL.md": TWIN}, ("plug:x", "x"), "command"),
        ({"plug/commands/x.md": USERS_COMMAND, "plug/skills/x/SKILL.md": TWIN}, ("plug:x", "x"), "skill"),
        ({".claude/commands/x.md": COMMAND, ".claude/skills/x/SKILL.md": TWIN}, ("x",), "skill"),
    ],
    ids=["plugin", "plugin with a command for users", "own"],
)
def test_one_of_a_command_and_a_skill_with_one_name_is_loaded(tmp_path, files, names, body):
    files = {"plug/.claude-plugin/plugin.json": {"name": "plug"}, **files}
    called_names = iter(names)

    def script(request):
        name = next(called_names, None)
        return tool_call("Skill", skill=name) if name else "ok"

    folder, _, requests = run_session(files, tmp_path, script, "--plugin-dir", "plug")
    texts = str([request["messages"] for request in requests])
    assert {kind for kind in ("command", "skill") if f"From the {kind}." in texts} == {body}
    assert {kind for kind in ("command", "skill") if f"BODY of the {kind}." in texts} == {body}
    project = read_project(folder)
    hiding = [other.kind.value for unit in find_units(project) if (other := find_hiding_unit(project, unit))]
    assert hiding == ([] if USERS_COMMAND in files.values() else [body])
