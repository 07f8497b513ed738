"""Provide fixtures: an empty project, and a function that runs `tune-skill diagnose` with the real patterns."""

import pytest


@pytest.fixture
def project(tmp_path):
    """Return an empty project folder. It replaces the fixture of the parent folder, which installs fake patterns."""
    folder = tmp_path / "shore"
    folder.mkdir()
    return folder


@pytest.fixture
def diagnose(tune, monkeypatch):
    """Return a function that runs `tune-skill diagnose` in a folder.

    The function returns the paths of the units, and the ids of the reported patterns by file.
    """

    def run_diagnose(folder, *arguments):
        monkeypatch.chdir(folder)
        result = tune("diagnose", *(arguments or (".",)), "--format", "json", "--no-cache", "--fail-on", "never")
        assert result.code == 0, result.err
        rows = result.json if isinstance(result.json, list) else [result.json]
        assert not [row["error"] for row in rows if "error" in row]
        patterns_by_file = {}
        for row in rows:
            for issue in row["issues"]:
                path = issue["location"]["file"] if "unit" in row else f"{row['skill']['path']}/SKILL.md"
                patterns_by_file.setdefault(path, set()).add(issue["pattern"])
        return sorted((row.get("unit") or row["skill"])["path"] for row in rows), patterns_by_file

    return run_diagnose
