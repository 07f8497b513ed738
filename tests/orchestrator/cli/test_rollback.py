"""Test `rollback` of one or all fixes: original bytes and modes, kept later edits, and usage errors."""

import pytest

from orchestrator.run.run import Run
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import SKILL_HEADER, write_skill

BODY = "A tall FIXABLE on the shore.\n\n" + "Some words between.\n\n" * 8 + "A grey RISKY in the reeds.\n"


@pytest.fixture
def done(tune, project, work_dirs):
    skill = write_skill(project / "plover", BODY)
    (skill / "SKILL.md").chmod(0o640)
    assert tune("run", "plover", "--apply", "all").code == 0
    return work_dirs()[-1]


def main(project):
    return project / "plover" / "SKILL.md"


def test_rollback_all_restores_bytes_and_modes(tune, project, done):
    printed = tune("rollback", done.name, "--all")
    assert (printed.code, printed.out) == (0, "rolled back: FIX-001, FIX-002\n")
    assert main(project).read_text() == SKILL_HEADER + BODY
    assert main(project).stat().st_mode & 0o777 == 0o640


def test_rollback_one_fix_keeps_the_other(tune, project, done):
    assert tune("rollback", done.name, "FIX-001").out == "rolled back: FIX-001\n"
    assert main(project).read_text() == SKILL_HEADER + BODY.replace("RISKY", "risky")
    printed = tune("status", "--format", "json").as_run
    assert [(f["id"], f["status"]) for f in printed["fixes"]] == [("FIX-001", "rolled_back"), ("FIX-002", "applied")]
    assert [(i["pattern"], i["status"]) for i in printed["issues"]] == [("AGT-001", "open"), ("CTX-001", "resolved")]


def test_rollback_updates_score_gate_and_report(tune, done):
    before = tune("status", "--format", "json").as_run
    assert before["quality_score"] == 100
    tune("rollback", "--all")
    after = tune("status", "--format", "json").as_run
    assert after["quality_score"] == before["before"]["score"] == 84
    report = (done / "report.md").read_text()
    assert "**All applied fixes were rolled back.**" in report
    assert "There is nothing to undo." in report
    assert "Rolled back: by the user" in report
    assert tune("report").out == report


@pytest.mark.parametrize("arguments", [[], ["NEWEST"], ["NEWEST", "FIX-001", "--all"]])
def test_rollback_needs_exactly_one_choice(tune, project, done, arguments):
    printed = tune("rollback", *[done.name if a == "NEWEST" else a for a in arguments])
    assert printed.code == 2
    assert "FIXABLE" not in main(project).read_text()


def test_second_rollback_has_nothing_to_undo(tune, done):
    tune("rollback", "--all")
    assert tune("rollback", "--all").out.startswith("nothing to undo: run ")
    again = tune("rollback", done.name, "FIX-001")
    assert again.code == 2
    assert "applied: none" in again.err


def test_rollback_unknown_fix_lists_applied_ones(tune, done):
    printed = tune("rollback", done.name, "FIX-007")
    assert printed.code == 2
    assert "FIX-001, FIX-002" in printed.err


def test_rollback_keeps_a_fix_whose_lines_were_edited(tune, project, done):
    mine = main(project).read_text().replace("A grey risky", "A very grey risky")
    main(project).write_text(mine)
    printed = tune("rollback", "--all")
    assert printed.code == 1
    stays = "FIX-002 was not rolled back: its changes were edited afterwards or cannot be located with certainty, in SKILL.md"
    compare = f"to compare with the text from before the run: {done / 'backup'}"
    assert printed.out == f"run {done.name}\nrolled back: FIX-001\n{stays}\n{compare}\n"
    assert (done / "backup" / "SKILL.md").read_text() == SKILL_HEADER + BODY
    assert main(project).read_text() == mine.replace("fixable", "FIXABLE")
    fixes = tune("status", "--format", "json").as_run["fixes"]
    assert [(f["id"], f["status"]) for f in fixes] == [("FIX-001", "rolled_back"), ("FIX-002", "applied")]


def test_rollback_keeps_edits_elsewhere_in_the_file(tune, project, done):
    main(project).write_text(main(project).read_text() + "\nMy own words.\n")
    assert tune("rollback", "--all").code == 0
    assert main(project).read_text() == SKILL_HEADER + BODY + "\nMy own words.\n"


def killed_before_it_closed(tune, monkeypatch):
    """Roll back all fixes in a process that is killed before it closes the journal."""

    def killed(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "close", killed)
        patch.setattr(Workspace, "_recover", lambda self, verified: [])
        assert tune("rollback", "--all").code == 130


def test_killed_rollback_has_saved_the_state(tune, done, monkeypatch):
    killed_before_it_closed(tune, monkeypatch)
    after = tune("status", "--format", "json").as_run
    assert (after["quality_score"], {i["status"] for i in after["issues"]}) == (84, {"open"})
    assert "There is nothing to undo." in tune("report").out
    assert (done / "report.md").read_text() == tune("report").out


def test_resume_repairs_a_killed_rollback(tune, project, done, monkeypatch):
    fixed = main(project).read_text()
    report = (done / "report.md").read_text()

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Run, "_save_rollback", killed)
        patch.setattr(Workspace, "_recover", lambda self, verified: [])
        assert tune("rollback", "--all").code == 130
    assert main(project).read_text() == SKILL_HEADER + BODY
    assert "the rollback was undone; repeat it if needed" in tune("resume").err
    assert main(project).read_text() == fixed
    assert (done / "report.md").read_text() == report
    assert tune("rollback", "--all").code == 0
    assert main(project).read_text() == SKILL_HEADER + BODY


def test_recovered_rollback_is_measured_again(tune, project, done, monkeypatch):
    killed_before_it_closed(tune, monkeypatch)
    main(project).write_text(main(project).read_text() + "\nA second FIXABLE.\n")
    (done / "report.md").write_text("old")
    printed = tune("rollback", "--all")
    assert "the rollback is finished now" in printed.err
    assert len(tune("status", "--format", "json").as_run["issues"]) == 3
    assert (done / "report.md").read_text() == tune("report").out != "old"


def test_rollback_of_an_unreadable_skill_fails_the_gate(tune, project, done):
    main(project).write_bytes(main(project).read_bytes() + b"\n" * 9 + b"\xff\xfe\n")
    printed = tune("rollback", "--all")
    assert (printed.code, printed.out) == (0, f"run {done.name}\nrolled back: FIX-001, FIX-002\n")
    after = tune("status", "--format", "json").as_run
    assert {f["status"] for f in after["fixes"]} == {"rolled_back"}
    assert (after["quality_gate"], {i["status"] for i in after["issues"]}) == ("fail", {"open"})
    assert "not UTF-8" in after["notes"][-1]
    assert "| unknown |" in (done / "report.md").read_text()


def test_rollback_measures_with_the_run_settings(tune, project, done):
    (project / "plover" / "tune-skill.toml").write_text('ignore = ["CTX-001"]\n')
    tune("rollback", "--all")
    assert tune("status", "--format", "json").as_run["quality_score"] == 92


def test_rollback_refuses_one_edited_fix(tune, project, done):
    mine = main(project).read_text().replace("A tall fixable", "A very tall fixable")
    main(project).write_text(mine)
    printed = tune("rollback", done.name, "FIX-001")
    assert printed.code == 2
    assert "the file was not changed" in printed.err
    assert main(project).read_text() == mine


def test_rollback_says_why_one_fix_is_refused(tune, project, done):
    fixed = main(project).read_text()
    main(project).write_text(fixed.replace("A tall", "Mine.\nA tall"))
    around = tune("rollback", "FIX-001")
    assert "the lines around the text of FIX-001 were changed afterwards" in around.err
    assert f"to compare with the text from before the run: {done / 'backup'}" in around.err
    main(project).write_text(fixed.replace("A tall fixable", "A very tall fixable"))
    assert "the text of FIX-001 was changed afterwards" in tune("rollback", "FIX-001").err


def test_rollback_names_a_later_run_that_changed_the_file(tune, project, work_dirs):
    skill = write_skill(project / "plover", BODY)
    text = (skill / "SKILL.md").read_text()
    tune("run", "plover", "--apply", "none")
    first = work_dirs()[-1].name
    assert "FIX-001" in tune("apply", first, "FIX-001").out
    tune("run", "plover", "--apply", "all")
    last = work_dirs()[-1].name
    fixed = (skill / "SKILL.md").read_text()
    (skill / "SKILL.md").write_text(fixed.replace("A tall fixable", "A very tall fixable"))
    hint = f"run {last} changed the same file later; to undo that first: tune-skill rollback {last} --all"
    assert hint in tune("rollback", first, "FIX-001").err
    assert hint in tune("rollback", first, "--all").out
    (skill / "SKILL.md").write_text(fixed)
    tune("rollback", last, "--all")
    tune("rollback", first, "--all")
    assert (skill / "SKILL.md").read_text() == text


@pytest.mark.parametrize("kept", [0, 2])
def test_rollback_says_that_the_journal_lost_entries(tune, project, done, kept):
    journal, text = done / "journal.jsonl", main(project).read_text()
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:kept]))
    for choice in ("--all", "FIX-001"):
        printed = tune("rollback", choice)
        assert (printed.code, printed.out) == (2, "")
        assert f"the entries of {'FIX-002' if kept else 'FIX-001, FIX-002'} are missing" in printed.err
    assert main(project).read_text() == text


def test_rollback_uses_the_journal_if_the_state_is_lost(tune, project, done):
    """The state is restored from an older generation, in which the fix was not yet applied."""
    import json

    values = json.loads((done / "state.json").read_bytes())
    for fix in values["proposed_fixes"]:
        fix["status"] = "proposed"
    values["applied_fixes"] = []
    (done / "state.json").write_text(json.dumps(values))
    assert tune("rollback", "--all").out == f"run {done.name}\nrolled back: FIX-001, FIX-002\n"
    assert main(project).read_text() == SKILL_HEADER + BODY


def test_run_after_rollback_does_not_propose_it_again(tune, project, work_dirs):
    lines_without_fix = "".join(f"\nThe {n} NOFIX goes by.\n" for n in ("first", "second", "third"))
    write_skill(project / "plover", BODY + lines_without_fix)
    assert tune("run", "plover").code == 3
    run = work_dirs()[-1].name
    assert tune("apply", run, "FIX-001").code == 1
    assert tune("rollback", run, "FIX-001").code == 0
    assert tune("resume", run).code == 1
    assert "FIXABLE" in main(project).read_text()


def test_rollback_without_run_uses_the_last_started(tune, project, done):
    write_skill(project / "dunlin", BODY)
    second = tune("run", "dunlin", "--apply", "all", "--format", "json").as_run["run_id"]
    whole = (project / "dunlin" / "SKILL.md").read_bytes()
    fixed = main(project).read_bytes()
    assert tune("rollback", done.name, "FIX-001").out == "rolled back: FIX-001\n"
    assert tune("status", "--format", "json").as_run["run_id"] == second, "the older one was changed last"
    printed = tune("rollback", "FIX-002")
    assert (printed.out, printed.err) == (f"run {second}\nrolled back: FIX-002\n", "")
    again = tune("rollback", "FIX-002")
    other = f"or name another run: tune-skill rollback {done.name} FIX-002"
    assert (again.code, again.out) == (2, "")
    assert f"FIX-002 is rolled back already in run {second}; applied: FIX-001; {other}" in again.err
    assert tune("rollback", "--all").out == f"run {second}\nrolled back: FIX-001\n"
    nothing = tune("rollback", "--all")
    assert (nothing.code, f"tune-skill rollback {done.name} --all" in nothing.out) == (0, True)
    assert (project / "dunlin" / "SKILL.md").read_bytes() != whole
    assert main(project).read_bytes() != fixed, "of the older run only what was named"
    assert tune("status", done.name, "--format", "json").as_run["fixes"][1]["status"] == "applied"
    assert "is proposed, and not applied, in run" in _never_applied(tune)


def _never_applied(tune):
    tune("run", "plover", "--apply", "none", "--quiet")
    return tune("rollback", "FIX-001").err
