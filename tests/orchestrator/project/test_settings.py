"""Test tune-skill.toml of project and skill: selected patterns, severities, and ignored findings."""

import html
import json
import re
from pathlib import Path

import pytest

from actions.case import Case
from actions.scoring.scan import scan
from orchestrator.cli import main
from orchestrator.errors import BadInput
from orchestrator.project.settings import (
    ProjectSettings,
    apply_selection,
    get_current_project,
    parse_codes,
    read_project_settings,
    read_settings,
)
from orchestrator.project.skill_reader import read_skill
from schemas.vocabulary import Family, Severity
from tests.fakes import SKILL_HEADER, install_word_catalogue, list_unused_messages


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return the working directory, with the skill `skills/plover`: FIXABLE in line 8, RISKY in phases/01.md."""
    install_word_catalogue(monkeypatch)
    (tmp_path / ".git").mkdir()
    skill = tmp_path / "skills" / "plover"
    (skill / "phases").mkdir(parents=True)
    (skill / "SKILL.md").write_text(SKILL_HEADER + "FIXABLE walks. Read [one](phases/01.md).\n")
    (skill / "phases" / "01.md").write_text("# One\n\nRISKY waits.\n\nFIXABLE too.\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def scan_skill(project):
    skill = project / "skills" / "plover"
    return scan(Case(read_skill(skill), settings=read_settings(skill)))


def list_open_findings(project):
    return sorted((f.pattern.id, f.file) for f in scan_skill(project).open)


def write_settings(folder, text):
    (folder / "tune-skill.toml").write_text(text)


def test_all_patterns_run_without_settings(project):
    assert list_open_findings(project) == [
        ("AGT-001", "SKILL.md"),
        ("AGT-001", "phases/01.md"),
        ("CTX-001", "phases/01.md"),
    ]


@pytest.mark.parametrize("code", ["CTX-001", "ctx-001", "CTX", "context_explosion", "context"])
def test_id_prefix_and_family_select_and_ignore(project, code):
    write_settings(project, f'select = ["{code}"]')
    assert {id for id, _ in list_open_findings(project)} == {"CTX-001"}
    write_settings(project, f'ignore = ["{code}"]')
    assert {id for id, _ in list_open_findings(project)} == {"AGT-001"}


def test_change_in_the_same_clock_tick_is_seen(project, monkeypatch):
    write_settings(project, 'select = ["CTX"]')
    info = (project / "tune-skill.toml").lstat()
    assert {id for id, _ in list_open_findings(project)} == {"CTX-001"}
    write_settings(project, 'ignore = ["CTX"]')
    monkeypatch.setattr(Path, "lstat", lambda self: info)
    assert {id for id, _ in list_open_findings(project)} == {"AGT-001"}


def test_prefix_ends_at_a_dash(project):
    with pytest.raises(BadInput, match="no pattern matches 'CT'"):
        parse_codes("--select", "CT")


def test_skill_settings_override_project_settings_by_key(project):
    write_settings(project, 'ignore = ["CTX"]\n[severity]\nAGT-001 = "low"\nCTX-001 = "low"\n')
    write_settings(project / "skills" / "plover", 'ignore = []\n[severity]\nCTX-001 = "critical"\n')
    severities = {f.pattern.id: f.severity for f in scan_skill(project).open}
    assert severities == {"AGT-001": Severity.LOW, "CTX-001": Severity.CRITICAL}


def test_nearest_settings_within_the_repository_count(project, monkeypatch):
    inner = project / "skills"
    monkeypatch.chdir(inner)
    write_settings(project, 'ignore = ["CTX"]')
    assert {id for id, _ in list_open_findings(project)} == {"AGT-001"}
    write_settings(inner, 'ignore = ["AGT"]')
    assert {id for id, _ in list_open_findings(project)} == {"CTX-001"}
    (inner / "tune-skill.toml").unlink()
    (inner / ".git").mkdir()
    assert len(list_open_findings(project)) == 3


@pytest.mark.parametrize("glob", ["phases/*.md", "skills/*/phases/*", "*01.md"])
def test_project_glob_matches_from_skill_and_project(project, glob):
    write_settings(project, f'[per-file-ignores]\n"{glob}" = ["AGT-001"]')
    result = scan_skill(project)
    assert list_open_findings(project) == [("AGT-001", "SKILL.md"), ("CTX-001", "phases/01.md")]
    assert [f.suppressed_by for f in result.findings if f.suppressed_by] == [
        f"per-file-ignores {glob!r} in tune-skill.toml"
    ]
    assert list_unused_messages(result) == []


def test_unused_suppressions_are_reported(project):
    main = project / "skills" / "plover" / "SKILL.md"
    main.write_text(main.read_text() + "\n<!-- tune-skill: ignore CTX-001 not here -->\nNothing.\n")
    write_settings(
        project / "skills" / "plover",
        '[per-file-ignores]\n"SKILL.md" = ["CTX-001", "AGT-001"]\n"absent.md" = ["AGT"]\n',
    )
    assert list_unused_messages(scan_skill(project)) == [
        "SKILL.md:10: ignore CTX-001 matches no finding",
        "plover/tune-skill.toml: per-file-ignores 'SKILL.md': CTX-001 matches no finding",
        "plover/tune-skill.toml: per-file-ignores 'absent.md': AGT matches no finding",
    ]


def test_suppression_of_a_disabled_pattern_is_not_reported_as_unused(project):
    main = project / "skills" / "plover" / "SKILL.md"
    main.write_text(main.read_text() + "\n<!-- tune-skill: ignore CTX-001 not here -->\nNothing.\n")
    write_settings(
        project, 'select = ["AGT"]\n[per-file-ignores]\n"SKILL.md" = ["CTX-001", "CTX", "context_explosion"]\n'
    )
    assert list_unused_messages(scan_skill(project)) == []


def test_model_is_not_asked_about_ignored_patterns(project):
    write_settings(project, 'ignore = ["CTX"]')
    suppressions = {f.pattern.id: f.suppressed_by for f in scan_skill(project).findings}
    assert suppressions == {"AGT-001": None, "CTX-001": "ignore in tune-skill.toml"}
    settings = read_settings(project / "skills" / "plover")
    assert settings.may_report("AGT-001", Family.AGENT)
    assert not settings.may_report("CTX-001", Family.CONTEXT)


def test_stacked_comments_cover_the_line_below(project):
    main = project / "skills" / "plover" / "SKILL.md"
    notes = "<!-- tune-skill: ignore CTX-001 known -->\n<!-- tune-skill: ignore agt-001 known -->\n"
    main.write_text(SKILL_HEADER + notes + "FIXABLE and RISKY.\n")
    result = scan_skill(project)
    assert {f.pattern.id for f in result.findings if f.file == "SKILL.md" and f.suppressed_by} == {
        "CTX-001",
        "AGT-001",
    }
    assert list_unused_messages(result) == []


def test_command_line_overrides_files(project):
    write_settings(project, 'select = ["AGT"]\nignore = ["CTX"]')
    settings = read_settings(project / "skills" / "plover")
    assert apply_selection(settings, ("CTX",), ()).select == ("CTX",)
    assert apply_selection(settings, ("CTX",), ()).may_report("CTX-001", Family.CONTEXT)
    assert not apply_selection(settings, ("CTX", "AGT"), ("AGT",)).is_enabled("AGT-001", Family.AGENT)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("select = [", "not TOML: Invalid value (at the end, line 1); fix that line"),
        ('ignor = ["CTX"]', "unknown setting 'ignor'; did you mean ignore?"),
        ('xyz = ["CTX"]', "unknown setting 'xyz'; settings are select, ignore, "),
        ('select = "CTX"', """/select: 'CTX' is not a list; write ["CTX"]"""),
        (
            '[severity]\nCTX-001 = "mild"',
            "/severity/CTX-001: 'mild' is not one of critical, high, medium, low; correct it",
        ),
        ('ignore = ["XYZ-001"]', "no pattern matches 'XYZ-001'"),
        ('[per-file-ignores]\n"a" = ["NO"]', "no pattern matches 'NO'"),
        ("a = " + "[" * 1_900, "not TOML"),
        ("\x00", "not TOML"),
    ],
)
def test_invalid_settings_give_one_line_with_the_path(project, text, problem):
    write_settings(project, text)
    with pytest.raises(BadInput) as error:
        scan_skill(project)
    assert problem in str(error.value)
    assert str(error.value).startswith(str(project / "tune-skill.toml"))
    assert "\n" not in str(error.value)


def test_invalid_utf8_is_reported(project):
    (project / "tune-skill.toml").write_bytes(b'select = ["\xff"]')
    with pytest.raises(BadInput, match="not UTF-8"):
        read_project_settings(project)


def test_deleted_current_folder_is_bad_input(project, monkeypatch):
    deleted_folder = project / "gone"
    deleted_folder.mkdir()
    monkeypatch.chdir(deleted_folder)
    deleted_folder.rmdir()
    with pytest.raises(BadInput, match="the current folder no longer exists"):
        get_current_project()
    monkeypatch.chdir(project)


def test_settings_link_out_of_the_skill_is_not_followed(project):
    outside = project / "elsewhere.toml"
    outside.write_text('ignore = ["AGT", "CTX"]')
    (project / "skills" / "plover" / "tune-skill.toml").symlink_to(outside)
    assert len(list_open_findings(project)) == 3


def test_settings_link_out_of_the_project_is_refused(project, tmp_path_factory):
    secret = tmp_path_factory.mktemp("home") / "credentials"
    secret.write_text('token = "s3cret"')
    (project / "tune-skill.toml").symlink_to(secret)
    with pytest.raises(BadInput, match="a link out of its project") as error_info:
        read_project_settings(project)
    assert "token" not in str(error_info.value)
    (project / "tune-skill.toml").unlink()
    (project / "shared.toml").write_text('ignore = ["CTX"]')
    (project / "tune-skill.toml").symlink_to("shared.toml")
    assert read_project_settings(project) == ProjectSettings(project, {"ignore": ["CTX"]})


def test_hostile_glob_takes_linear_time(project):
    write_settings(project / "skills" / "plover", f'[per-file-ignores]\n"{"*a" * 500}" = ["AGT"]')
    assert len(list_open_findings(project)) == 3


def test_run_uses_the_same_settings(project, capsys):
    write_settings(project, 'ignore = ["CTX"]\n[per-file-ignores]\n"phases/*" = ["AGT"]\n')
    with pytest.raises(SystemExit):
        main(["run", "skills/plover", "--apply", "none", "--judge", "none", "--format", "json", "--quiet"])
    issues = json.loads(capsys.readouterr().out)["issues"]
    assert {(i["pattern"], i["location"]["file"], i["status"]) for i in issues} == {
        ("AGT-001", "SKILL.md", "open"),
        ("AGT-001", "phases/01.md", "suppressed"),
        ("CTX-001", "phases/01.md", "suppressed"),
    }


def test_run_reports_unused_suppressions_once(project, capsys):
    main_file = project / "skills" / "plover" / "SKILL.md"
    main_file.write_text(
        main_file.read_text() + "\n<!-- tune-skill: ignore CTX-001, AGT-001 known -->\nFIXABLE again.\n"
    )
    with pytest.raises(SystemExit):
        main(["run", "skills/plover", "--apply", "none", "--judge", "none", "--format", "json", "--quiet"])
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert [n for n in notes if "suppression" in n] == [
        "unused suppression: SKILL.md:10: ignore CTX-001 matches no finding"
    ]


SUPPRESSING_SETTINGS = 'select = ["AGT-001"]\n[severity]\nAGT-001 = "low"\n[per-file-ignores]\n"**/01.md" = ["AGT"]\n'
NOTE_ON_OWN_SETTINGS = (
    "changes what is reported: select AGT-001; severity AGT-001 = low; per-file-ignores **/01.md = AGT"
)
NOTE_IN_CI = "plover/tune-skill.toml is ignored in CI"


def diagnose_skill(capsysbinary, *arguments):
    capsysbinary.readouterr()
    with pytest.raises(SystemExit):
        main(list(arguments))
    return capsysbinary.readouterr().out.decode()


def flatten(text):
    """Return a text as one line, without markup, wrapping and escapes."""
    text_without_markup = re.sub(r"\\(?=[^nu\"])|[`|]", "", html.unescape(re.sub(r"<[^>]*>", "", text)))
    return " ".join(text_without_markup.split())


@pytest.mark.parametrize("format_", ["text", "full", "json", "markdown", "sarif"])
def test_own_settings_are_noted_in_every_format(project, capsysbinary, format_):
    write_settings(project / "skills" / "plover", SUPPRESSING_SETTINGS)
    assert NOTE_ON_OWN_SETTINGS in flatten(
        diagnose_skill(capsysbinary, "diagnose", "skills/plover", "--format", format_)
    )


@pytest.mark.parametrize("format_", ["markdown", "html", "json", "sarif"])
def test_report_notes_own_settings_in_every_format(project, capsysbinary, format_):
    write_settings(project / "skills" / "plover", SUPPRESSING_SETTINGS)
    text = diagnose_skill(capsysbinary, "run", "skills/plover", "--apply", "none", "--judge", "none", "--quiet")
    assert NOTE_ON_OWN_SETTINGS in flatten(text)
    assert NOTE_ON_OWN_SETTINGS in flatten(diagnose_skill(capsysbinary, "report", "--format", format_))


def test_own_settings_are_ignored_in_ci_with_a_note(project, monkeypatch, capsysbinary):
    findings_without_own_settings = list_open_findings(project)
    write_settings(project / "skills" / "plover", SUPPRESSING_SETTINGS)
    assert list_open_findings(project) != findings_without_own_settings
    monkeypatch.setenv("CI", "true")
    assert list_open_findings(project) == findings_without_own_settings
    assert NOTE_IN_CI in flatten(diagnose_skill(capsysbinary, "diagnose", "skills/plover"))
    assert NOTE_IN_CI in diagnose_skill(
        capsysbinary, "run", "skills/plover", "--apply", "none", "--judge", "none", "--quiet"
    )


def test_running_in_a_skill_does_not_make_it_the_project(project, monkeypatch, capsysbinary):
    write_settings(project / "skills" / "plover", SUPPRESSING_SETTINGS)
    (project / ".git").mkdir(exist_ok=True)
    monkeypatch.setenv("CI", "true")
    monkeypatch.chdir(project / "skills" / "plover")
    assert NOTE_IN_CI in flatten(diagnose_skill(capsysbinary, "diagnose", "."))


def test_very_long_key_is_refused_before_parsing(project, capsysbinary):
    write_settings(project / "skills" / "plover", "a" + ".a" * 1_000 + " = 1\n")
    with pytest.raises(BadInput, match=r"a line has more than 2,000 bytes; split it$"):
        read_settings(project / "skills" / "plover")


def test_project_settings_count_in_ci(project, monkeypatch):
    monkeypatch.setenv("CI", "true")
    write_settings(project, 'ignore = ["CTX"]')
    assert {id for id, _ in list_open_findings(project)} == {"AGT-001"}


def test_skill_that_is_the_project_keeps_settings_in_ci(project, monkeypatch):
    monkeypatch.setenv("CI", "true")
    skill = project / "skills" / "plover"
    (project / ".git").rename(skill / ".git")
    monkeypatch.chdir(skill)
    write_settings(skill, 'ignore = ["CTX"]')
    settings = read_settings(skill)
    assert not settings.may_report("CTX-001", Family.CONTEXT)
    assert "changes what is reported: ignore CTX" in settings.notes[0]


@pytest.mark.parametrize("word", ["", "0", "false"])
def test_own_settings_count_outside_ci(project, monkeypatch, word):
    monkeypatch.setenv("CI", word)
    write_settings(project / "skills" / "plover", 'ignore = ["CTX"]')
    assert {id for id, _ in list_open_findings(project)} == {"AGT-001"}


def test_note_on_own_settings_is_one_printable_line(project):
    write_settings(project / "skills" / "plover", '[per-file-ignores]\n"a\\u001b[2J\\n\\u202eb" = ["AGT"]\n')
    (text,) = read_settings(project / "skills" / "plover").notes
    assert text.isprintable()
