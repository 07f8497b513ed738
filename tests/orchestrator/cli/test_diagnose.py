"""`diagnose`: reads only, one row per skill, and a bad skill costs its own row."""

import os

import pytest

import schemas
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import a_skill

GEESE = "".join(f"\nThe {n} GOOSE goes by.\n" for n in ("first", "second", "third"))


def test_a_skill_that_passes_is_exit_0_and_one_that_does_not_is_exit_1(tune, project):
    told = tune("diagnose", "plover")
    assert told.code == 0
    assert "AGT-001" in told.out
    assert "SKILL.md:8" in told.out
    a_skill(project / "plover", "A CRANE." + GEESE)
    assert tune("diagnose", "plover").code == 1


def test_exactly_one_skill_is_an_object_otherwise_an_array(tune, project):
    a_skill(project / "all" / "one")
    one = tune("diagnose", "plover", "--format", "json").json
    assert (one["skill"]["name"], one["quality_score"], one["issues_by_severity"]["high"]) == ("plover", 92, 1)
    two = tune("diagnose", "plover", "all/one", "--format", "json").json
    a_skill(project / "all" / "two")
    below = tune("diagnose", "all", "--format", "json").json
    assert [len(rows) for rows in (two, below)] == [2, 2]
    for value in (one, two, below):
        schemas.check("diagnose", value)


def test_a_bad_skill_costs_its_own_row_and_all_bad_is_exit_2(tune, project):
    (project / "bad").mkdir()
    (project / "bad" / "SKILL.md").write_bytes(b"\xff")
    told = tune("diagnose", "plover", "bad", "nowhere", "--format", "json")
    assert told.code == 1
    schemas.check("diagnose", told.json)
    assert ["error" in row for row in told.json] == [False, True, True]
    assert len(told.err.strip().splitlines()) == 2
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


def test_suppressed_findings_and_idle_suppressions_are_told(tune, project):
    ignore = "<!-- tune-skill: ignore AGT-001 we want it -->\n"
    a_skill(project / "plover", f"{ignore}A CRANE.\n\n{ignore}Nothing here.\n")
    told = tune("diagnose", "plover", "--format", "json").json
    assert told["issues"] == []
    assert [i["suppressed_by"] for i in told["suppressed"]] == ["comment in SKILL.md:8"]
    assert any("SKILL.md:11: ignore AGT-001 matches no finding" in note for note in told["notes"])


def test_odd_side_files_are_told(tune, project):
    (project / "plover" / "huge.md").write_bytes(b"x" * 1_000_001)
    os.mkfifo(project / "plover" / "pipe.md")
    (project / "plover" / "round").symlink_to("round")
    told = tune("diagnose", "plover", "--format", "json").json
    assert all(any(name in note for note in told["notes"]) for name in ("huge.md", "pipe.md", "round"))
    assert "huge.md" in tune("diagnose", "plover").out


@pytest.mark.parametrize("format_", ["text", "json"])
def test_hostile_text_does_not_reach_the_terminal_raw(tune, project, format_):
    evil = "A CRANE \x1b[31m\x9b2J\u202e <script> `x` |"
    skill = a_skill(project / "e\x1b[31mvil\n", f"{evil}\n", **{"a\x1b[2Jb": "A HERON.\n"})
    told = tune("diagnose", skill.name, "--format", format_)
    for text in (told.out, told.err):
        assert text.replace("\n", "").isprintable()
    if format_ == "json":
        assert told.json["skill"]["path"].endswith(skill.name)
        assert told.json["issues"][0]["evidence"] == [evil]


def test_a_run_at_work_is_told(tune, project, tmp_path):
    with Workspace(project / "plover", tmp_path / "w").hold("other-run"):
        told = tune("diagnose", "plover", "--format", "json").json
    assert any("other-run" in note for note in told["notes"])


def test_what_was_found_is_remembered_unless_it_is_not_wanted(tune, project, tmp_path, monkeypatch):
    rows = tmp_path / "cache" / "tune-skill" / "diagnose"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    fresh = tune("diagnose", "plover", "--no-cache")
    assert not rows.exists()
    assert tune("diagnose", "plover") == fresh
    assert len(list(rows.iterdir())) == 1
    assert tune("diagnose", "plover") == fresh
