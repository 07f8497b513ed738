"""Test `diagnose`: it writes nothing, prints one row per skill, and an unreadable skill affects no other."""

import os

import pytest

import schemas
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import install_catalogue, make_pattern, write_skill

GEESE = "".join(f"\nThe {n} NOFIX goes by.\n" for n in ("first", "second", "third"))


def test_fail_on_gate_follows_the_gate(tune, project):
    printed = tune("diagnose", "plover", "--fail-on", "gate")
    assert printed.code == 0
    assert "AGT-001" in printed.out
    assert "SKILL.md:8" in printed.out
    write_skill(project / "plover", "A FIXABLE." + GEESE)
    failed = tune("diagnose", "plover", "--fail-on", "gate")
    assert (failed.code, failed.err) == (1, "tune-skill: 1 unit did not pass the gate (--fail-on gate)\n")


@pytest.mark.parametrize(
    ("level", "code"), [("low", 1), ("medium", 1), ("high", 1), ("critical", 0), ("gate", 0), ("never", 0)]
)
def test_fail_on_severity_fails_from_there_on(tune, level, code):
    """The skill has one finding, of high severity."""
    assert tune("diagnose", "plover", "--fail-on", level).code == code
    assert tune("diagnose", "plover", "--fail-on", level, "--format", "sarif").code == code


def test_fail_on_is_medium_by_default(tune, project):
    (project / "tune-skill.toml").write_text('[severity]\nAGT-001 = "medium"\n')
    failed = tune("diagnose", "plover")
    assert (failed.code, failed.err) == (1, "tune-skill: 1 finding of medium severity or worse (--fail-on)\n")
    (project / "tune-skill.toml").write_text('[severity]\nAGT-001 = "low"\n')
    assert (tune("diagnose", "plover").code, tune("diagnose", "plover").err) == (0, "")


def test_fail_on_of_the_project_yields_to_the_option(tune, project):
    (project / "tune-skill.toml").write_text('fail-on = "never"\n')
    assert tune("diagnose", "plover").code == 0
    assert tune("diagnose", "plover", "--fail-on", "low").code == 1


def test_fail_on_of_a_skill_has_no_effect(tune, project, monkeypatch):
    (project / "plover" / "tune-skill.toml").write_text('fail-on = "never"\n')
    printed = tune("diagnose", "plover", "--format", "json")
    assert printed.code == 1
    assert printed.json["notes"][:1] == [
        "plover/tune-skill.toml: fail-on has no effect in a skill; use the project's tune-skill.toml"
    ]
    monkeypatch.setenv("CI", "true")
    assert tune("diagnose", "plover").code == 1


@pytest.mark.parametrize("value", ['"urgent"', "3", "[]", '""', '"MEDIUM"'])
def test_odd_fail_on_is_refused(tune, project, value):
    (project / "tune-skill.toml").write_text(f"fail-on = {value}\n")
    printed = tune("diagnose", "plover")
    assert (printed.code, printed.out) == (2, "")
    assert "fail-on" in printed.err
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

    broken = make_pattern("CTX-009", "NONE")
    broken.check = fail
    install_catalogue(monkeypatch, [broken], [])
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
    one = tune("diagnose", "plover", "--format", "json").json
    assert (one["skill"]["name"], one["quality_score"], one["issues_by_severity"]["high"]) == ("plover", 92, 1)
    two = tune("diagnose", "plover", "all/one", "--format", "json").json
    write_skill(project / "all" / "two")
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
    assert len(printed.err.strip().splitlines()) == 3
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
    write_skill(project / "plover", f"{ignore}A FIXABLE.\n\n{ignore}Nothing here.\n")
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
    evil = "A FIXABLE \x1b[31m\x9b2J\u202e <script> `x` |"
    skill = write_skill(project / "e\x1b[31mvil\n", f"{evil}\n", **{"a\x1b[2Jb": "A RISKY.\n"})
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
