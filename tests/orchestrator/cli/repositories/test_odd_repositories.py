"""Test `diagnose` on odd layouts, odd names, invalid manifests and hostile text."""

import json

import pytest

from orchestrator.exits import Exit
from tests.orchestrator.cli.repositories.samples import (
    AGENT,
    COMMAND,
    DEEP,
    FOLDER,
    HOOK,
    MARKET,
    MISSING,
    PIPE,
    PLUGIN,
    SKILL,
    UNITS,
    Link,
    OddRepository,
    run_git,
    write_files,
)

_NAMES = (".hidden", ".venv", "dist", "node_modules", "tests", "vendor")
SKILLS_IN_VENDORED_FOLDERS = {f".claude/skills/{name}/SKILL.md": SKILL.format(name.strip(".")) for name in _NAMES} | {
    ".claude/skills/node_modules/x/SKILL.md": SKILL.format("x"), "fixtures/.claude/skills/a/SKILL.md": SKILL.format("a"),
    ".claude/commands/vendor/tally.md": COMMAND, ".claude/agents/node_modules/watcher.md": AGENT.format("watcher"),
}  # fmt: skip
UNITS_IN_VENDORED_FOLDERS = sorted(
    [
        ".claude/agents/node_modules/watcher.md",
        ".claude/commands/vendor/tally.md",
        *(f".claude/skills/{n}" for n in _NAMES),
    ]
)


def make_marketplace(*folders):
    return {"name": "m", "owner": {"name": "o"}, "plugins": [{"name": f, "source": f"./{f}"} for f in folders]}


CASES = {
    "without git": OddRepository({**PLUGIN, "hooks/hooks.json": HOOK % MISSING}, [*UNITS, "hooks/hooks.json"], {"hooks/hooks.json": {"PRJ-003"}}, git=False),
    "40 plugins": OddRepository(
        {MARKET: make_marketplace(*(f"p{n}" for n in range(40)))}
        | {f"p{n}/{path}": text for n in range(40) for path, text in
           {".claude-plugin/plugin.json": {"name": f"p{n}"}, "agents/watcher.md": AGENT.format("watcher"),
            "commands/tally.md": COMMAND}.items()},
        [MARKET, *(f"p{n}/{path}" for n in range(40) for path in (".claude-plugin/plugin.json", "agents/watcher.md", "commands/tally.md"))],
    ),
    "two marketplaces": OddRepository(
        {MARKET: make_marketplace("one"), f"second/{MARKET}": make_marketplace("two"), "one/agents/a.md": AGENT.format("a"),
         "second/two/agents/a.md": AGENT.format("a")},
        [MARKET, "one/agents/a.md", f"second/{MARKET}", "second/two/agents/a.md"],
    ),
    "symlinked skills": OddRepository(
        {"shared/count/SKILL.md": SKILL.format("count"), ".claude/skills/count": Link("../../shared/count"),
         ".claude/skills/gone": Link("../../nothing"), ".claude/skills/self": Link("self")},
        [".claude/skills/count"],
    ),
    "a link to a skill elsewhere": OddRepository({**PLUGIN, "skills/out": Link("/etc")}, UNITS),
    "a plugin in .claude/skills": OddRepository(
        {f".claude/skills/birds/{path}": text for path, text in PLUGIN.items()}
        | {".claude/skills/birds/agents/watcher.md": AGENT.format("watcher").replace("---\n\n", "permissionMode: plan\n---\n\n", 1)},
        [f".claude/skills/birds/{path}" for path in (*UNITS, "agents/watcher.md")],
        {".claude/skills/birds/agents/watcher.md": {"PRJ-004"}},
    ),
    "manifests that are arrays": OddRepository(
        {".claude-plugin/plugin.json": [], MARKET: [1], ".mcp.json": [], "hooks/hooks.json": []},
        [MARKET, ".claude-plugin/plugin.json", ".mcp.json", "hooks/hooks.json"],
        {path: {"PRJ-007"} for path in (MARKET, ".claude-plugin/plugin.json", ".mcp.json", "hooks/hooks.json")},
    ),
    "manifests that are empty": OddRepository(
        {".claude-plugin/plugin.json": "", MARKET: "{}", ".mcp.json": "{}", "hooks/hooks.json": " "},
        [MARKET, ".claude-plugin/plugin.json", ".mcp.json", "hooks/hooks.json"],
        {MARKET: {"PRJ-047"}, ".claude-plugin/plugin.json": {"PRJ-007"}, "hooks/hooks.json": {"PRJ-007"}},
    ),
    "manifests of a newer schema": OddRepository(
        {**PLUGIN, ".claude-plugin/plugin.json": {"name": {"en": "birds"}, "skills": {"a": 1}, "agents": 7, "commands": [{"x": 1}],
                                                   "hooks": {"Stop": {"new": True}}, "mcpServers": {"a": [1]}, "version": 2},
         MARKET: {"plugins": {"birds": {"source": "./x"}}, "metadata": []},
         "hooks/hooks.json": {"hooks": {"Stop": [[], {"hooks": {"a": 1}}, {"hooks": [None, {"command": 3}]}]}}},
        [MARKET, *UNITS, "hooks/hooks.json"],
        {MARKET: {"PRJ-047"}, ".claude-plugin/plugin.json": {"PRJ-047"}, "hooks/hooks.json": {"PRJ-015"}},
    ),
    "hooks as a list": OddRepository(
        {**PLUGIN, "hooks/hooks.json": {"hooks": [[]]}, ".claude/settings.json": {"hooks": [None]},
         ".claude-plugin/plugin.json": {"name": "birds", "hooks": ["./a.json", None, [], {"hooks": [1]}]}},
        [*UNITS, ".claude/settings.json", "hooks/hooks.json"],
        {path: {"PRJ-015"} for path in ("hooks/hooks.json", ".claude/settings.json")}
        | {".claude-plugin/plugin.json": {"PRJ-015", "PRJ-022", "PRJ-047"}},
    ),
    "hooks in both forms": OddRepository(
        {**PLUGIN, "hooks/hooks.json": HOOK % MISSING,
         ".claude-plugin/plugin.json": {"name": "birds", "hooks": json.loads(HOOK % "${CLAUDE_PLUGIN_ROOT}/b.sh")["hooks"]}},
        [*UNITS, "hooks/hooks.json"],
        {"hooks/hooks.json": {"PRJ-003"}, ".claude-plugin/plugin.json": {"PRJ-003"}},
    ),
    "parts among the manifests": OddRepository(
        {**PLUGIN, ".claude-plugin/hooks.json": HOOK % "true", ".claude-plugin/agents/watcher.md": AGENT.format("watcher"),
         ".claude-plugin/commands": Link("/etc"), "config/hooks.json": {"hooks": {"Stop": []}}},
        UNITS, {".claude-plugin/plugin.json": {"PRJ-013"}},
    ),
    "paths of the wrong kind": OddRepository(
        {**PLUGIN, ".claude-plugin/plugin.json": {"name": "birds", "skills": ["./skills/count/SKILL.md", "./"], "hooks": "./",
                                                   "mcpServers": ["./commands", {}], "commands": ["./\x00.md"]}},
        UNITS, {".claude-plugin/plugin.json": {"PRJ-022"}},
    ),
    "tools of an own server": OddRepository(
        {**PLUGIN, ".mcp.json": {"mcpServers": {"a": {"command": "npx"}, "": {"command": "npx"}, "б": {"command": "npx"}}},
         "agents/a.md": AGENT.format("a").replace("---\n\n", "tools: mcp__a__b, mcp____, mcp__\n---\n\n", 1),
         "hooks/hooks.json": {"hooks": {"PreToolUse": [{"matcher": "mcp__a__.*", "hooks": []}, {"matcher": "mcp__a__b", "hooks": []}]}}},
        [*UNITS, ".mcp.json", "agents/a.md", "hooks/hooks.json"], {"agents/a.md": {"PRJ-049"}},
    ),
    "settings with variables and odd styles": OddRepository(
        {".claude/settings.json": {"env": {"PATH": "$HOME/bin:$PATH", "": "${A}", "${B}": 1}, "outputStyle": "brief"},
         ".claude/settings.local.json": {"env": ["$HOME"], "outputStyle": ["brief"]},
         ".claude/output-styles/brief.md": "---\nname: [a\n---\n", ".claude/output-styles/Brief.md": Link("/etc/passwd")},
        [".claude/output-styles/brief.md", ".claude/settings.json", ".claude/settings.local.json"],
        {".claude/settings.json": {"PRJ-050"}},
    ),
    "odd lists in agents": OddRepository(
        {".claude/agents/a.md": "---\nname: a\ndescription: A.\nskills: {count: [1]}\ntools: {eslint: true}\n---\n\nCount.\n",
         ".claude/agents/b.md": "---\nname: b\ndescription: B.\nskills: [[count], null, ../count, 'b c', cuont]\ntools: [1]\n---\n\nB.\n",
         ".claude/skills/count/SKILL.md": SKILL.format("count")},
        [".claude/agents/a.md", ".claude/agents/b.md", ".claude/skills/count"],
        {".claude/agents/b.md": {"PRJ-017", "PRJ-052"}},
    ),
    "settings for the home folder": OddRepository(
        {"settings.json": {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "~/.claude/bin/a; ~/.claude/../b"}]}]},
                           "outputStyle": "brief", "permissions": {"deny": ["Bash(rm)*"]}},
         "bin/a": "", "output-styles/Brief.md": COMMAND, "agents": Link("/etc"), "commands/tally.md": COMMAND,
         "x/settings.json": "[" * 9, "y/settings.json": Link("../settings.json"), "README.md": "x/settings.json ~/.claude"},
        ["commands/tally.md", "output-styles/Brief.md", "settings.json"], {"settings.json": {"PRJ-018", "PRJ-051"}},
    ),
    "a skill in node_modules": OddRepository({**PLUGIN, "node_modules/x/SKILL.md": SKILL.format("x")}, UNITS),
    "loaded skills named as vendored code": OddRepository(SKILLS_IN_VENDORED_FOLDERS, UNITS_IN_VENDORED_FOLDERS),
    "loaded skills named as vendored code, without git": OddRepository(SKILLS_IN_VENDORED_FOLDERS, UNITS_IN_VENDORED_FOLDERS, git=False),
    "a skill in a template": OddRepository({**PLUGIN, "skills/count/templates/x/SKILL.md": SKILL.format("{{ name }}")}, UNITS),
    "names in other scripts": OddRepository(
        {"skills/счёт/SKILL.md": SKILL.format("счёт"), ".claude-plugin/plugin.json": {"name": "ptakи"},
         "agents/İstanbul.md": AGENT.format("İstanbul"), "agents/ıstanbul.md": AGENT.format("ıstanbul"),
         "commands/cafe\u0301.md": COMMAND, "commands/caf\u00e9.md": COMMAND},
        [".claude-plugin/plugin.json", "agents/İstanbul.md", "agents/ıstanbul.md", "commands/cafe\u0301.md",
         "commands/caf\u00e9.md", "skills/счёт"],
        {".claude-plugin/plugin.json": {"PRJ-045"}},
    ),
    "names with newlines and escapes": OddRepository(
        {**PLUGIN, "agents/a\nb.md": AGENT.format("a"), "agents/\x1b[31mred.md": AGENT.format("b")}, UNITS
    ),
    "a path that a hook creates": OddRepository(
        {**PLUGIN, "hooks/hooks.json": HOOK % "mkdir -p out && touch out/x && ${CLAUDE_PLUGIN_ROOT}/dist/run.sh"},
        [*UNITS, "hooks/hooks.json"],
    ),
    "files that git ignores": OddRepository(
        {**PLUGIN, ".gitignore": "local/\nbin/\n", "local/agents/a.md": AGENT.format("a"), "bin/run.sh": "#!/bin/sh\n",
         "hooks/hooks.json": HOOK % "${CLAUDE_PLUGIN_ROOT}/bin/run.sh"},
        [*UNITS, "hooks/hooks.json"],
    ),
    "deep JSON and YAML": OddRepository(
        {**PLUGIN, "hooks/hooks.json": "[" * DEEP, ".mcp.json": '{"a":' * DEEP, MARKET: "[" * DEEP + "]" * DEEP,
         "agents/deep.md": f"---\nname: {'[' * DEEP}\n---\n", "commands/deep.md": "---\n" + "- " * DEEP + "\n---\n"},
        [MARKET, *UNITS, ".mcp.json", "agents/deep.md", "commands/deep.md", "hooks/hooks.json"],
    ),
    "links out, pipes and folders": OddRepository(
        {**PLUGIN, "CLAUDE.md": Link("/etc/passwd"), "agents/out.md": Link("/etc/passwd"), "agents/pipe.md": PIPE,
         "hooks/hooks.json": PIPE, ".mcp.json": FOLDER, "commands": Link("/etc")},
        UNITS, git=False,
    ),
    "long lines": OddRepository(
        {**PLUGIN, "agents/long.md": AGENT.format("long") + "a " * 500_000, "CLAUDE.md": "[" * 500_000,
         "hooks/hooks.json": '{"hooks": "' + "x" * 5_000_000 + '"}'},
        [*UNITS, "CLAUDE.md", "agents/long.md", "hooks/hooks.json"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_odd_repository_is_diagnosed(project, diagnose, name):
    repository = CASES[name]
    write_files(project, repository.files)
    if repository.git:
        run_git(project, "init")
    units, patterns_by_file = diagnose(project)
    assert units == sorted(repository.units)
    assert {
        path: ids for path, ids in patterns_by_file.items() if any(i.startswith("PRJ") for i in ids)
    } == repository.patterns


@pytest.mark.parametrize("path", ["agents/a.md", ".claude/settings.json", "CLAUDE.md"])
def test_unit_in_another_encoding_is_reported_as_not_checked(project, tune, path):
    write_files(project, {**PLUGIN, path: b'---\nname: {"\xff"}\n---\n'})
    result = tune("diagnose", str(project), "--fail-on", "never")
    assert (result.code, f"{path}: not checked, because it is not UTF-8" in result.err) == (1, True)


@pytest.mark.parametrize("has_git", [True, False])
def test_links_to_units_are_reported(project, tune, has_git):
    write_files(project, {**PLUGIN, "real.md": AGENT.format("a"), ".claude/agents/a.md": Link("/etc/hostname"),
                  ".claude/settings.json": Link("../real.md"), "docs/b.md": Link("../real.md")})  # fmt: skip
    if has_git:
        run_git(project, "init")
    result = tune("diagnose", str(project)).err
    assert result.count("not checked, because it is a link") == 2


@pytest.mark.parametrize("has_git", [True, False])
def test_agent_behind_a_link_in_the_project_is_checked_once(project, tune, tmp_path, has_git):
    (tmp_path / "secret.md").write_text(AGENT.format("secret") + "\nsecret.md\n")
    links = {"a.md": "../../real.md", "b.md": "../../real.md", "c.md": "c.md", "d.md": str(tmp_path / "secret.md"),
             "e.md": "../../../secret.md", "f.md": "../../folder/../../secret.md"}  # fmt: skip
    agent = AGENT.format("a").replace("\nname", "\ntools: read, Read\nname")
    write_files(project, {**PLUGIN, "real.md": agent, **{f".claude/agents/{n}": Link(t) for n, t in links.items()},
                  "folder": Link("../away")})  # fmt: skip
    if has_git:
        run_git(project, "init")
    for argument in (project, project / ".claude"):
        result = tune("diagnose", str(argument), "--only", "agent", "--format", "json")
        assert result.err.count("not checked, because it is a link") == 4
        row = json.loads(result.out)  # an object, because there is only one unit
        ids = [issue["pattern"] for issue in row["issues"]]
        assert (row["unit"]["path"], ids) == ("real.md", ["PRJ-017"])
        assert "secret" not in result.out


def test_skill_file_in_the_wrong_case_is_reported(project, tune):
    text = "---\nname: a\ndescription: Use when b happens.\n---\nText.\n"
    write_files(project, {".claude/skills/a/skill.md": text, ".claude/skills/b/SKILL.md": text.replace("name: a", "name: b"),
                  ".claude/skills/b/Skill.md": text, "docs/skill.md": text, "tests/skills/c/skill.md": text})  # fmt: skip
    result = tune("diagnose", str(project)).err
    assert result.count("only file systems that ignore case") == 1
    assert ".claude/skills/a/skill.md: not checked" in result


def test_invalid_settings_of_a_folder_do_not_stop_other_folders(project, tune):
    write_files(
        project,
        {
            ".claude/agents/watcher.md": AGENT.format("watcher"),
            ".claude/skills/count/SKILL.md": SKILL.format("count"),
            ".claude/agents/tune-skill.toml": '[severity]\n"PRJ-009" = "info"\n',
        },
    )
    result = tune("diagnose", str(project))
    assert result.code == Exit.GATE
    assert "1 without findings, 1 unreadable" in result.out
    assert result.err.count("/.claude/agents/tune-skill.toml: /severity/PRJ-009: 'info' is not one of") == 1
    (project / "tune-skill.toml").write_text("x = 1\n")
    result = tune("diagnose", str(project))
    assert result.code == Exit.USAGE
    assert "unknown setting 'x'" in result.err


@pytest.mark.parametrize("format_", ["concise", "full", "markdown", "sarif", "json"])
def test_hostile_names_and_values_print_no_control_characters(project, tune, monkeypatch, format_):
    write_files(project, {
        **PLUGIN, "agents/\x1b[31mred.md": AGENT.format("red"),
        "agents/a.md": "---\nname: \"\\e[31mred\\n\\u202e\"\npermissionMode: \"\\e[2J\"\n---\n\nWatch.\n",
        "hooks/hooks.json": {"hooks": {"St\x1b[2J\u202eop": [{"matcher": "\x1b]0;x\x07", "hooks": [{"type": "command", "command": "\n\x1b[2J"}]}]}},
    })  # fmt: skip
    monkeypatch.chdir(project)
    result = tune("diagnose", ".", "--format", format_)
    assert not [char for char in result.out + result.err if char != "\n" and not char.isprintable()]
