"""Test `rollback` of one or all fixes: original bytes and modes, kept later edits, and usage errors."""

import pytest

from orchestrator.run.run import Run
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import SKILL_HEADER, write_skill

BODY = (
    "A tall FIXABLE on the shore.\n\n"
    + "Some words between.\n\n" * 4
    + "This sentence is nowhere else.\n\n"
    + "Some words between.\n\n" * 4
    + "A grey RISKY in the reeds.\n"
)


@pytest.fixture
def work_dir_of_run(tune, project, work_dirs):
    skill = write_skill(project / "plover", BODY)
    (skill / "SKILL.md").chmod(0o640)
    assert tune("run", "plover", "--apply", "all").code == 0
    return work_dirs()[-1]


def get_main_file(project):
    return project / "plover" / "SKILL.md"


def test_rollback_all_restores_bytes_and_modes(tune, project, work_dir_of_run):
    result = tune("rollback", work_dir_of_run.name, "--all")
    assert (result.code, result.out) == (0, "rolled back: FIX-001, FIX-002\n")
    assert get_main_file(project).read_text() == SKILL_HEADER + BODY
    assert get_main_file(project).stat().st_mode & 0o777 == 0o640


def test_rollback_one_fix_keeps_the_other(tune, project, work_dir_of_run):
    assert tune("rollback", work_dir_of_run.name, "FIX-001").out == "rolled back: FIX-001\n"
    assert get_main_file(project).read_text() == SKILL_HEADER + BODY.replace("RISKY", "risky")
    result = tune("status", "--format", "json").as_run
    assert [(f["id"], f["status"]) for f in result["fixes"]] == [("FIX-001", "rolled_back"), ("FIX-002", "applied")]
    assert [(i["pattern"], i["status"]) for i in result["issues"]] == [("AGT-001", "open"), ("CTX-001", "resolved")]


def test_rollback_updates_score_gate_and_report(tune, work_dir_of_run):
    before = tune("status", "--format", "json").as_run
    assert before["quality_score"] == 100
    tune("rollback", "--all")
    after = tune("status", "--format", "json").as_run
    assert after["quality_score"] == before["before"]["score"] == 84
    report = (work_dir_of_run / "report.md").read_text()
    assert "**All applied fixes were rolled back.**" in report
    assert "There is nothing to undo." in report
    assert "Rolled back: by the user" in report
    assert tune("report").out == report


def test_rollback_is_done_if_the_report_cannot_be_written(tune, project, work_dir_of_run):
    report = work_dir_of_run / "report.md"
    report.unlink()
    report.mkdir()
    result = tune("rollback", "--all")
    assert (result.code, result.out) == (0, "rolled back: FIX-001, FIX-002\n")
    assert f"the rollback is done, but report.md is from before it: {report}: not a regular file; " in result.err
    assert f"`tune-skill report {work_dir_of_run.name}`" in result.err
    assert "**All applied fixes were rolled back.**" in tune("report", work_dir_of_run.name).out
    assert "was stopped" not in tune("resume", work_dir_of_run.name).err


@pytest.mark.parametrize("arguments", [[], ["NEWEST"], ["NEWEST", "FIX-001", "--all"]])
def test_rollback_needs_exactly_one_choice(tune, project, work_dir_of_run, arguments):
    result = tune("rollback", *[work_dir_of_run.name if argument == "NEWEST" else argument for argument in arguments])
    assert result.code == 2
    assert "FIXABLE" not in get_main_file(project).read_text()


def test_second_rollback_has_nothing_to_undo(tune, work_dir_of_run):
    tune("rollback", "--all")
    assert tune("rollback", "--all").out.startswith("nothing to undo: run ")
    second_result = tune("rollback", work_dir_of_run.name, "FIX-001")
    assert second_result.code == 2
    assert "applied: none" in second_result.err


def test_rollback_unknown_fix_lists_applied_ones(tune, work_dir_of_run):
    result = tune("rollback", work_dir_of_run.name, "FIX-007")
    assert result.code == 2
    assert "FIX-001, FIX-002" in result.err


def test_rollback_keeps_a_fix_whose_lines_were_edited(tune, project, work_dir_of_run):
    edited_text = get_main_file(project).read_text().replace("A grey risky", "A very grey risky")
    get_main_file(project).write_text(edited_text)
    result = tune("rollback", "--all")
    assert result.code == 1
    refusal = "FIX-002 was not rolled back: its changes were edited afterwards or cannot be located with certainty, in SKILL.md"
    hint = f"to compare with the text from before the run: {work_dir_of_run / 'backup'}"
    assert result.out == f"rolled back: FIX-001\n{refusal}\n{hint}\n"
    assert (work_dir_of_run / "backup" / "SKILL.md").read_text() == SKILL_HEADER + BODY
    assert get_main_file(project).read_text() == edited_text.replace("fixable", "FIXABLE")
    fixes = tune("status", "--format", "json").as_run["fixes"]
    assert [(f["id"], f["status"]) for f in fixes] == [("FIX-001", "rolled_back"), ("FIX-002", "applied")]


def test_rollback_keeps_edits_elsewhere_in_the_file(tune, project, work_dir_of_run):
    get_main_file(project).write_text(get_main_file(project).read_text() + "\nMy own words.\n")
    assert tune("rollback", "--all").code == 0
    assert get_main_file(project).read_text() == SKILL_HEADER + BODY + "\nMy own words.\n"


def kill_rollback_before_it_closes(tune, monkeypatch):
    """Roll back all fixes, but interrupt the command before it closes the journal, and without its recovery."""

    def interrupt(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "close", interrupt)
        patch.setattr(Workspace, "_recover", lambda self, verified: [])
        assert tune("rollback", "--all").code == 130


def test_killed_rollback_has_saved_the_state(tune, work_dir_of_run, monkeypatch):
    kill_rollback_before_it_closes(tune, monkeypatch)
    after = tune("status", "--format", "json").as_run
    assert (after["quality_score"], {i["status"] for i in after["issues"]}) == (84, {"open"})
    assert "There is nothing to undo." in tune("report").out
    assert (work_dir_of_run / "report.md").read_text() == tune("report").out


def test_resume_repairs_a_killed_rollback(tune, project, work_dir_of_run, monkeypatch):
    fixed_text = get_main_file(project).read_text()
    report = (work_dir_of_run / "report.md").read_text()

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Run, "_save_rollback", interrupt)
        patch.setattr(Workspace, "_recover", lambda self, verified: [])
        assert tune("rollback", "--all").code == 130
    assert get_main_file(project).read_text() == SKILL_HEADER + BODY
    assert "the rollback was undone; repeat it if needed" in tune("resume").err
    assert get_main_file(project).read_text() == fixed_text
    assert (work_dir_of_run / "report.md").read_text() == report
    assert tune("rollback", "--all").code == 0
    assert get_main_file(project).read_text() == SKILL_HEADER + BODY


def test_recovered_rollback_is_measured_again(tune, project, work_dir_of_run, monkeypatch):
    kill_rollback_before_it_closes(tune, monkeypatch)
    get_main_file(project).write_text(get_main_file(project).read_text() + "\nA second FIXABLE.\n")
    (work_dir_of_run / "report.md").write_text("old")
    result = tune("rollback", "--all")
    assert "the rollback is finished now" in result.err
    assert len(tune("status", "--format", "json").as_run["issues"]) == 3
    assert (work_dir_of_run / "report.md").read_text() == tune("report").out != "old"


def test_rollback_in_another_branch_uses_nothing_up(tune, project, work_dir_of_run):
    """The files of the other branch have the text from before the run."""
    fixed_text = get_main_file(project).read_bytes()
    get_main_file(project).write_bytes((work_dir_of_run / "backup" / "SKILL.md").read_bytes())
    result = tune("rollback", "--all")
    message = "the old text was already there; nothing was changed"
    assert (result.code, result.out.splitlines()) == (0, [f"FIX-001: {message}", f"FIX-002: {message}"])
    get_main_file(project).write_bytes(fixed_text)
    assert "rolled back: FIX-001, FIX-002" in tune("rollback", "--all").out


def test_rollback_of_an_unreadable_skill_fails_the_gate(tune, project, work_dir_of_run):
    get_main_file(project).write_bytes(get_main_file(project).read_bytes() + b"\n" * 9 + b"\xff\xfe\n")
    result = tune("rollback", "--all")
    assert (result.code, result.out) == (0, "rolled back: FIX-001, FIX-002\n")
    after = tune("status", "--format", "json").as_run
    assert {f["status"] for f in after["fixes"]} == {"rolled_back"}
    assert (after["quality_gate"], {i["status"] for i in after["issues"]}) == ("fail", {"open"})
    assert "not UTF-8" in after["notes"][-1]
    assert "| unknown |" in (work_dir_of_run / "report.md").read_text()


def test_rollback_measures_with_the_run_settings(tune, project, work_dir_of_run):
    (project / "plover" / "tune-skill.toml").write_text('ignore = ["CTX-001"]\n')
    tune("rollback", "--all")
    assert tune("status", "--format", "json").as_run["quality_score"] == 92


def test_rollback_refuses_one_edited_fix(tune, project, work_dir_of_run):
    edited_text = get_main_file(project).read_text().replace("A tall fixable", "A very tall fixable")
    get_main_file(project).write_text(edited_text)
    result = tune("rollback", work_dir_of_run.name, "FIX-001")
    assert result.code == 2
    assert "the file was not changed" in result.err
    assert get_main_file(project).read_text() == edited_text


def test_rollback_says_why_one_fix_is_refused(tune, project, work_dir_of_run):
    fixed_text = get_main_file(project).read_text()
    get_main_file(project).write_text(fixed_text.replace("A tall", "Mine.\nA tall"))
    result = tune("rollback", "FIX-001")
    assert "the place of the text of FIX-001 in it is uncertain" in result.err
    assert f"to compare with the text from before the run: {work_dir_of_run / 'backup'}" in result.err
    get_main_file(project).write_text(fixed_text.replace("A tall fixable", "A very tall fixable"))
    assert "the text of FIX-001 was changed afterwards" in tune("rollback", "FIX-001").err
    lines = fixed_text.splitlines(keepends=True)
    changed = next(line for line in lines if "A tall fixable" in line)
    get_main_file(project).write_text("".join(line for line in lines if line != changed) + f"Mine.\n{changed}")
    assert "the place of the text of FIX-001 in it is uncertain" in tune("rollback", "FIX-001").err
    get_main_file(project).write_text(fixed_text.replace(changed, f"  {changed}"))
    assert "the text of FIX-001 was changed afterwards" in tune("rollback", "FIX-001").err


def test_rollback_names_a_later_run_that_changed_the_file(tune, project, work_dirs):
    skill = write_skill(project / "plover", BODY)
    text = (skill / "SKILL.md").read_text()
    tune("run", "plover", "--apply", "none")
    first = work_dirs()[-1].name
    assert "FIX-001" in tune("apply", first, "FIX-001").out
    tune("run", "plover", "--apply", "all")
    later_run = work_dirs()[-1].name
    fixed_text = (skill / "SKILL.md").read_text()
    (skill / "SKILL.md").write_text(fixed_text.replace("A tall fixable", "A very tall fixable"))
    hint = f"run {later_run} changed the same file later; to undo that first: tune-skill rollback {later_run} --all"
    assert hint in tune("rollback", first, "FIX-001").err
    assert hint in tune("rollback", first, "--all").out
    (skill / "SKILL.md").write_text(fixed_text)
    tune("rollback", later_run, "--all")
    tune("rollback", first, "--all")
    assert (skill / "SKILL.md").read_text() == text


@pytest.mark.parametrize("kept_entries", [0, 2])
def test_rollback_says_that_the_journal_lost_entries(tune, project, work_dir_of_run, kept_entries):
    journal, text = work_dir_of_run / "journal.jsonl", get_main_file(project).read_text()
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:kept_entries]))
    for choice in ("--all", "FIX-001"):
        result = tune("rollback", choice)
        assert (result.code, result.out) == (2, "")
        assert f"the entries of {'FIX-002' if kept_entries else 'FIX-001, FIX-002'} are missing" in result.err
    assert get_main_file(project).read_text() == text


def test_rollback_uses_the_journal_if_the_state_is_lost(tune, project, work_dir_of_run):
    """The state is restored from an older generation, in which the fix was not yet applied."""
    import json

    values = json.loads((work_dir_of_run / "state.json").read_bytes())
    for fix in values["proposed_fixes"]:
        fix["status"] = "proposed"
    values["applied_fixes"] = []
    (work_dir_of_run / "state.json").write_text(json.dumps(values))
    assert tune("rollback", "--all").out == "rolled back: FIX-001, FIX-002\n"
    assert get_main_file(project).read_text() == SKILL_HEADER + BODY


def test_run_after_rollback_does_not_propose_it_again(tune, project, work_dirs):
    lines_without_fix = "".join(f"\nThe {n} NOFIX goes by.\n" for n in ("first", "second", "third"))
    write_skill(project / "plover", BODY + lines_without_fix)
    assert tune("run", "plover").code == 3
    run = work_dirs()[-1].name
    assert tune("apply", run, "FIX-001").code == 1
    assert tune("rollback", run, "FIX-001").code == 0
    assert tune("resume", run).code == 1
    assert "FIXABLE" in get_main_file(project).read_text()


def test_rollback_without_run_uses_the_last_started(tune, project, work_dir_of_run):
    write_skill(project / "dunlin", BODY)
    second_run = tune("run", "dunlin", "--apply", "all", "--format", "json").as_run["run_id"]
    original_bytes = (project / "dunlin" / "SKILL.md").read_bytes()
    fixed_text = get_main_file(project).read_bytes()
    assert tune("rollback", work_dir_of_run.name, "FIX-001").out == "rolled back: FIX-001\n"
    assert tune("status", "--format", "json").as_run["run_id"] == second_run, (
        "the newest run must be the last started, not the last changed"
    )
    result = tune("rollback", "FIX-002")
    assert (result.out, result.err) == ("rolled back: FIX-002\n", f"run {second_run} (the newest)\n")
    second_result = tune("rollback", "FIX-002")
    hint_for_other_run = f"or name another run: tune-skill rollback {work_dir_of_run.name} FIX-002"
    assert (second_result.code, second_result.out) == (2, "")
    assert (
        f"FIX-002 is already rolled back in run {second_run}; applied: FIX-001; {hint_for_other_run}"
        in second_result.err
    )
    assert tune("rollback", "--all").out == "rolled back: FIX-001\n"
    result_without_fix = tune("rollback", "--all")
    assert (result_without_fix.code, f"tune-skill rollback {work_dir_of_run.name} --all" in result_without_fix.out) == (
        0,
        True,
    )
    assert (project / "dunlin" / "SKILL.md").read_bytes() != original_bytes
    assert get_main_file(project).read_bytes() != fixed_text, "a fix that was not named was rolled back"
    assert tune("status", work_dir_of_run.name, "--format", "json").as_run["fixes"][1]["status"] == "applied"
    assert "is proposed but not applied in run" in _roll_back_unapplied_fix(tune)


def _roll_back_unapplied_fix(tune):
    tune("run", "plover", "--apply", "none", "--quiet")
    return tune("rollback", "FIX-001").err
