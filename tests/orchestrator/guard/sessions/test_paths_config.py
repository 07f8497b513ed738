"""Where things stand: project, agent, temporary folders."""

import json

import pytest

from orchestrator.errors import BadInput
from orchestrator.guard.sessions import config as module
from orchestrator.guard.sessions.config import DEFAULTS, ProjectConfig
from orchestrator.guard.sessions.paths import (
    find_project_root,
    get_dev_scripts_dir,
    get_hooks_dir,
    get_session_dir,
)
from tests.fakes import configure


@pytest.fixture
def on_host(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "CONTAINER_MARK", tmp_path / "no-such-mark")


def test_a_project_is_what_claude_code_says_else_the_nearest_marked_folder(project, tmp_path, monkeypatch):
    deep = project / "a" / "b"
    deep.mkdir(parents=True)
    assert find_project_root() == find_project_root(deep) == project
    (project / "a" / ".maceff").mkdir()
    assert find_project_root(deep) == project / "a"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "said"))
    assert find_project_root() == tmp_path / "said"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "relative")
    assert find_project_root() == project


def test_the_settings_of_claude_code_in_the_home_folder_make_it_no_project(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".claude").mkdir()
    (tmp_path / "work").mkdir()
    assert find_project_root(tmp_path / "work") == tmp_path / "work"


def test_a_session_has_private_temporary_folders(project, tmp_path):
    assert get_session_dir("abc", "me", "sub") == tmp_path / "macf" / "me" / "abc" / "sub"
    assert get_hooks_dir("abc", "me") == tmp_path / "macf" / "me" / "abc" / "hooks"
    assert get_dev_scripts_dir("abc", "me") == tmp_path / "macf" / "me" / "abc" / "dev_scripts"
    assert (tmp_path / "macf" / "me").stat().st_mode & 0o777 == 0o700


def test_a_temporary_folder_is_not_made_when_it_is_only_asked_for(project, tmp_path):
    assert get_session_dir("abc", "me", create=False) is None
    assert not (tmp_path / "macf").exists()


def test_a_temporary_folder_that_someone_else_prepared_is_not_used(project, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "macf").symlink_to(tmp_path / "elsewhere")
    assert get_session_dir("abc", "me") is None
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_hostile_names_stay_within_the_temporary_folder(project, tmp_path):
    assert get_session_dir("../../x", "a/b") == tmp_path / "macf" / "unknown" / "unknown"


def test_the_agent_root_is_found_in_four_steps(project, tmp_path, monkeypatch, on_host):
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USER", "ann")
    found = lambda: (ProjectConfig().environment, ProjectConfig().agent_root)  # noqa: E731
    assert found() == ("fallback", home / ".macf" / "ann" / "agent")
    (project / ".claude").mkdir()
    assert found() == ("host", project / "agent")
    (tmp_path / "mark").touch()
    monkeypatch.setattr(module, "CONTAINER_MARK", tmp_path / "mark")
    assert found() == ("container", home / "agent")
    monkeypatch.setenv("MACF_AGENT_ROOT", str(tmp_path / "said"))
    assert found() == ("env", tmp_path / "said")


def test_the_agent_is_named_by_variable_configuration_or_user(project, monkeypatch):
    monkeypatch.setenv("USER", "ann")
    assert ProjectConfig().agent_id == "ann"
    (project / ".maceff").mkdir()
    (project / ".maceff" / "config.json").write_text(json.dumps({"schema_version": 1, "agent": {"id": "ben"}}))
    assert ProjectConfig().agent_id == "ben"
    monkeypatch.setenv("MACF_AGENT_ID", "../cee")
    assert ProjectConfig().agent_id == "unknown"
    monkeypatch.setenv("MACF_AGENT_ID", "cee")
    assert ProjectConfig().agent_id == "cee"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not JSON at line 1, column 2"),
        ("[]", "[] is not an object"),
        ("{}", "schema_version"),
        ('{"schema_version": 1, "hooks": {"x": 1}}', "/hooks"),
    ],
)
def test_a_configuration_that_is_not_valid_is_not_used_and_says_why(project, text, told):
    (project / ".maceff").mkdir()
    (project / ".maceff" / "config.json").write_text(text)
    config = ProjectConfig()
    assert told in config.problem
    assert config.get("context_window") == 200_000


def test_what_a_configuration_leaves_out_has_its_default(project):
    configure(project, hooks={"power_steering": True})
    config = ProjectConfig()
    assert (config.problem, config.unconfirmed) == (None, ())
    assert config.get("hooks", "power_steering") is True
    assert config.get("hooks", "speak_at_tools") is False


def test_a_working_directory_that_is_gone_is_told(tmp_path, monkeypatch):
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(BadInput, match="the current folder no longer exists"):
        find_project_root()


@pytest.mark.parametrize(
    ("key", "value"),
    [("power_steering", True), ("speak_at_tools", True), ("judge", "sdk"), ("judge", "auto"), ("max_cost_usd", 100)],
)
def test_what_a_clone_switches_on_is_not_heeded_until_the_user_says_it(project, key, value):
    (project / ".maceff").mkdir()
    (project / ".maceff" / "config.json").write_text(json.dumps({"schema_version": 1, "hooks": {key: value}}))
    assert ProjectConfig().get("hooks", key) == DEFAULTS["hooks"][key]
    assert ProjectConfig().unconfirmed == (f"hooks.{key}",)
    configure(project, hooks={key: value})
    assert ProjectConfig().get("hooks", key) == value
    assert ProjectConfig().unconfirmed == ()


def test_what_the_user_said_of_a_setting_is_said_of_that_value_alone(project):
    configure(project, hooks={"max_cost_usd": 0.1})
    (project / ".maceff" / "config.json").write_text('{"schema_version": 1, "hooks": {"max_cost_usd": 100}}')
    assert ProjectConfig().get("hooks", "max_cost_usd") == 0.5
    (project / ".maceff" / "config.json").write_text('{"schema_version": 1, "hooks": {"power_steering": false}}')
    assert ProjectConfig().unconfirmed == ()


def test_what_was_said_of_one_project_is_not_said_of_another(project, tmp_path):
    configure(project, hooks={"power_steering": True})
    (tmp_path / "clone").mkdir()
    (project / ".maceff").rename(tmp_path / "clone" / ".maceff")
    assert not ProjectConfig(tmp_path / "clone").get("hooks", "power_steering")
