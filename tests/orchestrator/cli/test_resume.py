"""Test `answer`, `apply` and `resume`, each of which continues a run from its files on disk."""

import re

import pytest

from orchestrator.run.store import StateStore
from orchestrator.run.workspace.workspace import Workspace
from tests.fakes import SKILL_HEADER, Listener, start_run, write_skill

LINES_WITHOUT_FIX = "".join(f"\nThe {n} NOFIX goes by.\n" for n in ("first", "second", "third"))


@pytest.fixture
def paused_run(tune, project, work_dirs):
    """Return the id of a run that waits for a selection of two fixes."""
    write_skill(project / "plover", "A tall FIXABLE.\n\nA grey RISKY.\n")
    assert tune("run", "plover").code == 3
    return work_dirs()[-1].name


def read_skill(project):
    return (project / "plover" / "SKILL.md").read_text()


def test_run_pause_waits_for_answer_then_selection(tune, project, work_dirs):
    write_skill(project / "plover", "A tall FIXABLE.\n")
    question_result = tune("run", "plover", "--issue", "it does not work well", "--pause")
    assert question_result.code == 3
    run = work_dirs()[-1].name
    assert f"Waiting for your answer: tune-skill answer {run} DIM-001=" in question_result.out
    answer_result = tune("answer", run, "DIM-001=agent_failure")
    assert answer_result.code == 3
    assert f"tune-skill apply {run} FIX-001" in answer_result.out
    assert "was not asked" not in answer_result.out
    assert tune("apply", run, "--all").code == 0


def test_apply_all_completes_the_run(tune, project, paused_run):
    result = tune("apply", paused_run, "--all")
    assert result.code == 0
    assert read_skill(project) == SKILL_HEADER + "A tall fixable.\n\nA grey risky.\n"


def test_apply_applies_only_the_named_fixes(tune, project, paused_run):
    result = tune("apply", paused_run, "FIX-002")
    assert result.code == 0
    assert read_skill(project) == SKILL_HEADER + "A tall FIXABLE.\n\nA grey risky.\n"
    assert "FIX-001" in result.out


def test_apply_without_run_uses_the_newest(tune, project, paused_run):
    assert tune("apply", "fix-002").code == 0
    assert read_skill(project) == SKILL_HEADER + "A tall FIXABLE.\n\nA grey risky.\n"
    assert tune("rollback", "fix-002").out == "rolled back: FIX-002\n"
    assert tune("rollback", "FIX-009").code == 2


def test_apply_none_ends_with_the_report(tune, project, paused_run, work_dirs):
    assert tune("apply", paused_run, "--none").code == 0
    assert "FIXABLE" in read_skill(project)
    assert (work_dirs()[-1] / "report.md").exists()


def test_apply_refuses_an_edited_file(tune, project, paused_run):
    edited_text = read_skill(project) + "\nMy own words.\n"
    (project / "plover" / "SKILL.md").write_text(edited_text)
    result = tune("apply", paused_run, "--all")
    assert result.code in (0, 1)
    assert read_skill(project) == edited_text
    assert "edited meanwhile" in result.out


def test_second_round_pauses_again(tune, project, work_dirs, monkeypatch):
    from tests.fakes import install_catalogue, make_pattern, make_strategy, replace_word

    install_catalogue(
        monkeypatch,
        [
            make_pattern("AGT-001", "FIXABLE", "one", impact=("easy",)),
            make_pattern("AGT-002", "Fixable", "two", impact=("easy",)),
            make_pattern("CTX-001", "NOFIX"),
        ],
        [
            make_strategy("one", replace_word("FIXABLE", "Fixable")),
            make_strategy("two", replace_word("Fixable", "fixable")),
        ],
    )
    write_skill(project / "plover", "A tall FIXABLE." + LINES_WITHOUT_FIX)
    assert tune("run", "plover").code == 3
    run = work_dirs()[-1].name
    second_result = tune("apply", run, "--all")
    assert second_result.code == 3
    assert "More fixes are proposed." in second_result.out
    assert "FIX-002" in second_result.out
    assert tune("apply", run, "--all").code == 1, "the findings without a fix must still fail the gate"
    assert "A tall fixable." in read_skill(project)


@pytest.mark.parametrize("arguments", [[], ["--all", "--none"], ["FIX-001", "--all"]])
def test_apply_needs_exactly_one_choice(tune, project, paused_run, arguments):
    result = tune("apply", paused_run, *arguments)
    assert result.code == 2
    assert "--help" in result.err
    assert "FIXABLE" in read_skill(project)


@pytest.mark.parametrize("fix", ["FIX-009", "fix-009", "x", "../../etc/passwd"])
def test_apply_unknown_fix_lists_the_proposed(tune, project, paused_run, fix):
    result = tune("apply", paused_run, "FIX-001", fix)
    assert result.code == 2
    assert "proposed: FIX-001, FIX-002" in result.err
    assert "FIXABLE" in read_skill(project)


def test_apply_and_answer_need_a_waiting_run(tune, paused_run):
    assert "is not waiting for an answer" in tune("answer", paused_run, "DIM-001=memory_loss").err
    tune("apply", paused_run, "--none")
    for arguments in (["apply", paused_run, "--all"], ["answer", paused_run, "DIM-001=memory_loss"]):
        result = tune(*arguments)
        assert result.code == 2
        assert "is not waiting for a" in result.err


def test_ended_run_applies_a_proposed_fix_by_its_id(tune, project, paused_run):
    tune("apply", paused_run, "--none")
    result = tune("apply", paused_run, "FIX-001")
    assert result.code in (0, 1), result.err
    assert "FIX-001" in result.out
    assert ("FIXABLE" in read_skill(project), "RISKY" in read_skill(project)) in ((False, True), (True, False)), (
        "not exactly one of the two fixes was applied"
    )


def test_resume_without_a_choice_pauses_again(tune, paused_run):
    for _ in range(2):
        assert tune("resume", paused_run).code == 3


def test_resume_of_a_completed_run_prints_its_result(tune, project):
    write_skill(project / "plover", "A FIXABLE." + LINES_WITHOUT_FIX)
    first = tune("run", "plover", "--apply", "none", "--quiet")
    result_of_resume = tune("resume")
    assert (result_of_resume.code, result_of_resume.out) == (first.code, first.out) == (1, first.out)
    assert re.match(
        r"run \S+ \(the newest\)\nrun \S+ is finished \(.+ UTC\): nothing changed, score .*\n.*tune-skill run plover\n",
        result_of_resume.err,
    )


def test_resume_keeps_the_format(tune, project):
    tune("run", "plover", "--format", "json")
    assert tune("resume").as_run["pause"] == "fix_selection"


@pytest.fixture
def run_with_open_question(project):
    """Return the id of a run that waits for a clarification, because the user chose to answer later."""
    work = project / ".workflow" / "skill-tuning" / "20260301-093000-plover"
    start_run(
        project / "plover",
        work,
        Listener(can_ask=True),
        apply="none",
        user_issue_description="make it nicer. do it well",
    )
    return work.name


def test_status_shows_questions_and_answer_continues(tune, run_with_open_question):
    output = tune("status").out
    assert f"tune-skill answer {run_with_open_question} DIM-001=" in output
    assert "memory_loss | context_explosion" in output
    result = tune("answer", run_with_open_question, "DIM-001=agent_failure")
    assert result.code == 0
    assert tune("status", "--format", "json").as_run["ambiguities"][0]["answer"] == "agent_failure"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("DIM-001", "write DIM-001=CATEGORY"),
        ("DIM-001=moon", "write DIM-001=CATEGORY"),
        ("DIM-009=memory_loss", "did not ask that; it asked DIM-001"),
    ],
)
def test_answer_refuses_unknown_questions(tune, run_with_open_question, answer, message):
    result = tune("answer", run_with_open_question, answer)
    assert result.code == 2
    assert message in result.err
    assert tune("status", "--format", "json").as_run["pause"] == "clarification"


def test_resume_yes_uses_the_likeliest_reading(tune, run_with_open_question):
    assert tune("resume", "--yes").code == 0
    ambiguity = tune("status", "--format", "json").as_run["ambiguities"][0]
    assert (ambiguity["answer"], ambiguity["answered_by"]) == ("custom", "default")


def test_resume_continues_an_interrupted_run(tune, project, paused_run, monkeypatch, work_dirs):
    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "close", lambda self: (_ for _ in ()).throw(KeyboardInterrupt()))
        result = tune("apply", paused_run, "--all")
    assert result.code == 130
    message = f"tune-skill: interrupted; nothing is lost: `tune-skill resume {paused_run}` continues the run"
    assert result.err.splitlines()[-1] == message
    assert tune("resume").code == 0
    assert read_skill(project) == SKILL_HEADER + "A tall fixable.\n\nA grey risky.\n"
    assert tune("rollback", "--all").code == 0
    assert read_skill(project) == SKILL_HEADER + "A tall FIXABLE.\n\nA grey RISKY.\n"


def test_resume_recovers_and_reports_a_damaged_state(tune, project, paused_run, work_dirs):
    (work,) = work_dirs()
    (work / "state.json").write_bytes(b'{"half":')
    result = tune("apply", paused_run, "--all")
    assert result.code == 0
    assert "is damaged" in result.err
    assert "set aside as state.json.damaged-" in result.err
    assert "is damaged" in (work / "report.md").read_text()


def test_both_state_generations_damaged_says_what_to_do(tune, paused_run, work_dirs, project):
    (work,) = work_dirs()
    for name in ("state.json", "state.json.last-good"):
        (work / name).write_bytes(b"{")
    before = read_skill(project)
    result = tune("resume", paused_run)
    assert result.code == 2
    (line,) = result.err.strip().splitlines()
    assert "put a good copy back" in line
    assert read_skill(project) == before


def test_state_of_another_version_is_refused(tune, paused_run, work_dirs):
    (work,) = work_dirs()
    newer = (work / "state.json").read_bytes().replace(b'"schema_version":2', b'"schema_version":3')
    (work / "state.json").write_bytes(newer)
    for command in (["resume"], ["status"], ["report"], ["rollback", "--all"], ["apply", paused_run, "--all"]):
        result = tune(*command)
        assert result.code == 2
        assert "schema version 3" in result.err
    assert (work / "state.json").read_bytes() == newer


def test_resume_reports_a_moved_skill(tune, project, paused_run):
    (project / "plover").rename(project / "elsewhere")
    result = tune("apply", paused_run, "--all")
    assert result.code == 2
    assert "has no SKILL.md" in result.err


def test_resume_names_the_run_that_holds_the_skill(tune, project, paused_run, tmp_path):
    with Workspace(project / "plover", tmp_path / "w").hold("other-run"):
        result = tune("apply", paused_run, "--all")
    assert (result.code, "other-run" in result.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (("FIX2",), "FIX-002"),
        (("fix_002",), "FIX-002"),
        (("fix-2", "FIX-001"), "FIX-001, FIX-002"),
        (("2",), "FIX-002"),
        (("FIX-001,FIX-002",), "FIX-001, FIX-002"),
        (("RUN", "1,", "fix 2"), "FIX-001, FIX-002"),
    ],
)
def test_fix_ids_are_accepted_in_many_forms(tune, paused_run, arguments, ids):
    arguments_with_run = [paused_run if argument == "RUN" else argument for argument in arguments]
    assert tune("apply", *arguments_with_run).code in (0, 1)
    assert tune("rollback", *arguments_with_run).out.splitlines()[-1] == f"rolled back: {ids}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("apply", "FIX-001", "--all"), "FIX-001 and --all are mutually exclusive"),
        (("rollback", "--all", "fix1"), "FIX-001 and --all are mutually exclusive"),
        (("rollback",), "name fixes, such as FIX-001, or pass --all"),
        (("apply", "fx2"), "fx2 is read as the run; name fixes, such as FIX-001, or pass --all or --none"),
    ],
)
def test_missing_or_double_choice_is_explained(tune, paused_run, arguments, message):
    result = tune(*arguments)
    assert (result.code, message in result.err) == (2, True), result.err


# selecting the run


def test_run_argument_is_work_dir_id_or_prefix(tune, project, paused_run, work_dirs):
    (work,) = work_dirs()
    for name in (str(work), f".workflow/skill-tuning/{work.name}", work.name, work.name[:-3], work.name[:8]):
        assert tune("status", name, "--format", "json").as_run["run_id"] == paused_run
    assert tune("status", "--format", "json").as_run["run_id"] == paused_run


def test_ambiguous_or_unknown_run_prints_one_line(tune, project, paused_run, work_dirs):
    start_run(project / "plover", project / ".workflow" / "skill-tuning" / (paused_run + "-2"), apply="none")
    assert tune("status", paused_run, "--format", "json").as_run["run_id"] == paused_run, (
        "a complete id must match only its own run"
    )
    result_of_two_matches = tune("status", paused_run[:10])
    assert result_of_two_matches.code == 2
    assert "2 run ids begin with this" in result_of_two_matches.err
    wrong_id = paused_run.replace("-plover", "-plove")[1:]
    for command in (["status"], ["rollback", "--all"], ["resume"], ["events", "show"], ["events", "query", "--run"]):
        result = tune(*command, wrong_id)
        assert (result.code, f"; did you mean {paused_run}" in result.err) == (2, True), result.err
    assert f"; did you mean {paused_run}-2?" in tune("report", "plover").err, "the name of a skill must suggest its run"
    assert "the newest is" in tune("report", "nope").err
    assert tune("events", "query", "--run", f"{paused_run}-").out.count("run_created") == 1, (
        "the beginning of a run id was not accepted"
    )
    for name in ("nowhere", "x" * 5000, "../../..", "/", "\x1b[31m"):
        result = tune("status", name)
        assert result.code == 2
        (line,) = result.err.strip().splitlines()
        assert line.isprintable()


def test_newest_run_is_the_last_started(tune, project, paused_run):
    newer = project / ".workflow" / "skill-tuning" / "00000000-first-by-name"
    start_run(project / "plover", newer, apply="none")
    tune("apply", paused_run, "--none")
    for command in ("status", "resume", "report"):
        assert newer.name in tune(command).out


def test_resume_without_any_run_says_how_to_start_one(tune):
    result = tune("resume")
    assert (result.code, "start one with" in result.err) == (2, True)


def test_run_is_found_by_its_previous_state(tune, paused_run, work_dirs):
    (work,) = work_dirs()
    (work / "state.json").unlink()
    result = tune("status", str(work))
    assert result.code == 0
    assert "is missing" in result.err
    assert StateStore(work).load().run_id == paused_run


def test_run_is_found_from_a_folder_inside_the_project(tune, project, paused_run, monkeypatch):
    (project / "docs" / "deep").mkdir(parents=True)
    monkeypatch.chdir(project / "docs" / "deep")
    assert tune("status", "--format", "json").as_run["run_id"] == paused_run


def test_resume_give_up_continues_without_the_model(tune, project, work_dirs):
    write_skill(project / "plover", "A tall FIXABLE.\n")
    started_run = tune(
        "run", "plover", "--judge", "mcp", "--apply", "all", "--issue", "nicer", "--yes", "--format", "json"
    )
    assert (started_run.code, started_run.as_run["pause"]) == (3, "questions")
    run = work_dirs()[-1].name
    assert "1 question waits for a model. Let" in tune("status").out
    assert f"tune-skill resume {run} --give-up" in tune("status").out
    assert tune("resume", run).code == 3, "the run must still wait for answers"
    assert tune("resume", run, "--give-up").code in (0, 1), "the next questions stopped the run again"
    assert "fixable" in read_skill(project)
    assert "did not answer" in tune("report", run).out
