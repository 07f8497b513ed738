"""Test that `diagnose` skips what the project's settings exclude, and prints how much."""

import pytest

SKILL = "---\nname: count\ndescription: Counts birds. Use when birds are counted.\n---\n\nCount each bird once.\n"
AGENT = "---\nname: watcher\ndescription: Watches.\n---\n\nWatch.\n"


@pytest.fixture
def project(tmp_path):
    """Return an empty folder; `diagnose` uses the real catalogue of patterns."""
    return tmp_path


@pytest.fixture
def project_of_three_skills(tmp_path, monkeypatch):
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
def list_paths(project_of_three_skills, tune):
    """Return a function that sets `exclude`, calls `diagnose`, and returns the paths of the units and the lines of stderr."""

    def list_paths_with(exclude, *arguments):
        (project_of_three_skills / "tune-skill.toml").write_text(f"exclude = {exclude}\n")
        result = tune("diagnose", "--format", "json", *arguments)
        rows = result.json if isinstance(result.json, list) else [result.json]
        return [(row.get("unit") or row["skill"])["path"] for row in rows], result.err.splitlines()

    return list_paths_with


PLUGIN = ["plugin/skills/count", "plugin/.claude-plugin/plugin.json", "plugin/agents/watcher.md"]


@pytest.mark.parametrize("line", ["drafts", "drafts/", "/drafts/", "drafts/**", "**/drafts", "dr*s", "/d?afts/"])
def test_excluded_folder_holds_no_units(list_paths, line):
    assert list_paths([line], ".") == (PLUGIN, ["tune-skill: 3 units excluded by tune-skill.toml"])


def test_excluded_file_is_not_a_unit(list_paths):
    assert list_paths(["drafts/", "watcher.md"], ".")[0] == PLUGIN[:2]
    assert list_paths(["drafts/", "plugin/skills/count/SKILL.md"], ".")[0] == PLUGIN[1:]


def test_later_line_can_include_again(list_paths):
    paths, _ = list_paths(["drafts/plugin/*", "!drafts/plugin/agents"], ".")
    assert paths == ["plugin/skills/count", "drafts/plugin/agents/watcher.md", *PLUGIN[1:]]


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
        paths, notes = list_paths(["drafts/"], argument)
        assert paths == []
        assert notes[0].startswith("tune-skill: nothing to check: ")
        assert notes[0].endswith(" excluded by tune-skill.toml")


# A unit is diagnosed with the settings of its own project, whatever the working directory is.


@pytest.fixture
def other_project(project_of_three_skills, tmp_path_factory, monkeypatch):
    """Return another project, which is the working directory. Its settings would exclude everything."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / ".git").mkdir()
    (folder / "tune-skill.toml").write_text('exclude = ["*"]\nfail-on = "never"\nignore = ["PRJ"]\n')
    monkeypatch.chdir(folder)
    return folder


def test_exclude_of_another_project_applies_to_its_units(list_paths, project_of_three_skills, other_project):
    for argument in (
        str(project_of_three_skills),
        f"{project_of_three_skills}/drafts/plugin/agents/watcher.md",
        f"{project_of_three_skills}/drafts/plugin/skills/count",
    ):
        paths, notes = list_paths(["drafts/"], argument)
        assert len(paths) == (3 if argument == str(project_of_three_skills) else 0)
        assert "excluded by tune-skill.toml" in notes[-1]


def test_settings_of_another_project_apply_to_its_units(tune, project_of_three_skills, other_project):
    agent = project_of_three_skills / "plugin/agents/watcher.md"
    agent.write_text(AGENT.replace("\n---\n\n", "\npermissionMode: plan\n---\n\n"))
    assert (tune("diagnose", str(agent)).code, "PRJ-004" in tune("diagnose", str(agent)).out) == (1, True)
    (project_of_three_skills / "tune-skill.toml").write_text('fail-on = "high"\n')
    assert tune("diagnose", str(agent)).code == 0
    (project_of_three_skills / "tune-skill.toml").write_text('[per-file-ignores]\n"plugin/agents/*" = ["PRJ-004"]\n')
    row = tune("diagnose", str(agent), "--format", "json").json
    assert (row["issues"], len(row["suppressed"])) == ([], 1)


@pytest.mark.parametrize("glob", ["agents/*", "*.md", "agents/watcher.md"])
def test_paths_in_settings_of_an_inner_folder_are_relative_to_it(tune, project_of_three_skills, glob):
    agent = project_of_three_skills / "plugin/agents/watcher.md"
    agent.write_text(AGENT.replace("\n---\n\n", "\npermissionMode: plan\n---\n\n"))
    (project_of_three_skills / "plugin/tune-skill.toml").write_text(f'[per-file-ignores]\n"{glob}" = ["PRJ-004"]\n')
    result = tune("diagnose", str(agent), "--format", "json")
    assert result.json["issues"] == []
    assert result.err == "tune-skill: plugin/tune-skill.toml applies to the units below it\n"


def test_each_unit_fails_by_the_settings_of_its_project(tune, project_of_three_skills, other_project):
    (project_of_three_skills / "plugin/agents/watcher.md").write_text(
        AGENT.replace("\n---\n\n", "\npermissionMode: plan\n---\n\n")
    )
    (other_project / "tune-skill.toml").write_text('fail-on = "never"\n')
    assert tune("diagnose", str(other_project), str(project_of_three_skills)).code == 1


def test_exclude_of_the_project_applies_below_inner_settings(list_paths, project_of_three_skills):
    (project_of_three_skills / "drafts/tune-skill.toml").write_text('exclude = ["nothing/"]\n')
    assert list_paths(["drafts/"], ".")[0] == PLUGIN


def test_folder_without_units_says_what_a_unit_is(tune, project_of_three_skills):
    (project_of_three_skills / "docs").mkdir()
    result = tune("diagnose", "docs")
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert result.err.startswith(
        "tune-skill: docs: no SKILL.md in this folder; a skill is a folder with a SKILL.md; in a"
    )
