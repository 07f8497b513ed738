"""`rollback`: one, all, or a usage error; the original bytes and modes; what someone edited stays."""

import pytest

from orchestrator.run.run import Run
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import HEAD, a_skill

BODY = "A tall CRANE on the shore.\n\n" + "Some words between.\n\n" * 8 + "A grey HERON in the reeds.\n"


@pytest.fixture
def done(tune, project, work_dirs):
    skill = a_skill(project / "plover", BODY)
    (skill / "SKILL.md").chmod(0o640)
    assert tune("run", "plover", "--apply", "all").code == 0
    return work_dirs()[-1]


def main(project):
    return project / "plover" / "SKILL.md"


def test_all_restores_bytes_and_modes(tune, project, done):
    told = tune("rollback", done.name, "--all")
    assert (told.code, told.out) == (0, "rolled back: FIX-001, FIX-002\n")
    assert main(project).read_text() == HEAD + BODY
    assert main(project).stat().st_mode & 0o777 == 0o640


def test_one_fix_goes_and_the_other_stays(tune, project, done):
    assert tune("rollback", done.name, "FIX-001").out == "rolled back: FIX-001\n"
    assert main(project).read_text() == HEAD + BODY.replace("HERON", "heron")
    told = tune("status", "--format", "json").as_run
    assert [(f["id"], f["status"]) for f in told["fixes"]] == [("FIX-001", "rolled_back"), ("FIX-002", "applied")]
    assert [(i["pattern"], i["status"]) for i in told["issues"]] == [("AGT-001", "open"), ("CTX-001", "resolved")]


def test_score_gate_and_report_tell_of_the_skill_as_it_is_after_the_rollback(tune, done):
    before = tune("status", "--format", "json").as_run
    assert before["quality_score"] == 100
    tune("rollback", "--all")
    after = tune("status", "--format", "json").as_run
    assert after["quality_score"] == before["before"]["score"] == 84
    report = (done / "report.md").read_text()
    assert "**All applied fixes were rolled back.**" in report
    assert "There is nothing to undo." in report
    assert "the user undid it" in report
    assert tune("report").out == report


@pytest.mark.parametrize("arguments", [[], ["NEWEST"], ["NEWEST", "FIX-001", "--all"]])
def test_without_one_choice_it_is_a_usage_error(tune, project, done, arguments):
    told = tune("rollback", *[done.name if a == "NEWEST" else a for a in arguments])
    assert told.code == 2
    assert "CRANE" not in main(project).read_text()


def test_a_second_rollback_finds_nothing(tune, done):
    tune("rollback", "--all")
    assert tune("rollback", "--all").out.startswith("nothing to undo: run ")
    again = tune("rollback", done.name, "FIX-001")
    assert again.code == 2
    assert "applied: none" in again.err


def test_an_unknown_fix_is_named_with_those_that_stand(tune, done):
    told = tune("rollback", done.name, "FIX-007")
    assert told.code == 2
    assert "FIX-001, FIX-002" in told.err


def test_a_fix_whose_lines_someone_edited_since_stays_and_is_named(tune, project, done):
    mine = main(project).read_text().replace("A grey heron", "A very grey heron")
    main(project).write_text(mine)
    told = tune("rollback", "--all")
    assert told.code == 1
    stays = "FIX-002 was not rolled back: its changes have been edited since, in SKILL.md"
    assert told.out == f"run {done.name}\nrolled back: FIX-001\n{stays}\n"
    assert main(project).read_text() == mine.replace("crane", "CRANE")
    fixes = tune("status", "--format", "json").as_run["fixes"]
    assert [(f["id"], f["status"]) for f in fixes] == [("FIX-001", "rolled_back"), ("FIX-002", "applied")]


def test_words_that_someone_wrote_elsewhere_in_the_file_stay(tune, project, done):
    main(project).write_text(main(project).read_text() + "\nMy own words.\n")
    assert tune("rollback", "--all").code == 0
    assert main(project).read_text() == HEAD + BODY + "\nMy own words.\n"


def killed_before_it_closed(tune, monkeypatch):
    """Take all fixes back in a process that ends before the journal says so."""

    def killed(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "close", killed)
        patch.setattr(Workspace, "_recover", lambda self, verified: [])
        assert tune("rollback", "--all").code == 130


def test_a_rollback_that_was_killed_before_it_closed_has_told_the_state_all(tune, done, monkeypatch):
    killed_before_it_closed(tune, monkeypatch)
    after = tune("status", "--format", "json").as_run
    assert (after["quality_score"], {i["status"] for i in after["issues"]}) == (84, {"open"})
    assert "There is nothing to undo." in tune("report").out
    assert (done / "report.md").read_text() == tune("report").out


def test_resume_of_an_ended_run_puts_right_a_rollback_that_was_killed_before_it_was_saved(
    tune, project, done, monkeypatch
):
    mended = main(project).read_text()
    report = (done / "report.md").read_text()

    def killed(self, ids, made):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Run, "_told_back", killed)
        patch.setattr(Workspace, "_recover", lambda self, verified: [])
        assert tune("rollback", "--all").code == 130
    assert main(project).read_text() == HEAD + BODY
    assert "it was undone; repeat it if you want it" in tune("resume").err
    assert main(project).read_text() == mended
    assert (done / "report.md").read_text() == report
    assert tune("rollback", "--all").code == 0
    assert main(project).read_text() == HEAD + BODY


def test_a_rollback_that_a_recovery_finishes_is_measured_anew(tune, project, done, monkeypatch):
    killed_before_it_closed(tune, monkeypatch)
    main(project).write_text(main(project).read_text() + "\nA second CRANE.\n")
    (done / "report.md").write_text("old")
    told = tune("rollback", "--all")
    assert "it is finished now" in told.err
    assert len(tune("status", "--format", "json").as_run["issues"]) == 3
    assert (done / "report.md").read_text() == tune("report").out != "old"


def test_a_skill_that_cannot_be_read_any_more_is_taken_back_and_passes_nothing(tune, project, done):
    main(project).write_bytes(main(project).read_bytes() + b"\n" * 9 + b"\xff\xfe\n")
    told = tune("rollback", "--all")
    assert (told.code, told.out) == (0, f"run {done.name}\nrolled back: FIX-001, FIX-002\n")
    after = tune("status", "--format", "json").as_run
    assert {f["status"] for f in after["fixes"]} == {"rolled_back"}
    assert (after["quality_gate"], {i["status"] for i in after["issues"]}) == ("fail", {"open"})
    assert "not UTF-8" in after["notes"][-1]
    assert "| unknown |" in (done / "report.md").read_text()


def test_the_rollback_measures_with_the_settings_of_the_run(tune, project, done):
    (project / "plover" / "tune-skill.toml").write_text('ignore = ["CTX-001"]\n')
    tune("rollback", "--all")
    assert tune("status", "--format", "json").as_run["quality_score"] == 92


def test_one_fix_whose_lines_were_edited_since_is_refused(tune, project, done):
    mine = main(project).read_text().replace("A tall crane", "A very tall crane")
    main(project).write_text(mine)
    told = tune("rollback", done.name, "FIX-001")
    assert told.code == 2
    assert "the file was not touched" in told.err
    assert main(project).read_text() == mine


def test_what_the_journal_knows_can_be_taken_back_though_the_state_lost_it(tune, project, done):
    """The state fell back to a generation in which the fix was not yet applied."""
    import json

    values = json.loads((done / "state.json").read_bytes())
    for fix in values["proposed_fixes"]:
        fix["status"] = "proposed"
    values["applied_fixes"] = []
    (done / "state.json").write_text(json.dumps(values))
    assert tune("rollback", "--all").out == f"run {done.name}\nrolled back: FIX-001, FIX-002\n"
    assert main(project).read_text() == HEAD + BODY


def test_a_run_goes_on_after_a_rollback_and_does_not_propose_it_again(tune, project, work_dirs):
    geese = "".join(f"\nThe {n} GOOSE goes by.\n" for n in ("first", "second", "third"))
    a_skill(project / "plover", BODY + geese)
    assert tune("run", "plover").code == 3
    run = work_dirs()[-1].name
    assert tune("apply", run, "FIX-001").code == 1
    assert tune("rollback", run, "FIX-001").code == 0
    assert tune("resume", run).code == 1
    assert "CRANE" in main(project).read_text()


def test_without_a_name_the_run_that_was_started_last_is_meant_whatever_was_undone_since(tune, project, done):
    a_skill(project / "dunlin", BODY)
    second = tune("run", "dunlin", "--apply", "all", "--format", "json").as_run["run_id"]
    whole = (project / "dunlin" / "SKILL.md").read_bytes()
    mended = main(project).read_bytes()
    assert tune("rollback", done.name, "FIX-001").out == "rolled back: FIX-001\n"
    assert tune("status", "--format", "json").as_run["run_id"] == second, "the older one was changed last"
    told = tune("rollback", "FIX-002")
    assert (told.out, told.err) == (f"run {second}\nrolled back: FIX-002\n", "")
    again = tune("rollback", "FIX-002")
    other = f"or name another run: tune-skill rollback {done.name} FIX-002"
    assert (again.code, again.out) == (2, "")
    assert f"FIX-002 is rolled back already in run {second}; applied: FIX-001; {other}" in again.err
    assert tune("rollback", "--all").out == f"run {second}\nrolled back: FIX-001\n"
    nothing = tune("rollback", "--all")
    assert (nothing.code, f"tune-skill rollback {done.name} --all" in nothing.out) == (0, True)
    assert (project / "dunlin" / "SKILL.md").read_bytes() != whole
    assert main(project).read_bytes() != mended, "of the older run only what was named"
    assert tune("status", done.name, "--format", "json").as_run["fixes"][1]["status"] == "applied"
    assert "is proposed, and not applied, in run" in _never_applied(tune)


def _never_applied(tune):
    tune("run", "plover", "--apply", "none", "--quiet")
    return tune("rollback", "FIX-001").err
