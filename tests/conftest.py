"""Each test gets its own HOME and a strict tune-skill: what fails open in use raises here."""

import pytest


@pytest.fixture(autouse=True)
def fresh_home(tmp_path_factory, monkeypatch):
    home = tmp_path_factory.mktemp("home")
    for name, value in {"HOME": home, "XDG_STATE_HOME": home / "state", "CLAUDE_CONFIG_DIR": home / ".claude"}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setenv("MACF_EVENTS_LOG_PATH", str(home / "events" / "log.jsonl"))
    monkeypatch.setenv("TUNE_SKILL_STRICT", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # a test with a full disk would leave torn caches behind
