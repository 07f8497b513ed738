"""Provide a project for `install`, `hooks` and `config`, and list its files."""

from pathlib import Path

import pytest

import schemas
from orchestrator.guard.sessions import breadcrumbs

SKILL = Path(".claude/skills/tune-skill/SKILL.md")
LOCAL = Path(".claude/settings.local.json")


@pytest.fixture
def project(project, tmp_path, monkeypatch):
    """Return a project with its own log, in a folder whose name needs quotes in a shell."""
    for name in ("CLAUDE_PROJECT_DIR", "MACF_EVENTS_LOG_PATH", "TUNE_SKILL_JUDGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    breadcrumbs._build_prefix.cache_clear()
    folder = project.rename(tmp_path / "it's 项目 $(x)")
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    return folder


def read_tree(folder):
    """Return all paths below a folder (except git's and the log) with the bytes of the files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not {".git", ".maceff"} & set(path.relative_to(folder).parts)
    }


def list_changes(result):
    """Return what a command with `--json` changed, as (change, file name)."""
    assert result.code == 0, result.err
    schemas.check("session_output", result.json)
    return [(change["change"], Path(change["path"]).name) for change in result.json["changes"]]
