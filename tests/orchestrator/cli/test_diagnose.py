"""Test `diagnose`: it writes nothing, prints one row per skill, and an unreadable skill affects no other."""

import os

import pytest

import schemas
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import install_catalogue, make_pattern, write_skill

LINES_WITHOUT_FIX = "".join(f"\nThe {n} NOFIX goes by.\n" for n in ("first", "second", "third"))


def test_fail_on_gate_follows_the_gate(tune, project):
    result = tune("diagnose", "plover", "--fail-on", "gate")
    assert result.code == 0
    assert "AGT-001" in result.out
    assert "SKILL.md:8" in result.out
    write_skill(project / "plover", "A FIXABLE." + LINES_WITHOUT_FIX)
    result = tune("diagnose", "plover", "--fail-on", "gate")
    assert (result.code, result.err) == (1, "tune-skill: 1 unit did not pass the gate (--fail-on gate)\n")


@pytest.mark.parametrize(
    ("level", "code"), [("low", 1), ("medium", 1), ("high", 1), ("critical", 0), ("gate", 0), ("never", 0)]
)
def test_fail_on_severity_fails_from_that_severity_on(tune, level, code):
    """The skill has one finding, of high severity."""
    assert tune("diagnose", "plover", "--fail-on", level).code == code
    assert tune("diagnose", "plover", "--fail-on", level, "--format", "sarif").code == code


def test_fail_on_is_medium_by_default(tune, project):
    (project / "tune-skill.toml").write_text('[severity]\nAGT-001 = "medium"\n')
    result = tune("diagnose", "plover")
    assert (result.code, result.err) == (1, "tune-skill: 1 finding of medium severity or worse (--fail-on)\n")
    (project / "tune-skill.toml").write_text('[severity]\nAGT-001 = "low"\n')
    assert (tune("diagnose", "plover").code, tune("diagnose", "plover").err) == (0, "")


def test_fail_on_of_the_project_yields_to_the_option(tune, project):
    (project / "tune-skill.toml").write_text('fail-on = "never"\n')
    assert tune("diagnose", "plover").code == 0
    assert tune("diagnose", "plover", "--fail-on", "low").code == 1


def test_fail_on_of_a_skill_has_no_effect(tune, project, monkeypatch):
    (project / "plover" / "tune-skill.toml").write_text('fail-on = "never"\n')
    result = tune("diagnose", "plover", "--format", "json")
    assert result.code == 1
    assert result.json["notes"][:1] == [
        "plover/tune-skill.toml: fail-on has no effect in a skill; use the project's tune-skill.toml"
    ]
    monkeypatch.setenv("CI", "true")
    assert tune("diagnose", "plover").code == 1


@pytest.mark.parametrize("value", ['"urgent"', "3", "[]", '""', '"MEDIUM"'])
def test_invalid_fail_on_is_refused(tune, project, value):
    (project / "tune-skill.toml").write_text(f"fail-on = {value}\n")
    result = tune("diagnose", "plover")
    assert (result.code, result.out) == (2, "")
    assert "fail-on" in result.err
    assert tune("diagnose", "plover", "--fail-on", value).code == 2


def test_suppressed_findings_do_not_fail(tune, project):
    tune("diagnose", "plover", "--write-baseline", "known.json")
    assert tune("diagnose", "plover", "--baseline", "known.json").code == 0
    write_skill(project / "plover", "<!-- tune-skill: ignore AGT-001 we want it -->\nA FIXABLE.\n")
    assert tune("diagnose", "plover").code == 0
    assert tune("diagnose", "plover", "--fail-on", "low").code == 0


def test_failed_pattern_fails_unless_never(tune, project, monkeypatch):
    def fail(case):
        raise ValueError("broken")

    failing_pattern = make_pattern("CTX-009", "NONE")
    failing_pattern.check = fail
    install_catalogue(monkeypatch, [failing_pattern], [])
    monkeypatch.delenv("TUNE_SKILL_STRICT", raising=False)
    write_skill(project / "plover", "Nothing.\n")
    for level in ("medium", "critical", "gate"):
        assert tune("diagnose", "plover", "--fail-on", level).code == 1
    assert "the check of a pattern failed in 1 unit" in tune("diagnose", "plover").err
    assert tune("diagnose", "plover", "--fail-on", "never").code == 0


def test_unreadable_skill_fails_even_with_never(tune):
    assert tune("diagnose", "plover", "nowhere", "--fail-on", "never").code == 1
    assert tune("diagnose", "nowhere", "--fail-on", "never").code == 2


def test_diagnose_json_is_an_object_for_one_skill(tune, project):
    write_skill(project / "all" / "one")
    row_of_one_skill = tune("diagnose", "plover", "--format", "json").json
    assert (
        row_of_one_skill["skill"]["name"],
        row_of_one_skill["quality_score"],
        row_of_one_skill["issues_by_severity"]["high"],
    ) == ("plover", 92, 1)
    rows_of_two_skills = tune("diagnose", "plover", "all/one", "--format", "json").json
    write_skill(project / "all" / "two")
    rows_of_folder = tune("diagnose", "all", "--format", "json").json
    assert [len(rows) for rows in (rows_of_two_skills, rows_of_folder)] == [2, 2]
    for value in (row_of_one_skill, rows_of_two_skills, rows_of_folder):
        schemas.check("diagnose", value)


def test_diagnose_unreadable_skill_fails_alone(tune, project):
    (project / "bad").mkdir()
    (project / "bad" / "SKILL.md").write_bytes(b"\xff")
    result = tune("diagnose", "plover", "bad", "nowhere", "--format", "json")
    assert result.code == 1
    schemas.check("diagnose", result.json)
    assert ["error" in row for row in result.json] == [False, True, True]
    assert len(result.err.strip().splitlines()) == 3
    result = tune("diagnose", "bad", "--format", "json")
    assert result.code == 2
    schemas.check("diagnose", result.json)
    assert tune("diagnose", "nowhere", "x" * 300).code == 2


def test_diagnose_writes_nothing(tune, project):
    def list_modification_times():
        return sorted((str(p), p.stat().st_mtime_ns) for p in project.rglob("*"))

    before = list_modification_times()
    tune("diagnose", "plover")
    tune("diagnose", "plover", "--format", "json")
    assert list_modification_times() == before


def test_diagnose_reports_suppressed_and_unused(tune, project):
    ignore = "<!-- tune-skill: ignore AGT-001 we want it -->\n"
    write_skill(project / "plover", f"{ignore}A FIXABLE.\n\n{ignore}Nothing here.\n")
    result = tune("diagnose", "plover", "--format", "json").json
    assert result["issues"] == []
    assert [i["suppressed_by"] for i in result["suppressed"]] == ["comment in SKILL.md:8"]
    assert any("SKILL.md:11: ignore AGT-001 matches no finding" in note for note in result["notes"])


def test_diagnose_reports_unreadable_files(tune, project):
    (project / "plover" / "huge.md").write_bytes(b"x" * 1_000_001)
    os.mkfifo(project / "plover" / "pipe.md")
    (project / "plover" / "round").symlink_to("round")
    result = tune("diagnose", "plover", "--format", "json").json
    assert all(any(name in note for note in result["notes"]) for name in ("huge.md", "pipe.md", "round"))
    assert "huge.md" in tune("diagnose", "plover").out


@pytest.mark.parametrize("format_", ["text", "json"])
def test_diagnose_escapes_hostile_text(tune, project, format_):
    hostile_text = "A FIXABLE \x1b[31m\x9b2J\u202e <script> `x` |"
    skill = write_skill(project / "e\x1b[31mvil\n", f"{hostile_text}\n", **{"a\x1b[2Jb": "A RISKY.\n"})
    result = tune("diagnose", skill.name, "--format", format_)
    for text in (result.out, result.err):
        assert text.replace("\n", "").isprintable()
    if format_ == "json":
        assert result.json["skill"]["path"].endswith(skill.name)
        assert result.json["issues"][0]["evidence"] == [hostile_text]


def test_diagnose_warns_of_a_run_in_progress(tune, project, tmp_path):
    with Workspace(project / "plover", tmp_path / "w").hold("other-run"):
        result = tune("diagnose", "plover", "--format", "json").json
    assert any("other-run" in note for note in result["notes"])


def test_diagnose_caches_results_unless_no_cache(tune, project, tmp_path, monkeypatch):
    cache_folder = tmp_path / "cache" / "tune-skill" / "diagnose"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    uncached_result = tune("diagnose", "plover", "--no-cache")
    assert not cache_folder.exists()
    assert tune("diagnose", "plover") == uncached_result
    assert len(list(cache_folder.iterdir())) == 1
    assert tune("diagnose", "plover") == uncached_result
