"""Test `diagnose` with a baseline: what it suppresses, which project it belongs to, and where it may be written."""

import json

import pytest

import schemas
from tests.fakes import SKILL_HEADER


def test_baseline_suppresses_and_reports_stale_entries(project_of_three_skills, diagnose):
    code, _, err = diagnose("skills", "--write-baseline", "known.json")
    assert code == 0
    assert "1 finding listed in known.json" in err
    data = json.loads((project_of_three_skills / "known.json").read_text())
    schemas.check("baseline", data)
    assert [(e["skill"], e["pattern"], e["file"], e["quote"]) for e in data["findings"]] == [
        ("skills/plover", "AGT-001", "SKILL.md", "FIXABLE walks.")
    ]
    file = project_of_three_skills / "skills" / "plover" / "SKILL.md"
    file.write_text(file.read_text().replace("# Plover", "# Plover\n\nA FIXABLE is new."))
    row = json.loads(diagnose("skills/plover", "--baseline", "known.json", "--format", "json")[1])
    assert [issue["evidence"] for issue in row["issues"]] == [["A FIXABLE is new."]]
    assert "baseline" in {issue["suppressed_by"] for issue in row["suppressed"]}
    file.write_text(SKILL_HEADER + "All is well now.\n")
    row = json.loads(diagnose("skills/plover", "--baseline", "known.json", "--format", "json")[1])
    assert row["notes"] == ["unused suppression: baseline: AGT-001 in SKILL.md ('FIXABLE walks.') matches no finding"]


def test_baseline_identifies_a_skill_by_path(project_of_three_skills, diagnose):
    diagnose("skills/plover", "--write-baseline", "known.json")
    copy = project_of_three_skills / "skills" / "twin"
    copy.mkdir()
    (copy / "SKILL.md").write_bytes((project_of_three_skills / "skills" / "plover" / "SKILL.md").read_bytes())
    row = json.loads(diagnose(copy, "--baseline", "known.json", "--format", "json")[1])
    assert [issue["pattern"] for issue in row["issues"]] == ["AGT-001"]


def test_baseline_link_in_a_project_is_refused(project_of_three_skills, diagnose, tmp_path_factory):
    outside_baseline = tmp_path_factory.mktemp("elsewhere") / "known.json"
    diagnose("skills/plover", "--write-baseline", outside_baseline)
    (project_of_three_skills / "known.json").symlink_to(outside_baseline)
    code, _, err = diagnose("skills/plover", "--baseline", "known.json")
    assert code == 2
    assert "is a link, and links in a project are not followed" in err


def test_write_baseline_replaces_only_a_baseline(project_of_three_skills, diagnose):
    (project_of_three_skills / "mine.json").write_text('{"mine": 1}')
    code, _, err = diagnose("skills/plover", "--write-baseline", "mine.json")
    assert (code, "mine.json: not a baseline" in err) == (2, True)
    assert (project_of_three_skills / "mine.json").read_text() == '{"mine": 1}'
    assert [diagnose("skills/plover", "--write-baseline", "known.json")[0] for _ in range(2)] == [0, 0]


@pytest.mark.parametrize(
    "name", ["CLAUDE.md", "settings.json", ".claude/known.json", "commands/known.json", "known.txt"]
)
def test_model_cannot_write_a_baseline_to_a_file_that_agents_read(project_of_three_skills, diagnose, monkeypatch, name):
    (project_of_three_skills / name).parent.mkdir(exist_ok=True)
    monkeypatch.setenv("CLAUDECODE", "1")
    code, _, err = diagnose("skills/plover", "--write-baseline", name)
    assert (code, "Claude Code" in err) == (2, True)
    assert not (project_of_three_skills / name).exists()
    assert diagnose("skills/plover", "--write-baseline", "known.json")[0] == 0


def test_baseline_is_never_written_into_a_skill(project_of_three_skills, diagnose):
    code, _, err = diagnose("skills", "--write-baseline", "skills/gull/known.json")
    assert code == 2
    assert "is inside the skill" in err
    assert not (project_of_three_skills / "skills" / "gull" / "known.json").exists()


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema_version": 1}', '{"schema_version":1,"findings":[{}]}', "[" * 99999]
)
def test_invalid_baseline_prints_one_line(project_of_three_skills, diagnose, text):
    (project_of_three_skills / "known.json").write_text(text)
    code, out, err = diagnose("skills/plover", "--baseline", "known.json")
    assert (code, out) == (2, "")
    assert "known.json: not a baseline: " in err
    assert text or "not JSON at line 1, column 1; remove it" in err
    assert err.count("\n") == 1


def test_unreadable_baseline_says_what_to_do(project_of_three_skills, diagnose):
    (project_of_three_skills / "folder").mkdir()
    assert "no.json: no such file; write one with --write-baseline" in diagnose("skills", "--baseline", "no.json")[2]
    err = diagnose("skills", "--baseline", "folder")[2]
    assert "folder: not a regular file; give a readable file" in err
    assert "--write-baseline" not in err


def test_baseline_version_1_is_read(project_of_three_skills, diagnose):
    diagnose("skills/plover", "--write-baseline", "known.json")
    data = json.loads((project_of_three_skills / "known.json").read_text())
    assert data["schema_version"] == 2
    (project_of_three_skills / "known.json").write_text(json.dumps({**data, "schema_version": 1}))
    row = json.loads(diagnose("skills/plover", "--baseline", "known.json", "--format", "json")[1])
    assert (row["issues"], row["suppressed"][0]["suppressed_by"]) == ([], "baseline")


def test_baseline_and_write_baseline_exclude_each_other(project_of_three_skills, diagnose):
    assert diagnose("skills/plover", "--baseline", "a", "--write-baseline", "b")[0] == 2


def test_baseline_has_all_of_many_findings_and_hides_no_new_one(project_of_three_skills, diagnose, monkeypatch):
    monkeypatch.setattr("actions.scoring.scan.MAX_CAUSES", 3)
    file = project_of_three_skills / "skills/plover/SKILL.md"
    file.write_text(SKILL_HEADER + "".join(f"FIXABLE {n}.\n\n" for n in range(8)))
    assert "8 findings listed" in diagnose("skills/plover", "--write-baseline", "known.json")[2]
    row = json.loads(diagnose("skills/plover", "--baseline", "known.json", "--format", "json")[1])
    assert row["issues"] == []
    file.write_text(file.read_text() + "A new FIXABLE.\n")
    row = json.loads(diagnose("skills/plover", "--baseline", "known.json", "--format", "json")[1])
    assert [issue["evidence"] for issue in row["issues"]] == [["A new FIXABLE."]]
