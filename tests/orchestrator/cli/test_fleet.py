"""Test `fleet`: a survey of many skills in text, JSON and Markdown; a second run scans only new ones."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import schemas
from orchestrator.fleet.result_store import ResultStore
from orchestrator.fleet.scan_task import make_failed_record

ROOT = Path(__file__).parents[3]
SKILL_TEXT = """---
name: {name}
description: Counts birds on a shore. Use when birds are to be counted.
---

# Count

{text}
"""
LONG = "Walk along the shore at low water and write down each bird that you see, with its place and the hour. " * 3
HOSTILE = "s<script>\x1b[2J|`x`"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return an empty project; its catalogue is the real one, because the workers are separate processes."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def skills(project):
    """Return ten skills: two share a passage, one has a broken link, and one cannot be read."""
    for number in range(10):
        write_skill(project / "skills" / f"s{number}", f"Count {number} birds.")
    for number in (1, 2):
        write_skill(project / "skills" / f"s{number}", f"For {number}.\n\n{LONG}")
    write_skill(project / "skills" / "s3", "Read [the list](references/list.md).")
    (project / "skills" / "s4" / "SKILL.md").write_bytes(b"\xff\xfe")
    return project / "skills"


def write_skill(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(SKILL_TEXT.format(name=folder.name, text=text))


def parse_survey(result):
    survey = json.loads(result.out)
    schemas.check("fleet", survey)
    return survey


def test_fleet_summarizes_and_stores_results(tune, skills):
    result = tune("fleet", "skills", "--format", "json", "--jobs", "1")
    survey = parse_survey(result)
    assert (result.code, survey["skills"], survey["looked"]) == (1, 10, 10)
    assert [(row["path"], row["error"].partition(": ")[2][:9]) for row in survey["failed"]] == [
        (str(skills / "s4"), "not UTF-8")
    ]
    assert {row["pattern"] for row in survey["patterns"]} >= {"SPEC-005"}
    assert survey["worst"][0]["path"] == str(skills / "s3")
    (passage,) = survey["duplicates"]["passages"]
    assert [Path(location["skill"]).name for location in passage["places"]] == ["s1", "s2"]
    assert len(Path(survey["store"]).read_text().splitlines()) == 10
    assert (skills.parent / ".workflow" / ".gitignore").read_text() == "*\n"


def test_fleet_diagnoses_only_changed_skills(tune, skills):
    first_survey = parse_survey(tune("fleet", "skills", "--format", "json"))
    write_skill(skills / "s5", "Count more.")
    write_skill(skills / "s10", "A new one.")
    (skills / "s6" / "SKILL.md").unlink()
    second_survey = parse_survey(tune("fleet", "skills", "--format", "json"))
    assert (first_survey["skills"], first_survey["looked"], second_survey["skills"], second_survey["looked"]) == (
        10,
        10,
        10,
        2,
    )


def test_fleet_results_depend_on_settings(tune, skills):
    for arguments in ([], ["--ignore", "SPEC-005"]):
        assert parse_survey(tune("fleet", "skills", "--format", "json", *arguments))["looked"] >= 9
    Path("tune-skill.toml").write_text('ignore = ["SPEC"]\n')
    survey = parse_survey(tune("fleet", "skills", "--format", "json"))
    assert survey["looked"] >= 9
    assert not any(row["pattern"].startswith("SPEC") for row in survey["patterns"])


def test_fleet_skips_units_that_the_settings_exclude(tune, skills):
    before = parse_survey(tune("fleet", "skills", "--format", "json"))["skills"]
    settings = skills.parent / "tune-skill.toml"
    settings.write_text('exclude = ["s1", "skills/s2/"]\n')
    result = tune("fleet", "skills", "--format", "json")
    assert parse_survey(result)["skills"] == before - 2
    assert "2 units excluded by tune-skill.toml" in result.err
    assert parse_survey(result)["looked"] == 0, "stored results of the other skills were not used"
    settings.write_text('exclude = ["*"]\n')
    result = tune("fleet", "skills", "--format", "json")
    assert (parse_survey(result)["skills"], result.code) == (0, 0)


def test_fleet_retry_diagnoses_failed_skills(tune, skills):
    write_skill(skills / "s4", "Now it can be read.")
    record = parse_survey(tune("fleet", "skills", "--format", "json"))
    store = Path(record["store"])
    line = json.loads(store.read_text().splitlines()[0])
    with ResultStore(store) as open_store:
        open_store.add([make_failed_record(line["key"], line["path"], "took longer than 1 s")])
    assert len(parse_survey(tune("fleet", "skills", "--format", "json"))["failed"]) == 1
    survey_again = parse_survey(tune("fleet", "skills", "--format", "json", "--retry"))
    assert (survey_again["looked"], survey_again["failed"], survey_again["skills"]) == (1, [], 10)


def test_fleet_ignores_results_of_an_old_version(tune, skills):
    store = Path(parse_survey(tune("fleet", "skills", "--format", "json"))["store"])
    store.write_bytes(store.read_bytes().replace(b'"schema_version":2', b'"schema_version":1'))
    survey_again = parse_survey(tune("fleet", "skills", "--format", "json"))
    assert (survey_again["looked"], survey_again["skills"]) == (10, 10)
    assert parse_survey(tune("fleet", "skills", "--format", "json"))["looked"] == 0


def test_fleet_ignores_a_foreign_store(tune, skills, tmp_path, monkeypatch):
    store = Path(parse_survey(tune("fleet", "skills", "--format", "json"))["store"])
    foreign_store = store.read_bytes().replace(b"SPEC-005", b"SPEC-001")
    store.write_bytes(foreign_store)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
    first_result, second_result = (tune("fleet", "skills", "--format", "json") for _ in range(2))
    assert "not written by your `tune-skill fleet`" in first_result.err
    assert first_result.err.count("\n") == 1
    assert "SPEC-005" in {row["pattern"] for row in parse_survey(first_result)["patterns"]}
    assert (parse_survey(first_result)["looked"], parse_survey(second_result)["looked"], second_result.err) == (
        10,
        0,
        "",
    )
    assert parse_survey(second_result)["patterns"] == parse_survey(first_result)["patterns"]
    assert store.read_bytes().startswith(foreign_store)


def test_fleet_counts_a_skill_once(tune, skills):
    assert parse_survey(tune("fleet", "skills", "skills/s1", ".", "--format", "json"))["skills"] == 10


def test_text_shows_scores_patterns_worst_skills_and_duplicates(tune, skills):
    result = tune("fleet", "skills")
    for printed in ("10 skills: 9 pass", "1 not read", " 90-100 ###", "SPEC-005", "The same passages", "Walk along"):
        assert printed in result.out
    assert f"{skills}/s1/SKILL.md:" in result.out
    assert result.err == ""


def test_fleet_prints_hostile_text_safely(tune, skills):
    write_skill(skills / HOSTILE, LONG)
    (skills / HOSTILE / "SKILL.md").write_bytes(b"\xff")
    for format_ in ("text", "markdown", "json"):
        out = tune("fleet", "skills", "--format", format_).out
        assert "\x1b" not in out
        if format_ == "markdown":
            assert "`` " in out, "the name with backticks is not in a longer code span"


@pytest.mark.parametrize("name", ["CLAUDE.md", ".profile", ".claude/all.jsonl", "commands/all.jsonl"])
def test_model_cannot_store_results_in_a_file_that_agents_read(tune, skills, tmp_path, monkeypatch, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    monkeypatch.setenv("CLAUDECODE", "1")
    result = tune("fleet", "skills", "--store", name)
    assert (result.code, "Claude Code" in result.err, (tmp_path / name).exists()) == (2, True, False)


def test_fleet_refuses_a_store_inside_a_skill(tune, skills, monkeypatch):
    monkeypatch.chdir(skills / "s0")
    for arguments in ([".", "../s1"], ["..", "--store", "references.jsonl"]):
        result = tune("fleet", *arguments)
        assert (result.code, result.err.count("\n")) == (2, 1)
        assert "is inside the skill" in result.err
    assert sorted(path.name for path in (skills / "s0").iterdir()) == ["SKILL.md"]


def test_fleet_handles_names_that_are_not_text(tune, skills):
    oddly_named_skill = Path(os.fsdecode(os.fsencode(skills) + b"/s\xff"))
    (skills / "s1").rename(oddly_named_skill)
    survey = parse_survey(tune("fleet", os.fspath(oddly_named_skill), "--format", "json"))
    assert (survey["skills"], survey["failed"]) == (1, [])
    for format_ in ("text", "markdown"):
        assert tune("fleet", os.fspath(oddly_named_skill), "--format", format_).code in (0, 1)


def test_fleet_exit_codes(tune, skills, tmp_path):
    assert tune("fleet", "skills/s0", "skills/s1").code == 0
    assert tune("fleet", "skills/s4").code == 2


def test_fleet_without_skills_writes_nothing(tune, skills, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    for folder, printed in (("nowhere", "no such file or folder"), (".", "no SKILL.md in this folder")):
        result = tune("fleet", folder)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert f"{folder}: {printed}" in result.err
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["--jobs", "2", "--scheduler", "tcp://127.0.0.1:1"], "use only one of them"),
        (["--scheduler", "tcp://127.0.0.1:1"], "no Dask scheduler answers"),
        (["--scheduler", "nonsense://"], "no Dask scheduler answers"),
        (["--select", "NOPE"], "no pattern matches"),
        (["--store", "nowhere/results.jsonl"], "choose another file with --store"),
    ],
)
def test_fleet_wrong_usage_prints_one_line(tune, skills, arguments, printed):
    result = tune("fleet", "skills", *arguments)
    assert result.code == 2
    assert printed in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.slow
def test_fleet_continues_after_an_interrupt(tmp_path):
    for number in range(120):
        write_skill(tmp_path / "skills" / f"s{number}", f"{LONG}\n\n" * 40 + str(number))
    command = [sys.executable, str(ROOT / "tune_skill.py"), "fleet", "skills", "--jobs", "1", "--format", "json"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    store = tmp_path / ".workflow" / "fleet" / "results.jsonl"
    while not (store.exists() and store.stat().st_size):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    stored_count = len(store.read_text().splitlines())
    assert (process.returncode, stored_count > 0) == (130, True), stderr
    assert "repeat the command to continue" in stderr
    second_run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ})
    survey = json.loads(second_run.stdout)
    assert (survey["skills"], survey["looked"]) == (120, 120 - stored_count)
    assert len(store.read_text().splitlines()) == 120
