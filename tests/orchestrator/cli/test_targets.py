"""Test the arguments of `diagnose` and `run`: folders, files and names of units; `--only`, `--since`, the hook."""

import json
import shutil
import subprocess

import pytest

SKILL = "---\nname: {0}\ndescription: Counts birds. Use when {0} is asked for.\n---\n\nCount each bird once.\n"
AGENT = "---\nname: {0}\ndescription: Watches.\npermissionMode: plan\n---\n\nWatch.\n"
HOOKS = json.dumps({"hooks": {"PreTool": [{"hooks": [{"type": "command", "command": "true"}]}]}})
FILES = {
    "plugins/birds/.claude-plugin/plugin.json": '{"name": "birds"}',
    "plugins/birds/skills/count/SKILL.md": SKILL.format("count"),
    "plugins/birds/agents/watcher.md": AGENT.format("watcher"),
    "plugins/birds/commands/tally.md": "---\ndescription: Tallies.\n---\n\nTally.\n",
    "plugins/birds/hooks/hooks.json": HOOKS,
    "plugins/fish/.claude-plugin/plugin.json": '{"name": "fish"}',
    "plugins/fish/agents/watcher.md": AGENT.format("watcher"),
    "plugins/fish/skills/weigh/SKILL.md": SKILL.format("weigh"),
    ".claude/agents/critic.md": AGENT.format("critic"),
    "CLAUDE.md": "# Notes\n",
    "README.md": "No unit.\n",
}


def run_git(folder, *arguments):
    settings = ("user.name=a", "user.email=a@b.c", "commit.gpgsign=false", "init.defaultBranch=main")
    options = (word for setting in settings for word in ("-c", setting))
    subprocess.run(["git", *options, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def project(tmp_path):
    """Return an empty folder; the catalogue is the real one, which has patterns for hooks and agents."""
    return tmp_path


@pytest.fixture(scope="module")
def committed_market(tmp_path_factory):
    """Return a repository of two plugins with a unit of each kind."""
    folder = tmp_path_factory.mktemp("committed") / "market"
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    run_git(folder, "init")
    run_git(folder, "add", ".")
    run_git(folder, "commit", "-m", "units")
    run_git(folder, "tag", "start")
    return folder


@pytest.fixture
def market(committed_market, project, monkeypatch):
    """Return a copy of the repository, as the working directory."""
    monkeypatch.chdir(shutil.copytree(committed_market, project / "market"))
    return project / "market"


@pytest.fixture
def list_paths(market, tune):
    """Return a function that calls `diagnose` and returns the path of each unit, and the exit code."""

    def run_diagnose(*arguments):
        result = tune("diagnose", "--format", "json", *arguments)
        rows = result.json if isinstance(result.json, list) else [result.json]
        return [(row.get("unit") or row["skill"])["path"] for row in rows], result.code

    return run_diagnose


COUNT = "plugins/birds/skills/count"
WATCHER = "plugins/birds/agents/watcher.md"


# Arguments that are refused or select nothing.


@pytest.mark.parametrize("name", ["watcher", "plugins/watcher.md", "bird", "birds:", ":", "birds:watch", "hooks.jsn"])
def test_name_of_no_unit_or_of_several_is_refused(tune, market, name):
    result = tune("diagnose", name)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"tune-skill: {name}: ")
    assert len(result.err.splitlines()) == 1


def test_name_of_two_units_names_both_paths(tune, market):
    message = f"2 units have this name; give a path: {WATCHER}, plugins/fish/agents/watcher.md"
    assert message in tune("diagnose", "watcher").err


def test_skill_and_command_of_one_name_are_refused(tune, market):
    (market / "plugins/birds/commands/count.md").write_text("Count.\n")
    assert "plugins/birds/commands/count.md, plugins/birds/skills/count" in tune("diagnose", "birds:count").err


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("birds:wacther", "birds:watcher"), ("critc", "critic"), ("birds:coutn", "birds:count"),
     ("wacther", "watcher"), ("coutn", "count"), (".claude/agents/crtic.md", ".claude/agents/critic.md"), (".claude/agnts", ".claude/agents"),
     ("plugin/birds", "plugins/birds")],
)  # fmt: skip
def test_misspelt_name_gets_a_suggestion_of_any_kind(tune, market, name, suggestion):
    assert f"did you mean {suggestion}?" in tune("diagnose", name).err


def test_files_that_are_no_units_are_reported(tune, market):
    assert "README.md: this file belongs to no skill or other unit" in tune("diagnose", "README.md").err
    assert "/dev/null: this device, pipe or socket belongs to no skill" in tune("diagnose", "/dev/null").err
    (market / ".claude/agents/link.md").symlink_to(market / "README.md")
    assert tune("diagnose", ".claude/agents/link.md").code == 2


def test_only_refuses_an_unknown_kind(tune, market):
    result = tune("diagnose", ".", "--only", "agents")
    assert (result.code, "did you mean agent?" in result.err) == (2, True)


def test_only_kinds_that_are_not_there_leave_nothing(tune, market):
    result = tune("diagnose", ".", "--only", "style", "--only", "mcp")
    assert (result.code, result.err) == (0, "tune-skill: no style or mcp among these files\n")


def test_only_does_not_hide_a_wrong_argument(tune, market):
    assert tune("diagnose", ".", "nowhere", "--only", "skill").code == 1


# Arguments that select units.


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("birds:watcher", WATCHER),
        ("fish:watcher", "plugins/fish/agents/watcher.md"),
        ("critic", ".claude/agents/critic.md"),
        ("tally", "plugins/birds/commands/tally.md"),
        (WATCHER, WATCHER),
        ("plugins/birds/hooks/hooks.json", "plugins/birds/hooks/hooks.json"),
        ("CLAUDE.md", "CLAUDE.md"),
    ],
)
def test_unit_is_found_by_name_and_path(list_paths, name, path):
    assert list_paths(name)[0] == [path]


@pytest.mark.parametrize("name", ["count", "birds:count", COUNT, f"{COUNT}/SKILL.md"])
def test_skill_of_a_plugin_is_found(tune, market, name):
    row = tune("diagnose", name, "--format", "json").json
    assert row["skill"]["name"] == "count"


def test_path_from_the_root_is_found_in_a_folder_of_the_project(list_paths, market, monkeypatch):
    monkeypatch.chdir(market / "plugins")
    assert list_paths(WATCHER)[0] == [WATCHER]
    assert list_paths("critic")[0] == [".claude/agents/critic.md"]


def test_file_is_judged_with_the_project_around_it(tune, market):
    assert "PRJ-004" in tune("diagnose", WATCHER).out
    (market / ".claude/agents/critic.md").write_text(AGENT.format("critic"))
    assert "PRJ-004" not in tune("diagnose", ".claude/agents/critic.md").out


def test_unit_that_is_named_twice_has_one_row(list_paths):
    assert list_paths(".", WATCHER, "birds:watcher", "plugins")[0].count(WATCHER) == 1


def test_run_finds_the_skill_of_a_plugin(tune, market):
    result = tune("run", "birds:count", "--apply", "none", "--judge", "none", "--format", "json")
    assert result.as_run["skill"]["path"] == str(market / COUNT)


@pytest.mark.parametrize(
    ("kinds", "count"),
    [(["skill"], 2), (["agent"], 3), (["agent", "command"], 4), (["manifest"], 2), (["hooks"], 1), (["memory"], 1)],
)
def test_only_selects_kinds(list_paths, kinds, count):
    options = [word for kind in kinds for word in ("--only", kind)]
    assert len(list_paths(".", *options)[0]) == count


# `--since`, and the file names that a git hook passes.


def test_since_selects_units_whose_file_changed(list_paths, market):
    (market / WATCHER).write_text(AGENT.format("watcher") + "More.\n")
    (market / COUNT / "new.md").write_text("New.\n")
    assert list_paths(".", "--since", "start") == ([COUNT, WATCHER], 1)
    assert list_paths(".", "--since", "start", "--only", "agent") == ([WATCHER], 1)


def test_since_with_changed_settings_selects_all(list_paths, market):
    (market / "tune-skill.toml").write_text('fail-on = "never"\n')
    assert len(list_paths(".", "--since", "start")[0]) == len(list_paths(".")[0])


def test_since_without_a_change_checks_nothing(tune, market):
    (market / "README.md").write_text("Other.\n")
    result = tune("diagnose", ".", "--since", "start")
    assert (result.code, result.err) == (0, "tune-skill: no skill or other unit has changed since start\n")


def test_hook_checks_files_that_are_units(list_paths):
    files = ["README.md", WATCHER, f"{COUNT}/SKILL.md", "plugins/birds/hooks/hooks.json", "gone.md"]
    paths, code = list_paths("--only-in-skills", "--", *files)
    assert (sorted(paths), code) == ([WATCHER, "plugins/birds/hooks/hooks.json", COUNT], 1)


def test_baseline_covers_units(tune, market):
    """The baseline has a part for each unit, so that no other unit reports that part as unused."""
    assert tune("diagnose", ".").code == 1
    assert tune("diagnose", ".", "--write-baseline", "known.json").code == 0
    result = tune("diagnose", ".", "--baseline", "known.json")
    assert result.code == 0
    assert "matches no finding" not in result.out
    (market / WATCHER).write_text(AGENT.format("watcher") + "\n" + "Watch.\n")
    assert tune("diagnose", ".", "--baseline", "known.json").code == 0


# Every format shows the kind, name and file of a unit.


@pytest.mark.parametrize("format_", ["concise", "full", "markdown", "sarif"])
def test_format_names_a_unit_by_its_file_and_offers_no_run(tune, market, format_):
    out = tune("diagnose", ".", "--only", "agent", "--format", format_).out
    assert WATCHER in out.replace("\\", "")
    assert "tune-skill run" not in out
    if format_ not in ("sarif", "concise"):
        assert "birds:watcher" in out.replace("\\", "")


@pytest.mark.parametrize(
    ("format_", "text"), [("full", f"agent {{}}/{WATCHER}"), ("markdown", "birds:watcher (agent)")]
)
def test_format_for_people_says_the_kind(tune, market, monkeypatch, format_, text):
    monkeypatch.setenv("COLUMNS", "300")
    assert text.format(market) in tune("diagnose", "birds:watcher", "tally", "--format", format_).out.replace("\\", "")


def test_sarif_places_a_finding_in_the_file_of_its_unit(tune, market):
    (run,) = json.loads(tune("diagnose", "birds:watcher", "--format", "sarif").out)["runs"]
    (result,) = run["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == WATCHER
