"""Provide a separate project for each test, as the working directory."""

import pytest

from orchestrator.guard.sessions import breadcrumbs


@pytest.fixture
def project(tmp_path, monkeypatch):
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    for name in ("CLAUDE_PROJECT_DIR", "MACF_EVENTS_LOG_PATH", "MACF_AGENT_ROOT", "MACF_AGENT_ID", "MACF_AUTO_MODE"):
        monkeypatch.delenv(name, raising=False)
    breadcrumbs._build_prefix.cache_clear()
    return root
