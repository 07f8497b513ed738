"""Test that Claude Code has the hook events in our table, and that reported hooks do not run as written."""

import json
import re
from collections import Counter
from itertools import count
from mmap import ACCESS_READ, mmap

import pytest

from actions.project.facts.hook_variables import (
    DATA_VARIABLES,
    GENERAL_VARIABLES,
    PLUGIN_VARIABLES,
    ROOT_VARIABLES,
    is_data_variable,
    is_read_data_variable,
)
from actions.project.facts.hooks import EVENTS
from actions.project.find_units import find_units
from actions.project.hook_faults import find_dropped_hooks
from actions.project.matchers import can_match_tool
from actions.project.unexpanded_homes import find_unexpanded_homes
from tests.claude_code import CLAUDE
from tests.e2e.facts.claude_cli import MCP_SERVER, list_warnings, run_session, validate, write_tree
from tests.e2e.facts.test_unit_facts import read_project
from tests.scripted_api import tool_call

MANIFEST = {"name": "probe", "version": "1.0.0", "description": "A probe.", "author": {"name": "a"}}
COMMAND = {"type": "command", "command": "true"}
ENTRIES = (
    COMMAND,
    {**COMMAND, "timeout": 0.5, "async": True, "shell": "bash", "args": ["a"], "statusMessage": "x", "once": True},
    {**COMMAND, "timout": 30, "description": "x", "matcher": "Bash"},
    {"type": "prompt", "prompt": "x", "model": "haiku", "continueOnBlock": True},
    {"type": "agent", "prompt": "x", "timeout": 60},
    {"type": "http", "url": "http://localhost:1", "headers": {"a": "b"}, "allowedEnvVars": ["A"]},
    {"type": "mcp_tool", "server": "a", "tool": "b", "input": {"c": 1}},
    {**COMMAND, "timeout": 0},
    {**COMMAND, "timeout": "30"},
    {**COMMAND, "timeout": True},
    {**COMMAND, "shell": "zsh"},
    {**COMMAND, "async": "yes"},
    {**COMMAND, "once": "true"},
    {**COMMAND, "args": "a"},
    {**COMMAND, "if": ["Bash"]},
    {**COMMAND, "onFailure": "stop"},
    {"type": "comand", "command": "true"},
    {"command": "true"},
    {"type": "prompt", "command": "true"},
    {"type": "command", "prompt": "true"},
    {"type": "http", "headers": {}},
    {"type": "mcp_tool", "server": "a"},
    "true",
)
COMMAND_PREFIXES = (("", "direct"), ("sh ", "interpreter"))
ACCEPTED_COUNT = 7
"""The number of entries, at the start of the list, that Claude Code accepts."""
GROUPS = (
    COMMAND,
    {"matcher": ["Bash"], "hooks": [COMMAND]},
    {"matcher": "Bash", "hooks": COMMAND},
    {"matcher": "Bash", "hooks": [{"type": "comand", "command": "true"}]},
)


def validate_hooks_of_events(tmp_path, events):
    hooks = {event: [{"hooks": [{"type": "command", "command": "true"}]}] for event in events}
    write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": MANIFEST, "hooks/hooks.json": {"hooks": hooks}})
    return validate(tmp_path / "probe", tmp_path)


def test_claude_has_each_event_of_the_table_and_no_other(tmp_path):
    report = validate_hooks_of_events(tmp_path, [*EVENTS, "PreTool", "stop"])
    assert {hook["event"] for hook in report["provides"]["hooks"]} == set(EVENTS)
    assert [w.split(":")[0] for w in list_warnings(report)] == ["hooks.PreTool", "hooks.stop"]


def test_entries_that_claude_ignores_are_the_last_of_the_list(tmp_path):
    hooks = {"hooks": {"Stop": [{"hooks": ENTRIES}]}}
    folder = write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": MANIFEST, "hooks/hooks.json": hooks})
    entry_numbers = re.findall(r"hooks\.Stop\.0\.hooks\.(\d+): ", "\n".join(list_warnings(validate(folder, tmp_path))))
    assert {int(number) for number in entry_numbers} == set(range(ACCEPTED_COUNT, len(ENTRIES)))


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_hook_is_reported_if_and_only_if_claude_drops_it(tmp_path, entry):
    hooks = {"hooks": {"Stop": [{"hooks": [entry]}]}}
    folder = write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": MANIFEST, "hooks/hooks.json": hooks})
    assert bool(find_dropped_hooks(read_project(folder))) == (ENTRIES.index(entry) >= ACCEPTED_COUNT)


def test_one_invalid_group_drops_the_whole_file(tmp_path):
    files = {
        f"hooks/{number}.json": {"hooks": {"PreToolUse": [group], "Stop": [{"hooks": [COMMAND]}]}}
        for number, group in enumerate(GROUPS)
    }
    manifest = {**MANIFEST, "hooks": [f"./{path}" for path in files]}
    folder = write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": manifest, **files})
    report = validate(folder, tmp_path)
    assert report["success"] is False
    assert ["nothing it sits in is applied" in message for message in list_warnings(report)] == [True] * len(GROUPS)
    assert {fault.unit.path for fault in find_dropped_hooks(read_project(folder))} == set(files)


EVENTS_OF_PLUGIN = {"SessionStart": [{"hooks": [COMMAND]}]}
MATCHERS = [{"event": "SessionStart", "hooks": [COMMAND]}]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("hooks/hooks.json", {"hooks": MATCHERS}),
        ("hooks/hooks.json", {"hooks": []}),
        ("hooks/hooks.json", {"hooks": EVENTS_OF_PLUGIN}),
        ("hooks/hooks.json", {"hooks": EVENTS_OF_PLUGIN, "preToolUse": {}}),
        ("hooks/hooks.json", {"preToolUse": {"command": "true"}}),
        ("hooks/hooks.json", {"description": "Hooks."}),
        ("hooks/hooks.json", {}),
        (".claude-plugin/plugin.json", {**MANIFEST, "hooks": MATCHERS}),
        (".claude-plugin/plugin.json", {**MANIFEST, "hooks": []}),
        (".claude-plugin/plugin.json", {**MANIFEST, "hooks": [EVENTS_OF_PLUGIN]}),
        (".claude-plugin/plugin.json", {**MANIFEST, "hooks": [{"hooks": EVENTS_OF_PLUGIN}]}),
    ],
    ids=str,
)
def test_hooks_are_reported_if_and_only_if_claude_cannot_load_them(tmp_path, path, content):
    folder = write_tree(tmp_path / "probe", {".claude-plugin/plugin.json": MANIFEST, path: content})
    is_loaded = validate(folder, tmp_path)["success"]
    assert [fault.unit.path for fault in find_dropped_hooks(read_project(folder))] == ([] if is_loaded else [path])


@pytest.mark.parametrize("hooks", [MATCHERS, [{"matcher": "", "hooks": [COMMAND]}], [], EVENTS_OF_PLUGIN], ids=str)
def test_list_of_hooks_is_reported_if_and_only_if_claude_ignores_the_settings(tmp_path, hooks):
    settings = {"hooks": hooks, "permissions": {"deny": ["WebFetch"]}}
    project, start, _ = run_session({".claude/settings.json": settings}, tmp_path)
    faults = find_dropped_hooks(read_project(project))
    assert [fault.unit.path for fault in faults] == ([".claude/settings.json"] if "WebFetch" in start["tools"] else [])


def make_plugin_with_program():
    """Return the files of a plugin whose hooks start a non-executable program, directly or by its interpreter."""
    script = '#!/bin/sh\necho $1 >> "$CLAUDE_PROJECT_DIR/started"\n'
    hooks = [
        {"type": "command", "command": f"{start}${{CLAUDE_PLUGIN_ROOT}}/run.sh {name}"}
        for start, name in COMMAND_PREFIXES
    ]
    return {
        "plug/.claude-plugin/plugin.json": MANIFEST,
        "plug/hooks/hooks.json": {"hooks": {"SessionStart": [{"hooks": hooks}]}},
        "plug/run.sh": script,
    }


def test_hooks_with_ineffective_settings_run_as_reported(tmp_path):
    tool_call_numbers = count()

    def script(request):
        return (
            tool_call("Bash", command="true", description="x")
            if request.get("tools") and next(tool_call_numbers) < 2
            else "done"
        )

    def make_logging_hook(name, group_matcher="", **settings):
        command = f"echo {name} >> $CLAUDE_PROJECT_DIR/log"
        return {"matcher": group_matcher, "hooks": [{"type": "command", "command": command, **settings}]}

    hooks = {
        "PreToolUse": [
            make_logging_hook("exact", "Bash"),
            make_logging_hook("once", "Bash", once=True),
            make_logging_hook("inside", "", matcher="Write"),
            {**make_logging_hook("matchers"), "matchers": "Write"},
            make_logging_hook("holds", "Bash", **{"if": "Bash(true)"}),
            make_logging_hook("lower", "bash"),
            make_logging_hook("rule", "Bash(true)"),
            make_logging_hook("group", "Bash(true)?"),
            make_logging_hook("malformed", "Bash", **{"if": "Bash(true"}),
            make_logging_hook("lower-if", "Bash", **{"if": "bash(true)"}),
        ],
        "Stop": [make_logging_hook("stop"), make_logging_hook("stop-if", **{"if": "Bash(true)"})],
        "UserPromptSubmit": [make_logging_hook("prompt-if", **{"if": "Bash(true)"})],
        "SessionStart": [make_logging_hook("start", "startup"), make_logging_hook("misspelled", "stratup")],
    }
    files = {".claude/settings.json": {"hooks": hooks}, **make_plugin_with_program()}
    project, _, _ = run_session(files, tmp_path, script, "--plugin-dir", "plug")
    assert (project / "started").read_text() == "interpreter\n", "a program that is not executable does not run"
    runs = Counter((project / "log").read_text().split())
    assert runs == {
        **dict.fromkeys(("exact", "once", "inside", "matchers", "holds", "group"), 2),
        "stop": 1,
        "start": 1,
    }


def test_timeout_extends_the_end_of_a_session_in_settings_only(tmp_path):
    command = "sleep 2.5; touch $CLAUDE_PROJECT_DIR/ended"
    hooks = {"hooks": {"SessionEnd": [{"hooks": [{**COMMAND, "command": command, "timeout": 30}]}]}}
    files = {".claude-plugin/plugin.json": MANIFEST, "hooks/hooks.json": hooks}
    plugin = write_tree(tmp_path / "plugin", files)
    project_with_plugin, *_ = run_session({}, tmp_path / "a", lambda request: "ok", "--plugin-dir", str(plugin))
    project_with_settings, *_ = run_session({".claude/settings.json": hooks}, tmp_path / "b")
    assert [(folder / "ended").exists() for folder in (project_with_plugin, project_with_settings)] == [False, True]


def test_timeout_of_a_hook_is_in_seconds(tmp_path):
    command = "sleep 2.5; touch $CLAUDE_PROJECT_DIR/after-%s"
    hooks = [{**COMMAND, "command": command % seconds, "timeout": seconds} for seconds in (1, 1000)]
    files = {".claude/settings.json": {"hooks": {"SessionStart": [{"hooks": hooks}]}}}
    project, *_ = run_session(files, tmp_path)
    assert [path.name for path in project.glob("after-*")] == ["after-1000"]


def test_hooks_get_their_data_on_standard_input_only(tmp_path):
    tool_call_numbers = count()

    def script(request):
        is_first = request.get("tools") and next(tool_call_numbers) == 0
        return tool_call("Write", file_path=str(tmp_path / "project/a"), content="x") if is_first else "done"

    events = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop")
    command = "env >> $CLAUDE_PROJECT_DIR/variables; cat >> $CLAUDE_PROJECT_DIR/input"
    hooks = {event: [{"hooks": [{**COMMAND, "command": command}]}] for event in events}
    files = {".claude/settings.json": {"hooks": hooks}}
    project, *_ = run_session(files, tmp_path, script, "--permission-mode", "acceptEdits")
    variables = {line.partition("=")[0] for line in (project / "variables").read_text().splitlines()}
    assert "CLAUDE_PROJECT_DIR" in variables
    assert variables.isdisjoint({**DATA_VARIABLES, **GENERAL_VARIABLES})
    assert not [*filter(is_read_data_variable, variables)]
    inputs = [json.loads(line) for line in (project / "input").read_text().splitlines() if line]
    given = {
        name for value in inputs for name in (*value, *(f"tool_input.{key}" for key in value.get("tool_input", ())))
    }
    assert {field for field in DATA_VARIABLES.values() if field} - given == {"tool_input.command"}, "of Bash"


def test_variables_of_plugins_are_set_in_plugins_only(tmp_path):
    def make_hooks(name):
        words = "[${CLAUDE_PLUGIN_ROOT}]", "[$CLAUDE_PLUGIN_ROOT]", "[${CLAUDE_PLUGIN_ROOT:-x}]"
        commands = [f"echo {n} {word} >> $CLAUDE_PROJECT_DIR/{name}" for n, word in enumerate(words)]
        commands.append(f"env > $CLAUDE_PROJECT_DIR/{name}.variables")
        hooks = [{**COMMAND, "command": command} for command in commands]
        return {"hooks": {"SessionStart": [{"hooks": hooks}]}}

    files = {
        ".claude/settings.json": make_hooks("project"),
        "plug/.claude-plugin/plugin.json": MANIFEST,
        "plug/hooks/hooks.json": make_hooks("plugin"),
    }
    folder, *_ = run_session(files, tmp_path, lambda request: "ok", "--plugin-dir", "plug")
    names = {
        name: {line.partition("=")[0] for line in (folder / f"{name}.variables").read_text().splitlines()}
        for name in ("project", "plugin")
    }
    assert PLUGIN_VARIABLES & names["plugin"] == PLUGIN_VARIABLES
    assert PLUGIN_VARIABLES.isdisjoint(names["project"])
    assert {*ROOT_VARIABLES, *GENERAL_VARIABLES}.isdisjoint(names["plugin"] | names["project"])
    assert sorted((folder / "project").read_text().splitlines()) == ["1 []", "2 [x]"], "0 is refused"
    root = f"[{folder / 'plug'}]"
    assert sorted((folder / "plugin").read_text().splitlines()) == [f"{n} {root}" for n in range(3)]


def test_relative_paths_of_hooks_are_taken_from_the_project(tmp_path):
    script = '#!/bin/sh\necho $1 >> "$CLAUDE_PROJECT_DIR/started"\n'

    def make_hooks(*commands):
        return {"hooks": {"SessionStart": [{"hooks": [{**COMMAND, "command": command} for command in commands]}]}}

    files = {
        ".claude/settings.json": make_hooks(
            "sh .claude/own.sh interpreter",
            ".claude/own.sh direct",
            "if true; then (sh .claude/own.sh inside); fi",
            'sh "${CLAUDE_PROJECT_DIR:-none}/.claude/own.sh" default',
        ),
        ".claude/own.sh": script,
        "plug/.claude-plugin/plugin.json": MANIFEST,
        "plug/hooks/hooks.json": make_hooks("sh hooks/its.sh misplaced", "sh .claude/own.sh project"),
        "plug/hooks/its.sh": script,
    }
    project, *_ = run_session(files, tmp_path, lambda request: "ok", "--plugin-dir", "plug")
    assert sorted((project / "started").read_text().split()) == ["default", "inside", "interpreter", "project"]


HOME_COMMANDS = (
    ("~/run.sh", None),
    ('"$HOME/run.sh"', None),
    ("bash -c '~/run.sh'", None),
    ('"~/run.sh"', None),
    ('bash "~/run.sh"', None),
    ("sh '~/run.sh'", None),
    ("~/run.sh", []),
    ("bash", ["~/run.sh"]),
)


@pytest.mark.parametrize(("command", "args"), HOME_COMMANDS, ids=str)
def test_hook_below_a_tilde_is_reported_if_and_only_if_it_does_not_run(tmp_path, command, args):
    script = write_tree(tmp_path, {"run.sh": '#!/bin/sh\ntouch "$CLAUDE_PROJECT_DIR/ran"\n'}) / "run.sh"
    script.chmod(0o755)
    hook = {**COMMAND, "command": command} | ({} if args is None else {"args": args})
    project, *_ = run_session({".claude/settings.json": {"hooks": {"SessionStart": [{"hooks": [hook]}]}}}, tmp_path)
    read = read_project(project)
    homes = [home for unit in find_units(read) for home in find_unexpanded_homes(read, unit)]
    assert bool(homes) != (project / "ran").exists()


def test_condition_on_an_unset_variable_is_never_true(tmp_path):
    tool_call_numbers = count()

    def script(request):
        is_first = request.get("tools") and next(tool_call_numbers) == 0
        return tool_call("Write", file_path=str(tmp_path / "project/a.ts"), content="x") if is_first else "done"

    conditions = ['[[ "$CLAUDE_TOOL_INPUT_FILE_PATH" == *.ts ]]', "[[ $CLAUDE_FILE_PATH =~ \\.(ts|tsx)$ ]]", "true"]
    commands = [f"if {test}; then touch $CLAUDE_PROJECT_DIR/ran-{n}; fi" for n, test in enumerate(conditions)]
    hooks = {"PostToolUse": [{"matcher": "Write", "hooks": [{**COMMAND, "command": command} for command in commands]}]}
    files = {".claude/settings.json": {"hooks": hooks}}
    project, *_ = run_session(files, tmp_path, script, "--permission-mode", "acceptEdits")
    assert [(project / f"ran-{n}").exists() for n in range(3)] == [False, False, True]


@pytest.mark.parametrize("hooks_file", [".claude/hooks.json", ".claude/hooks/hooks.json"])
def test_hooks_file_in_the_claude_folder_is_not_read(tmp_path, hooks_file):
    def make_hooks(name):
        return {"hooks": {"SessionStart": [{"hooks": [{**COMMAND, "command": f"touch $CLAUDE_PROJECT_DIR/{name}"}]}]}}

    files = {".claude/settings.json": make_hooks("settings"), hooks_file: make_hooks("file")}
    project, *_ = run_session(files, tmp_path)
    assert [(project / name).exists() for name in ("settings", "file")] == [True, False]
    assert [fault.unit.path for fault in find_dropped_hooks(read_project(project)) if fault.is_unread] == [hooks_file]


@pytest.mark.slow
def test_names_of_unset_variables_are_not_in_claude_code():
    with CLAUDE.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as program:
        names = {match.decode() for match in re.findall(rb"CLAUDE_\w+", program)}
    assert "CLAUDE_PROJECT_DIR" in names
    assert names.isdisjoint({*DATA_VARIABLES, *ROOT_VARIABLES})
    assert not [*filter(is_data_variable, names)]


MCP_MATCHERS = ("mcp__atlas__find", "mcp__.*", "^mcp__", "mcp__atlas__*", "mcp__", "mcp", "mcp__atlas", "mcp__atlas__")


def test_name_of_an_mcp_server_matches_none_of_its_tools(tmp_path):
    groups = [
        {"matcher": matcher, "hooks": [{"type": "command", "command": f"touch {tmp_path}/ran-{n}"}]}
        for n, matcher in enumerate(MCP_MATCHERS)
    ]
    servers = {"atlas": {"command": "python3", "args": ["server.py"]}}
    files = {
        ".claude/settings.json": {"hooks": {"PreToolUse": groups}},
        ".mcp.json": {"mcpServers": servers},
        "server.py": MCP_SERVER,
    }
    calls = iter([tool_call("mcp__atlas__find")])
    run_session(files, tmp_path / "home", lambda _: next(calls, "ok"), "--mcp-config", ".mcp.json")
    matching = [matcher for n, matcher in enumerate(MCP_MATCHERS) if (tmp_path / f"ran-{n}").exists()]
    assert matching == [matcher for matcher in MCP_MATCHERS if can_match_tool(matcher)] == [*MCP_MATCHERS[:4]]


def test_other_keys_beside_events_do_not_stop_the_hooks(tmp_path):
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": f"touch {tmp_path}/ran"}]}]}
    files = {".claude/settings.json": {"hooks": {"directory": ".claude/hooks", "enabled": True, **hooks}}}
    run_session(files, tmp_path / "home")
    assert (tmp_path / "ran").exists()
