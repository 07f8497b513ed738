"""A project that `install`, `hooks` and `config` change, and what stands in it."""

from pathlib import Path

import pytest

from orchestrator.guard.sessions import breadcrumbs

SKILL = Path(".claude/skills/tune-skill/SKILL.md")
LOCAL = Path(".claude/settings.local.json")


@pytest.fixture
def project(project, tmp_path, monkeypatch):
    """A project under a name that quoting must get right, which has a log of its own."""
    for name in ("CLAUDE_PROJECT_DIR", "MACF_EVENTS_LOG_PATH", "TUNE_SKILL_JUDGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    breadcrumbs._build_place.cache_clear()
    folder = project.rename(tmp_path / "it's 项目 $(x)")
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    return folder


def tree(folder):
    """Give everything below a folder but git's and the log's, with the bytes of files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if not {".git", ".maceff"} & set(path.relative_to(folder).parts)
    }
