"""`diagnose`: reads only, one row per skill, and a bad skill costs its own row."""

import os

import pytest

import schemas
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import a_skill

GEESE = "".join(f"\nThe {n} GOOSE goes by.\n" for n in ("first", "second", "third"))


def test_diagnose_exit_code_follows_the_gate(tune, project):
    printed = tune("diagnose", "plover")
    assert printed.code == 0
    assert "AGT-001" in printed.out
    assert "SKILL.md:8" in printed.out
    a_skill(project / "plover", "A CRANE." + GEESE)
    assert tune("diagnose", "plover").code == 1


def test_diagnose_json_is_an_object_for_one_skill(tune, project):
    a_skill(project / "all" / "one")
    one = tune("diagnose", "plover", "--format", "json").json
    assert (one["skill"]["name"], one["quality_score"], one["issues_by_severity"]["high"]) == ("plover", 92, 1)
    two = tune("diagnose", "plover", "all/one", "--format", "json").json
    a_skill(project / "all" / "two")
    below = tune("diagnose", "all", "--format", "json").json
    assert [len(rows) for rows in (two, below)] == [2, 2]
    for value in (one, two, below):
        schemas.check("diagnose", value)


def test_diagnose_unreadable_skill_fails_alone(tune, project):
    (project / "bad").mkdir()
    (project / "bad" / "SKILL.md").write_bytes(b"\xff")
    printed = tune("diagnose", "plover", "bad", "nowhere", "--format", "json")
    assert printed.code == 1
    schemas.check("diagnose", printed.json)
    assert ["error" in row for row in printed.json] == [False, True, True]
    assert len(printed.err.strip().splitlines()) == 2
    alone = tune("diagnose", "bad", "--format", "json")
    assert alone.code == 2
    schemas.check("diagnose", alone.json)
    assert tune("diagnose", "nowhere", "x" * 300).code == 2


def test_nothing_is_written_anywhere(tune, project):
    def facts():
        return sorted((str(p), p.stat().st_mtime_ns) for p in project.rglob("*"))

    before = facts()
    tune("diagnose", "plover")
    tune("diagnose", "plover", "--format", "json")
    assert facts() == before


def test_diagnose_reports_suppressed_and_unused(tune, project):
    ignore = "<!-- tune-skill: ignore AGT-001 we want it -->\n"
    a_skill(project / "plover", f"{ignore}A CRANE.\n\n{ignore}Nothing here.\n")
    printed = tune("diagnose", "plover", "--format", "json").json
    assert printed["issues"] == []
    assert [i["suppressed_by"] for i in printed["suppressed"]] == ["comment in SKILL.md:8"]
    assert any("SKILL.md:11: ignore AGT-001 matches no finding" in note for note in printed["notes"])


def test_diagnose_reports_unreadable_files(tune, project):
    (project / "plover" / "huge.md").write_bytes(b"x" * 1_000_001)
    os.mkfifo(project / "plover" / "pipe.md")
    (project / "plover" / "round").symlink_to("round")
    printed = tune("diagnose", "plover", "--format", "json").json
    assert all(any(name in note for note in printed["notes"]) for name in ("huge.md", "pipe.md", "round"))
    assert "huge.md" in tune("diagnose", "plover").out


@pytest.mark.parametrize("format_", ["text", "json"])
def test_hostile_text_does_not_reach_the_terminal_raw(tune, project, format_):
    evil = "A CRANE \x1b[31m\x9b2J\u202e <script> `x` |"
    skill = a_skill(project / "e\x1b[31mvil\n", f"{evil}\n", **{"a\x1b[2Jb": "A HERON.\n"})
    printed = tune("diagnose", skill.name, "--format", format_)
    for text in (printed.out, printed.err):
        assert text.replace("\n", "").isprintable()
    if format_ == "json":
        assert printed.json["skill"]["path"].endswith(skill.name)
        assert printed.json["issues"][0]["evidence"] == [evil]


def test_diagnose_warns_of_a_run_in_progress(tune, project, tmp_path):
    with Workspace(project / "plover", tmp_path / "w").hold("other-run"):
        printed = tune("diagnose", "plover", "--format", "json").json
    assert any("other-run" in note for note in printed["notes"])


def test_diagnose_caches_results_unless_no_cache(tune, project, tmp_path, monkeypatch):
    rows = tmp_path / "cache" / "tune-skill" / "diagnose"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    fresh = tune("diagnose", "plover", "--no-cache")
    assert not rows.exists()
    assert tune("diagnose", "plover") == fresh
    assert len(list(rows.iterdir())) == 1
    assert tune("diagnose", "plover") == fresh
