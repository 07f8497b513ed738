"""`diagnose` leaves out what the project's settings exclude, and says so."""

import pytest

SKILL = "---\nname: count\ndescription: Counts birds. Use when birds are counted.\n---\n\nCount each bird once.\n"
AGENT = "---\nname: watcher\ndescription: Watches.\n---\n\nWatch.\n"


@pytest.fixture
def project(tmp_path):
    """A folder with the real catalogue of patterns."""
    return tmp_path


@pytest.fixture
def shore(tmp_path, monkeypatch):
    """A project with skills and agents, two of them below `drafts`."""
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
    """Set `exclude`, call diagnose; gives the path of each unit and what is printed on stderr."""

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
        "tune-skill: tune-skill.toml: exclude 'nowhere/' matches no unit of the project",
        "tune-skill: tune-skill.toml: exclude '[a' matches no unit of the project",
    ]
    assert list_paths(["nowhere/"], "plugin")[1] == []
    assert list_paths(["nowhere/"], ".", "--only", "agent")[1] == []


def test_named_unit_is_excluded_as_well(list_paths):
    for argument in ("drafts/plugin/agents/watcher.md", "drafts/plugin/skills/count", "drafts"):
        found, notes = list_paths(["drafts/"], argument)
        assert found == []
        assert "excluded by tune-skill.toml" in notes[-1]
