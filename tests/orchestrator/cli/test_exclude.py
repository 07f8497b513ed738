"""Test that `diagnose` skips what the project's settings exclude, and prints how much."""

import pytest

SKILL = "---\nname: count\ndescription: Counts birds. Use when birds are counted.\n---\n\nCount each bird once.\n"
AGENT = "---\nname: watcher\ndescription: Watches.\n---\n\nWatch.\n"


@pytest.fixture
def project(tmp_path):
    """Return an empty folder; `diagnose` uses the real catalogue of patterns."""
    return tmp_path


@pytest.fixture
def shore(tmp_path, monkeypatch):
    """Return a project with skills and agents, two of them below `drafts`."""
    for folder in ("plugin", "drafts/plugin"):
        for path, text in (
            (".claude-plugin/plugin.json", '{"name": "birds"}'),
            ("skills/count/SKILL.md", SKILL),
            ("agents/watcher.md", AGENT),
        ):
            (tmp_path / folder / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / folder / path).write_text(text)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def list_paths(shore, tune):
    """Return a function that sets `exclude`, calls `diagnose`, and returns the path of each unit, and stderr."""

    def call(exclude, *arguments):
        (shore / "tune-skill.toml").write_text(f"exclude = {exclude}\n")
        printed = tune("diagnose", "--format", "json", *arguments)
        rows = printed.json if isinstance(printed.json, list) else [printed.json]
        return [(row.get("unit") or row["skill"])["path"] for row in rows], printed.err.splitlines()

    return call


PLUGIN = ["plugin/skills/count", "plugin/.claude-plugin/plugin.json", "plugin/agents/watcher.md"]


@pytest.mark.parametrize("line", ["drafts", "drafts/", "/drafts/", "drafts/**", "**/drafts", "dr*s", "/d?afts/"])
def test_excluded_folder_holds_no_units(list_paths, line):
    assert list_paths([line], ".") == (PLUGIN, ["tune-skill: 3 units excluded by tune-skill.toml"])


def test_excluded_file_is_no_unit(list_paths):
    assert list_paths(["drafts/", "watcher.md"], ".")[0] == PLUGIN[:2]
    assert list_paths(["drafts/", "plugin/skills/count/SKILL.md"], ".")[0] == PLUGIN[1:]


def test_later_line_includes_again(list_paths):
    found, _ = list_paths(["drafts/plugin/*", "!drafts/plugin/agents"], ".")
    assert found == ["plugin/skills/count", "drafts/plugin/agents/watcher.md", *PLUGIN[1:]]


def test_line_that_excludes_nothing_is_reported(list_paths):
    notes = list_paths(["# ours", "drafts/", "nowhere/", "[a"], ".")[1]
    assert notes == [
        "tune-skill: 3 units excluded by tune-skill.toml",
        "tune-skill: tune-skill.toml: exclude 'nowhere/' matches no unit of the project; to ignore files in a unit, use per-file-ignores",
        "tune-skill: tune-skill.toml: exclude '[a' matches no unit of the project; to ignore files in a unit, use per-file-ignores",
    ]
    assert list_paths(["nowhere/"], "plugin")[1] == []
    assert list_paths(["nowhere/"], ".", "--only", "agent")[1] == []


def test_named_unit_is_excluded_as_well(list_paths):
    for argument in ("drafts/plugin/agents/watcher.md", "drafts/plugin/skills/count", "drafts"):
        found, notes = list_paths(["drafts/"], argument)
        assert found == []
        assert "excluded by tune-skill.toml" in notes[-1]


# the settings of the unit's own project apply, wherever the command runs


@pytest.fixture
def elsewhere(shore, tmp_path_factory, monkeypatch):
    """Make another project, whose settings would exclude everything, the working directory."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / ".git").mkdir()
    (folder / "tune-skill.toml").write_text('exclude = ["*"]\nfail-on = "never"\nignore = ["PRJ"]\n')
    monkeypatch.chdir(folder)
    return folder


def test_exclude_of_another_project_holds_there(list_paths, shore, elsewhere):
    for argument in (str(shore), f"{shore}/drafts/plugin/agents/watcher.md", f"{shore}/drafts/plugin/skills/count"):
        found, notes = list_paths(["drafts/"], argument)
        assert len(found) == (3 if argument == str(shore) else 0)
        assert "excluded by tune-skill.toml" in notes[-1]


def test_settings_of_another_project_hold_there(tune, shore, elsewhere):
    agent = shore / "plugin/agents/watcher.md"
    agent.write_text(AGENT.replace("\n---\n\n", "\npermissionMode: plan\n---\n\n"))
    assert (tune("diagnose", str(agent)).code, "PRJ-004" in tune("diagnose", str(agent)).out) == (1, True)
    (shore / "tune-skill.toml").write_text('fail-on = "high"\n')
    assert tune("diagnose", str(agent)).code == 0
    (shore / "tune-skill.toml").write_text('[per-file-ignores]\n"plugin/agents/*" = ["PRJ-004"]\n')
    row = tune("diagnose", str(agent), "--format", "json").json
    assert (row["issues"], len(row["suppressed"])) == ([], 1)


@pytest.mark.parametrize("glob", ["agents/*", "*.md", "agents/watcher.md"])
def test_settings_of_an_inner_folder_count_from_there(tune, shore, glob):
    agent = shore / "plugin/agents/watcher.md"
    agent.write_text(AGENT.replace("\n---\n\n", "\npermissionMode: plan\n---\n\n"))
    (shore / "plugin/tune-skill.toml").write_text(f'[per-file-ignores]\n"{glob}" = ["PRJ-004"]\n')
    printed = tune("diagnose", str(agent), "--format", "json")
    assert printed.json["issues"] == []
    assert printed.err == "tune-skill: plugin/tune-skill.toml applies to the units below it\n"


def test_each_row_fails_by_its_own_project(tune, shore, elsewhere):
    (shore / "plugin/agents/watcher.md").write_text(AGENT.replace("\n---\n\n", "\npermissionMode: plan\n---\n\n"))
    (elsewhere / "tune-skill.toml").write_text('fail-on = "never"\n')
    assert tune("diagnose", str(elsewhere), str(shore)).code == 1


def test_outer_exclude_holds_below_inner_settings(list_paths, shore):
    (shore / "drafts/tune-skill.toml").write_text('exclude = ["nothing/"]\n')
    assert list_paths(["drafts/"], ".")[0] == PLUGIN


def test_folder_without_units_says_what_would_be_one(tune, shore):
    (shore / "docs").mkdir()
    printed = tune("diagnose", "docs")
    assert (printed.code, len(printed.err.splitlines())) == (2, 1)
    assert printed.err.startswith(
        "tune-skill: docs: no SKILL.md in this folder; a skill is a folder with a SKILL.md; in a"
    )
