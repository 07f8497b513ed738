"""Test `run`: exit codes, output files, printed text, and refusals."""

import json
import os
import shutil
from pathlib import Path

import pytest

from actions.steps import table
from actions.steps.outcome import Outcome
from orchestrator.run import effects
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import SKILL_HEADER, install_catalogue, make_model_pattern, make_pattern, write_skill
from tests.runs import wrap_actions

FIXED_TEXT = SKILL_HEADER + "Count each fixable on the shore.\n"
LINES_WITHOUT_FIX = "".join(f"\nThe {n} NOFIX goes by.\n" for n in ("first", "second", "third"))


def read_skill(project):
    return (project / "plover" / "SKILL.md").read_text()


def test_run_apply_all_fixes_the_skill(tune, project, work_dirs):
    result = tune("run", "plover", "--apply", "all")
    assert result.code == 0
    assert read_skill(project) == FIXED_TEXT
    (work,) = work_dirs()
    assert f"report:   {work / 'report.md'}" in result.out
    assert f"rollback: tune-skill rollback {work.name} --all" in result.out
    assert "fixed: ISS-001 AGT-001" in result.out
    assert "apply-fix" in result.err


def test_run_says_why_open_findings_have_no_fix(tune, project, run_in_terminal):
    write_skill(project / "plover", "A FIXABLE." + LINES_WITHOUT_FIX)
    why = "open:  ISS-001, ISS-002, ISS-003: no automatic fix; a model can draft one"
    assert why in tune("run", "plover", "--apply", "all").out.splitlines()
    assert why in run_in_terminal(100, "status")
    assert "open:" not in tune("status", "--format", "json").out
    write_skill(project / "plover", "All is well.")
    assert "open:" not in tune("run", "plover", "--apply", "all").out


def test_work_dir_has_time_and_skill_and_is_git_ignored(tune, project, work_dirs):
    tune("run", "plover", "--apply", "none")
    (work,) = work_dirs()
    time, _, name = work.name.rpartition("-")
    assert (len(time), name) == (15, "plover")
    assert (project / ".workflow" / ".gitignore").read_text() == "*\n"
    assert (work / "backup" / "SKILL.md").read_text() == read_skill(project)


def test_run_with_failed_gate_exits_1(tune, project):
    write_skill(project / "plover", "A FIXABLE." + LINES_WITHOUT_FIX)
    assert tune("run", "plover", "--apply", "none").code == 1
    assert tune("run", "plover", "--apply", "all").code == 1


def test_run_without_terminal_pauses_with_exit_3(tune, project, work_dirs):
    before = read_skill(project)
    result = tune("run", "plover")
    assert result.code == 3
    assert read_skill(project) == before
    (work,) = work_dirs()
    assert f"tune-skill apply {work.name} FIX-001" in result.out
    assert "-Count each FIXABLE on the shore." in result.out, "the diff of the proposed fix is missing"


def test_run_apply_none_and_safe(tune, project):
    write_skill(project / "plover", "A tall FIXABLE.\n\nA grey RISKY.\n")
    assert tune("run", "plover", "--apply", "none").code == 0
    assert "FIXABLE" in read_skill(project)
    assert tune("run", "plover", "--apply", "safe").code == 0
    assert "fixable" in read_skill(project)
    assert "RISKY" in read_skill(project), "its fix is of medium risk"


def test_run_quiet_json_prints_only_json(tune, work_dirs):
    result = tune("run", "plover", "--apply", "all", "--quiet", "--format", "json")
    assert result.err == ""
    run = result.as_run
    assert (run["status"], run["pause"], run["quality_gate"]) == ("completed", None, "pass")
    assert [f["status"] for f in run["fixes"]] == ["applied"]
    assert Path(run["report"]).read_text().startswith("# plover")
    assert run["before"]["score"] == 92


def test_paused_run_json_matches_the_schema(tune):
    result = tune("run", "plover", "--format", "json")
    assert (result.code, result.as_run["pause"], result.as_run["report"]) == (3, "fix_selection", None)


def test_run_reports_how_it_read_the_issue(tune):
    result = tune("run", "plover", "--apply", "none", "--issue", "make it nicer", "--format", "json")
    (ambiguity,) = result.as_run["ambiguities"]
    assert (ambiguity["answer"], ambiguity["answered_by"]) == ("custom", "default")
    assert any("the user was not asked" in note for note in result.as_run["notes"])


def test_run_simplify_needs_a_model(tune, work_dirs):
    result = tune("run", "plover", "--simplify", "--apply", "none", "--quiet", "--judge", "mcp")
    assert result.code == 3
    (folder,) = work_dirs()
    assert json.loads((folder / "state.json").read_bytes())["focus_areas"] == ["token_consumption"]
    for options in (["--judge", "none"], ["--judge", "auto"], ["--focus", "agent"]):
        refused_run = tune("run", "plover", "--simplify", *options)
        assert (refused_run.code, refused_run.out) == (2, "")
        assert ("are mutually exclusive" if "--focus" in options else "needs a model") in refused_run.err


def test_run_focus_limits_the_diagnosis(tune, project):
    write_skill(project / "plover", "A tall FIXABLE.\n\nA grey RISKY.\n")
    result = tune("run", "plover", "--apply", "none", "--focus", "context", "--format", "json")
    assert {i["pattern"] for i in result.as_run["issues"]} == {"CTX-001"}


def test_run_accepts_a_file_inside_a_skill(tune, project):
    assert tune("run", "plover/SKILL.md", "--apply", "all").code == 0
    assert read_skill(project) == FIXED_TEXT


def test_second_run_on_a_held_skill_is_one_line(tune, project, tmp_path):
    with Workspace(project / "plover", tmp_path / "w").hold("first-run"):
        result = tune("run", "plover", "--apply", "all")
    assert result.code == 2
    (line,) = result.err.strip().splitlines()
    assert "first-run" in line
    assert str(os.getpid()) in line
    assert "FIXABLE" in read_skill(project)


def test_new_run_names_the_unfinished_one(tune, project, work_dirs):
    tune("run", "plover")
    (first,) = work_dirs()
    printed = f"run {first.name} waits for your choice of fixes; to continue it: `tune-skill resume {first.name}`"
    assert printed in tune("run", "plover", "--apply", "none").err
    assert "waits" not in tune("run", "plover", "--apply", "none").err, "the last run has ended, so it does not wait"
    shutil.rmtree(project / ".workflow")
    (project / ".workflow").write_text("no folder\n")
    result = tune("run", "plover", "--apply", "none")
    (line,) = result.err.splitlines()
    assert (result.code, line.endswith("choose another folder with --work-dir DIR")) == (2, True)


def test_new_run_says_how_to_undo_fixes_of_a_stopped_run(tune, project, work_dirs, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(effects, "write_report", stop)
        assert tune("run", "plover", "--apply", "all").code == 130
    (first,) = work_dirs()
    result = tune("run", "plover", "--apply", "none", "--quiet")
    assert f"to continue it: `tune-skill resume {first.name}`; to undo FIX-001: " in result.err
    assert f"`tune-skill rollback {first.name} --all`; this is a new run" in result.err
    assert (result.code, read_skill(project)) == (0, FIXED_TEXT)


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "nowhere"],
        ["run", "x" * 300],
        ["run", ".workflow"],
        ["run", "plover", "--apply", "some"],
        ["run", "plover", "--max-iterations", "0"],
        ["run", "plover", "--focus", "context,moon"],
        ["run", "plover", "--judge", "oracle"],
        ["run", "plover", "--nonsense"],
        ["run", "plover", "more"],
        ["fly"],
        ["answer"],
        ["answer", "x"],
        ["diagnose"],
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(tune, arguments):
    result = tune(*arguments)
    assert (result.code, result.out) == (2, "")
    (line,) = result.err.strip().splitlines()
    assert line.startswith("tune-skill: ")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda p: p.unlink(), "no SKILL.md"),
        (lambda p: (p.unlink(), p.mkdir()), "not a regular file"),
        (lambda p: p.write_bytes(b"\xff"), "not UTF-8"),
        (lambda p: p.write_bytes(b"x" * 9_000_000), "larger than 8 MB"),
        (lambda p: (p.unlink(), os.mkfifo(p)), "not a regular file"),
    ],
    ids=["missing", "folder", "not utf-8", "9 MB", "pipe"],
)
def test_unusable_skill_md_is_one_line(tune, project, damage, message):
    damage(project / "plover" / "SKILL.md")
    result = tune("run", "plover", "--apply", "all")
    assert result.code == 2
    (line,) = result.err.strip().splitlines()
    assert message in line
    assert not (project / ".workflow").exists()


@pytest.mark.parametrize("body", ["", "---\n", "---\nname: plover\na: &a [b]\nc: *a\n---\nText.\n"])
def test_run_accepts_an_empty_or_odd_skill_md(tune, project, body):
    (project / "plover" / "SKILL.md").write_text(body)
    result = tune("run", "plover", "--apply", "all", "--format", "json")
    assert result.code == 0
    assert result.as_run["status"] == "completed"


def test_run_reports_unreadable_files_unchanged(tune, project, tmp_path):
    skill = project / "plover"
    (tmp_path / "secret.md").write_text("FIXABLE")
    (skill / "huge.md").write_bytes(b"x" * 1_000_001)
    (skill / "picture.png").write_bytes(b"\x89PNG")
    (skill / "out.md").symlink_to(tmp_path / "secret.md")
    (skill / "round.md").symlink_to("round.md")
    os.mkfifo(skill / "pipe.md")
    result = tune("run", "plover", "--apply", "all", "--format", "json")
    assert result.code == 0
    notes = "\n".join(result.as_run["notes"])
    assert all(name in notes for name in ("huge.md", "out.md", "round.md", "pipe.md"))
    assert "picture.png" not in notes, "pictures are never read"
    assert (tmp_path / "secret.md").read_text() == "FIXABLE"
    assert "huge.md" in tune("status").out


HOSTILE = "a\x1b[31m\nb `c` <script>x</script> 'q' \"d\" 文件 | [l](m)"


@pytest.mark.parametrize("format_", ["text", "json"])
def test_run_prints_hostile_text_safely(tune, project, format_):
    name = HOSTILE.replace("/", "")
    frontmatter = '---\nname: "pl\\e[31mover <script>"\ndescription: "Use `it` when\\e[2J asked <img src=x>."\n---\n\n'
    write_skill(
        project / name,
        frontmatter + "See [more](<script>.md).\n\nA FIXABLE \x1b[31m <script>alert(1)</script> | `x`.\n",
    )
    (project / name / "<script>.md").write_text("A RISKY \x9b31m and more words.\n")
    result = tune("run", name, "--apply", "all", "--format", format_)
    assert result.code == 0, result.err
    if format_ == "json":
        assert result.as_run["skill"]["path"].endswith(name)
    (report,) = project.glob(".workflow/skill-tuning/*/report.md")
    for text in (result.out, result.err, report.read_text(), str(report)):
        assert text.replace("\t", "").replace("\n", "").isprintable()
    assert tune("rollback", report.parent.name, "--all").code == 0
    assert "FIXABLE \x1b[31m" in (project / name / "SKILL.md").read_text()


def test_state_file_is_complete_json_at_any_time(tune, project, work_dirs):
    tune("run", "plover", "--apply", "all")
    (work,) = work_dirs()
    json.loads((work / "state.json").read_bytes())
    assert not list(work.glob(".tune-skill-*"))


def test_endless_run_is_an_internal_error(tune, project, monkeypatch):
    looping_table = wrap_actions(lambda act: lambda state, case, tools: Outcome(state, "again"), "action-verify")
    monkeypatch.setattr(table, "TABLE", looping_table)
    result = tune("run", "plover", "--apply", "none")
    assert result.code == 5
    log = result.err.strip().rsplit(" ", 1)[1]
    assert "is in a loop" in Path(log).read_text()
    Path(log).unlink()


def test_run_without_model_counts_unasked_patterns(tune, project, monkeypatch):
    install_catalogue(monkeypatch, [make_pattern("AGT-001", "FIXABLE"), make_model_pattern("CTX-009", "TERN")], [])
    line = "note:   1 pattern needs a model and was not checked. To check it: `tune-skill run SKILL --judge auto`"
    for command in (["run", "plover", "--apply", "none", "--judge", "none"], ["status"]):
        assert tune(*command).out.splitlines().count(line) == 1
    assert tune("status", "--format", "json").as_run["unasked"] == 1
    for command in (["run", "plover", "--apply", "none"], ["diagnose", "plover", "--judge", "auto"]):
        (printed,) = [line for line in tune(*command).out.splitlines() if " needs a model" in line]
        assert "1 pattern needs a model and was not checked: found neither an API key nor a Claude login" in printed
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    result = tune("run", "plover", "--apply", "none")
    assert line in result.out.splitlines()
    assert "you could not be asked without a terminal; pass `--judge auto`" in result.err, (
        "the warning and the note must name the same option"
    )
