"""Test `run --trial`: fixes stay if the tuned skill is not worse; otherwise they are rolled back with the reason."""

import json
from pathlib import Path

import pytest

import schemas
from orchestrator.cli import main
from orchestrator.tuning.trial import final_trial
from orchestrator.tuning.trial.folders import is_shown
from orchestrator.tuning.trial.ledger import Ledger
from tests.orchestrator.tuning.trial.conftest import FRONTMATTER, GOOD_BODY, write_tasks
from tests.scripted_api import join_user_text, text_block, tool_call

BROKEN_LINK = "See [the guide](references/greeting_rules.md).\n"


def greet_if_skill_says(words):
    """Return a model that greets well if the text of the skill contains these words."""

    def script(request):
        user_text = join_user_text(request)
        if "Base directory for this skill" not in user_text:
            return tool_call("Skill", skill="greeter")
        return text_block("Hello, please." if words in user_text else "Hello.")

    return script


def leave_unfinished_rollback(project):
    """Leave what a kill after saving the state leaves for the next command: a rollback without its outcome."""
    (journal,) = project.glob(".workflow/skill-tuning/*/journal.jsonl")
    *lines, outcome = journal.read_text().splitlines(keepends=True)
    assert "closed" in outcome
    journal.write_text("".join(lines))
    with pytest.raises(SystemExit):
        main(["rollback", "--all"])
    assert "closed" in journal.read_text().splitlines()[-1]


def write_skill_with_broken_link(skill, text=""):
    """Write a skill with a broken link that a fix corrects."""
    (skill / "references").mkdir()
    (skill / "references" / "greeting-rules.md").write_text("# Guide\n\nGreet.\n")
    (skill / "SKILL.md").write_text(FRONTMATTER + BROKEN_LINK + text)


def run_with_trial(project, capsys):
    """Run the command with a trial (two runs of one task); return the state at the end."""
    with pytest.raises(SystemExit):
        main(["run", "greeter", "--apply", "safe", "--judge", "none", "--no-sessions", "--trial", "--trial-tasks",
              write_tasks(project, 1), "--trial-runs", "2", "--format", "json"])  # fmt: skip
    out, err = capsys.readouterr()
    state = json.loads(next(project.glob(".workflow/skill-tuning/*/state.json")).read_text())
    schemas.check("state", state)
    assert json.loads(out)["phase"] == "completed", err
    return state


@pytest.fixture
def call(capsys):
    """Return a function that runs the command and returns the exit code and the last line on stderr."""

    def run(*arguments):
        with pytest.raises(SystemExit) as exit_info:
            main([*arguments])
        return exit_info.value.code or 0, capsys.readouterr().err.strip().splitlines()[-1:]

    return run


@pytest.fixture
def stopped_run(project, player, call):
    """Return the work dir of a run whose trial was stopped in its third run, after 0.02 USD were paid for two."""

    def stop():
        if len(player.prompts) == 3:
            raise KeyboardInterrupt

    write_skill_with_broken_link(project / "greeter", GOOD_BODY)
    player.meanwhile = stop
    code, _ = call("run", "greeter", "--apply", "safe", "--judge", "none", "--no-sessions", "--trial", "--trial-tasks",
                   write_tasks(project, 1), "--trial-runs", "2", "--yes")  # fmt: skip
    assert code == 130
    (work,) = project.glob(".workflow/skill-tuning/2*")
    return work


def read_state(work):
    state = json.loads((work / "state.json").read_text())
    schemas.check("state", state)
    return state


def test_edited_skill_does_not_restart_a_paid_trial(project, stopped_run, player, call):
    main_file = project / "greeter" / "SKILL.md"
    tested_text = main_file.read_text()
    main_file.write_text(tested_text + "\nMore.\n")
    code, (line,) = call("resume", stopped_run.name)
    usd = read_ledger_cost(stopped_run)
    assert (code, len(player.prompts)) == (2, 3)
    assert line.startswith(
        f"tune-skill: the trial of this run was stopped after {usd:.2f} USD were paid, and SKILL.md changed since; "
    )
    assert f"`tune-skill resume {stopped_run.name} --no-trial`" in line
    main_file.write_text(tested_text)
    assert call("resume", stopped_run.name)[0] in (0, 1)
    assert len([*project.glob(".workflow/skill-trials/2*")]) == 1
    assert read_state(stopped_run)["trial"]["usd"] == pytest.approx(read_ledger_cost(stopped_run))
    assert len(player.prompts) == 5, "the two runs that were paid for are not repeated"


def test_result_that_resume_showed_counts_as_shown(stopped_run, call):
    assert call("resume", stopped_run.name)[0] in (0, 1)
    folder = Path(read_state(stopped_run)["trial"]["folder"])
    assert is_shown(folder, json.loads((folder / "result.json").read_text()))


def test_run_without_its_stopped_trial_reports_the_cost(project, stopped_run, call):
    usd = read_ledger_cost(stopped_run)
    assert call("resume", stopped_run.name, "--no-trial")[0] in (0, 1)
    assert f"the trial was not finished: {usd:.2f} USD were paid" in (stopped_run / "report.md").read_text()


def test_stopped_trial_continues_from_another_folder(project, stopped_run, player, call, monkeypatch, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert call("resume", str(stopped_run))[0] in (0, 1)
    assert len(player.prompts) == 5


@pytest.fixture
def old_run(stopped_run):
    """Return the work dir of such a run of an earlier version, whose states do not have the folder of the trial."""
    for file in stopped_run.glob("state.json*"):
        state = json.loads(file.read_text())
        state.pop("trial_folder", None)
        file.write_text(json.dumps(state))
    return stopped_run


def test_stopped_trial_of_an_earlier_version_continues_from_another_folder(
    old_run, player, call, monkeypatch, tmp_path
):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert call("resume", str(old_run))[0] in (0, 1)
    assert len(player.prompts) == 5


def test_edited_skill_does_not_restart_a_paid_trial_of_an_earlier_version(project, old_run, player, call):
    main_file = project / "greeter" / "SKILL.md"
    main_file.write_text(main_file.read_text() + "\nMore.\n")
    code, (line,) = call("resume", old_run.name)
    assert (code, len(player.prompts)) == (2, 3)
    assert "USD were paid, and SKILL.md changed since; " in line
    assert call("resume", old_run.name, "--no-trial")[0] in (0, 1)
    assert "the trial was not finished: " in (old_run / "report.md").read_text()


def read_ledger_cost(work):
    """Return the cost of the run's trial: 0.02 USD, and that of the run that was cut off."""
    return Ledger.peek(Path(read_state(work)["trial_folder"]))[0].spent


def test_new_run_refuses_to_forget_a_stopped_trial(project, player, capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    def call(*arguments):
        with pytest.raises(SystemExit) as exit_info:
            main([*arguments])
        return exit_info.value.code, capsys.readouterr().err

    write_skill_with_broken_link(project / "greeter", GOOD_BODY)
    original = (project / "greeter" / "SKILL.md").read_text()
    command = ["run", "greeter", "--apply", "safe", "--judge", "none", "--no-sessions", "--trial", "--trial-tasks",
               write_tasks(project, 1), "--trial-runs", "2", "--quiet"]  # fmt: skip
    monkeypatch.setattr(final_trial, "run_trial", stop)
    assert call(*command)[0] == 130
    (work,) = project.glob(".workflow/skill-tuning/*/state.json")
    run = work.parent.name
    for arguments in (command, ["run", "greeter", "--apply", "none", "--judge", "none", "--quiet"]):
        code, err = call(*arguments)
        assert (code, len(err.splitlines())) == (2, 1)
        assert f"run {run} was stopped before its trial decided about 1 fix (FIX-001); decide first: " in err
        for suggested_command in (f"resume {run}", f"resume {run} --no-trial", f"rollback {run} --all"):
            assert f"`tune-skill {suggested_command}`" in err
    assert len(list(project.glob(".workflow/skill-tuning/*/state.json"))) == 1
    assert call("rollback", run, "--all")[0] == 0
    assert (project / "greeter" / "SKILL.md").read_text() == original
    code, err = call(*arguments)
    assert (code, "decide first" in err) == (0, False)


def test_fixes_that_change_nothing_measurable_are_kept(project, player, capsys):
    write_skill_with_broken_link(project / "greeter", GOOD_BODY)
    trial = run_with_trial(project, capsys)["trial"]
    assert (
        trial["before"],
        trial["after"],
        trial["kept"],
        trial["verdict"],
    ) == (2, 2, True, "not known")
    assert "greeting-rules.md" in (project / "greeter" / "SKILL.md").read_text()


def test_result_that_a_run_showed_counts_as_shown(project, player, capsys, run_trial_command):
    write_skill_with_broken_link(project / "greeter", GOOD_BODY)
    folder = Path(run_with_trial(project, capsys)["trial"]["folder"])
    paid = len(player.prompts)
    _, _, err = run_trial_command("greeter", "--against", "before", "--tasks", write_tasks(project, 1), "--runs", "2")
    assert f"`tune-skill report {folder.name}` shows its result, this command pays for a new one" in err
    assert len(player.prompts) == 2 * paid


@pytest.mark.parametrize(
    ("words", "before", "after", "is_kept"),
    [
        ("references/greeting-rules.md", 0, 2, True),
        ("references/greeting_rules.md", 2, 0, False),
    ],
    ids=["helps", "harms"],
)
def test_fixes_are_kept_or_rolled_back_by_the_trial(project, api, replay, capsys, words, before, after, is_kept):
    skill = project / "greeter"
    write_skill_with_broken_link(skill)
    api.script = greet_if_skill_says(words)
    state = run_with_trial(project, capsys)
    assert (state["trial"]["before"], state["trial"]["after"], state["trial"]["kept"]) == (before, after, is_kept)
    assert ("greeting-rules.md" in (skill / "SKILL.md").read_text()) is is_kept
    assert {fix["status"] for fix in state["proposed_fixes"]} == {"applied" if is_kept else "rolled_back"}
    if not is_kept:
        assert "worse by more than the noise" in state["proposed_fixes"][0]["reason"]
        assert (skill / "SKILL.md").read_text() == FRONTMATTER + BROKEN_LINK
        leave_unfinished_rollback(project)
        state_after = json.loads(next(project.glob(".workflow/skill-tuning/*/state.json")).read_text())
        assert state_after["proposed_fixes"] == state["proposed_fixes"]
        assert "worse by more than the noise" in state_after["final_report"]
        assert "by the user" not in state_after["final_report"]
        capsys.readouterr()
    trial_folder = Path(state["trial"]["folder"])
    with pytest.raises(SystemExit):  # The sessions of the trial with the current text are read as evidence.
        main(["run", "greeter", "--apply", "none", "--judge", "none", "--format", "json", "--quiet"])
    sessions = json.loads(capsys.readouterr().out)["sessions"]
    current = "after" if is_kept else "before"
    assert len(sessions) == len(list(trial_folder.glob(f"sessions/*.{current}.jsonl"))) == 2
    assert f"succeeds in {after} of 2 against {before}" in state["final_report"]
