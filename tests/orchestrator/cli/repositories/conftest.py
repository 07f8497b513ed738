"""Provide an empty project, and `diagnose` with the real catalogue of patterns."""

import pytest


@pytest.fixture
def project(tmp_path):
    """Return an empty folder; `diagnose` uses the real catalogue of patterns."""
    folder = tmp_path / "shore"
    folder.mkdir()
    return folder


@pytest.fixture
def diagnose(tune, monkeypatch):
    """Return a function that diagnoses a folder and returns the paths of its units, and pattern ids by path."""

    def call(folder, *arguments):
        monkeypatch.chdir(folder)
        printed = tune("diagnose", *(arguments or (".",)), "--format", "json", "--no-cache", "--fail-on", "never")
        assert printed.code == 0, printed.err
        rows = printed.json if isinstance(printed.json, list) else [printed.json]
        assert not [row["error"] for row in rows if "error" in row]
        found = {}
        for row in rows:
            for issue in row["issues"]:
                place = issue["location"]["file"] if "unit" in row else f"{row['skill']['path']}/SKILL.md"
                found.setdefault(place, set()).add(issue["pattern"])
        return sorted((row.get("unit") or row["skill"])["path"] for row in rows), found

    return call
