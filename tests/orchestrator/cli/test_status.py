"""Test `status` and `report`: they show the state of a run and write only the requested file."""

import hashlib
import json
import os
import re
from pathlib import Path

import click
import jsonschema
import pytest
from msgspec.structs import replace

from orchestrator.cli.output.issue_lines import count_left_out
from orchestrator.cli.output.run_result import format_run_result
from orchestrator.run.run import Run
from orchestrator.run.store import StateStore
from orchestrator.run.workspace.workspace import Workspace
from schemas.records import ErrorEntry
from schemas.vocabulary import FixStatus, IssueStatus, Phase, Severity
from tests.fakes import Listener, write_skill

SARIF = json.loads((Path(__file__).parents[2] / "data" / "sarif" / "sarif-2.1.0-rtm.5.json").read_text())


def parse_sarif(text):
    log = json.loads(text)
    jsonschema.Draft4Validator(SARIF).validate(log)
    return log


@pytest.fixture
def work_dir_of_run(tune, work_dirs):
    assert tune("run", "plover", "--apply", "all").code == 0
    return work_dirs()[-1]


def snapshot(folder: Path):
    return {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*") if p.is_file()}


def test_status_shows_findings_and_fixes(tune, work_dir_of_run):
    result = tune("status")
    assert result.code == 0
    assert "FIX-001" in result.out
    assert "applied, verified" in result.out
    assert f"report:   {work_dir_of_run / 'report.md'}" in result.out


@pytest.mark.parametrize("target", ["nowhere", "state.json"])
def test_dangling_work_dir_is_not_a_run(tune, work_dir_of_run, work_dirs, target):
    linked_work_dir = work_dirs()[-1].with_name("zzz")
    linked_work_dir.mkdir()
    (linked_work_dir / "state.json").symlink_to(target)
    assert tune("status").code == 0
    assert tune("status", "zzz").code == 2


def test_status_of_a_stopped_run_shows_how_to_continue(tune, project, work_dirs):
    class InterruptingListener(Listener):
        def step(self, state, action, note):
            if action == "action-verify":
                raise KeyboardInterrupt

    work = project / ".workflow" / "skill-tuning" / "r1"
    from tests.fakes import start_run

    with pytest.raises(KeyboardInterrupt):
        start_run(project / "plover", work, InterruptingListener(), apply="all")
    result = tune("status")
    assert result.code == 0
    assert "To continue: tune-skill resume r1" in result.out


def test_status_of_a_failed_run_shows_error_and_next_step(tune, work_dir_of_run):
    store = StateStore(work_dir_of_run)
    store.load()
    error = ErrorEntry("action-verify", "RuntimeError: the tide was out", "2026-03-01T09:30:00.000Z", recoverable=True)
    store.save(replace(store.state, phase=Phase.FAILED, errors=(error, error), error_count=2))
    lines = tune("status").out.splitlines()
    assert lines.count("error:    verify: RuntimeError: the tide was out") == 1
    assert lines[lines.index("The run failed. Fix the error, then start a new run:") + 1].startswith(
        "  tune-skill run /"
    )


def test_status_reports_a_run_in_progress(tune, work_dir_of_run, project):
    with Workspace(project / "plover", work_dir_of_run).hold("r"):
        assert "is changing this skill right now" in tune("status").err


def test_reading_commands_change_nothing(tune, work_dir_of_run, project):
    before = snapshot(project)
    for command in (["status"], ["status", "--format", "json"], ["report"], ["report", "--format", "json"]):
        assert tune(*command).code == 0
    assert snapshot(project) == before


def test_report_prints_the_report_or_writes_it(tune, work_dir_of_run, project):
    assert tune("report").out == (work_dir_of_run / "report.md").read_text()
    assert tune("report", "-o", "mine.md").out == ""
    assert (project / "mine.md").read_text() == (work_dir_of_run / "report.md").read_text()
    assert tune("report", "--format", "json").as_run["report"] == str(work_dir_of_run / "report.md")


@pytest.mark.parametrize(
    ("format_", "beginning"), [("html", "<!doctype html>"), ("markdown", "# plover"), ("json", "{"), ("sarif", "{")]
)
def test_report_formats_on_stdout_or_in_a_file(tune, work_dir_of_run, project, format_, beginning):
    result = tune("report", "--format", format_)
    assert result.code == 0
    assert result.out.startswith(beginning)
    assert tune("report", "--format", format_, "-o", "mine").out == ""
    assert (project / "mine").read_text() == result.out


def test_report_sarif_omits_fixed_issues(tune, work_dir_of_run, project):
    (run,) = parse_sarif(tune("report", "--format", "sarif").out)["runs"]
    assert run["results"] == []
    assert tune("rollback", "--all").code in (0, 1)
    (run,) = parse_sarif(tune("report", "--format", "sarif").out)["runs"]
    (result,) = run["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert (result["ruleId"], artifact["uri"]) == ("AGT-001", "plover/SKILL.md")


def test_html_report_shows_the_run(tune, work_dir_of_run):
    page = tune("report", "--format", "html").out
    assert "1 fix applied and verified." in page
    assert "-Count each FIXABLE on the shore.\n" in page
    assert "apply-fix to verify" in page, "the phase changes of the run are missing"


def test_unwritable_report_prints_one_line(tune, work_dir_of_run):
    result = tune("report", work_dir_of_run.name, "-o", "no/such/folder/report.md")
    assert result.code == 2
    assert len(result.err.strip().splitlines()) == 1


def test_commands_without_run_name_the_chosen_one(tune, project, work_dirs):
    write_skill(project / "dunlin")
    assert tune("run", "plover", "--apply", "all").code == 0
    assert tune("run", "dunlin").code == 3
    (work_dir,) = [path for path in work_dirs() if path.name.endswith("dunlin")]  # both may start in one second
    name = f"run {work_dir.name} (the newest)"
    for command in (["report"], ["resume"], ["apply", "FIX-001"], ["rollback", "FIX-001"], ["report", "-o", "new.md"]):
        assert tune(*command).err.splitlines()[0] == name, command
    assert tune("status").out.startswith(name.removesuffix("(the newest)"))
    for command in (["status", "--format", "json"], ["report", "--format", "json"], ["resume", "--quiet"], ["status"]):
        assert "(the newest)" not in tune(*command).err
    assert tune("report", work_dirs()[0].name).err == ""


def test_report_of_an_unfinished_run_is_refused(tune, work_dirs):
    tune("run", "plover")
    result = tune("report")
    assert result.code == 2
    assert "has no report yet" in result.err


def test_report_is_rendered_from_the_state(tune, work_dir_of_run):
    (work_dir_of_run / "report.md").unlink()
    assert tune("report").out.startswith("# plover")


def test_status_reports_a_killed_run_without_repair(tune, project, work_dirs, monkeypatch):
    """A command that only reads prints a warning; the next command that writes repairs the run."""
    before = (project / "plover" / "SKILL.md").read_text()
    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "_recover", lambda self, verified: [])
        patch.setattr(Run, "_save_outcome", _stop_after_apply)
        assert tune("run", "plover", "--apply", "all").code == 130
    fixed_text = (project / "plover" / "SKILL.md").read_text()
    assert fixed_text != before
    assert "was stopped while it changed this skill" in tune("status").err
    assert (project / "plover" / "SKILL.md").read_text() == fixed_text
    result = tune("resume")
    assert result.code == 0
    assert "the fix was rolled back" in result.err


_save_outcome = Run._save_outcome


def _stop_after_apply(run, outcome, row, action, began):
    if action.name == "action-apply-fix":
        raise KeyboardInterrupt
    _save_outcome(run, outcome, row, action, began)


def test_report_follows_a_link_outside_a_project(tune, work_dir_of_run, tmp_path):
    (tmp_path / "real.md").write_text("old")
    (tmp_path / "link.md").symlink_to("real.md")
    assert tune("report", "-o", str(tmp_path / "link.md")).code == 0
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").read_text() == (work_dir_of_run / "report.md").read_text()


@pytest.mark.parametrize("output", ["link.md", "folder/report.md"])
def test_report_refuses_a_link_in_a_project(tune, work_dir_of_run, project, tmp_path, output):
    (tmp_path / "real.md").write_text("old")
    (project / "link.md").symlink_to(tmp_path / "real.md")
    (project / "folder").symlink_to(tmp_path)
    result = tune("report", "-o", output)
    assert (result.code, "is a link" in result.err) == (2, True)
    assert (tmp_path / "real.md").read_text() == "old"
    assert not (tmp_path / "report.md").exists()


@pytest.mark.parametrize("output", ["old.md", ".profile", "profile", "new.html", ".new.md"])
def test_report_of_a_model_replaces_no_file_and_starts_nothing(tune, work_dir_of_run, project, monkeypatch, output):
    (project / "old.md").write_text("mine")
    monkeypatch.setenv("CLAUDECODE", "1")
    result = tune("report", "-o", output)
    assert (result.code, "run by Claude Code" in result.err) == (2, True)
    assert (project / "old.md").read_text() == "mine"
    assert tune("report", "-o", "new.md").code == 0
    assert (project / "new.md").read_bytes() == (work_dir_of_run / "report.md").read_bytes()


@pytest.mark.parametrize(
    ("output", "format_"),
    [
        ("CLAUDE.md", "markdown"), ("claude.local.md", "markdown"), ("AGENTS.md", "markdown"), ("SKILL.md", "markdown"),
        (".claude/commands/deploy.md", "markdown"), ("link/deploy.md", "markdown"), ("commands/git/x.md", "markdown"),
        ("plover/../.claude/new.md", "markdown"), (".claude/settings.json", "json"), ("settings.json", "json"),
    ],
)  # fmt: skip
def test_model_cannot_write_a_report_to_a_file_that_agents_read(
    tune, work_dir_of_run, project, monkeypatch, output, format_
):
    for folder in (".claude/commands", "commands/git"):
        (project / folder).mkdir(parents=True, exist_ok=True)
    (project / "link").symlink_to(".claude/commands")
    monkeypatch.setenv("CLAUDECODE", "1")
    result = tune("report", work_dir_of_run.name, "--format", format_, "-o", output)
    assert (result.code, "agents" in result.err, len(result.err.strip().splitlines())) == (2, True, 1)
    assert not (project / output).exists()


def test_report_refuses_a_pipe_without_reader(tune, work_dir_of_run, project):
    os.mkfifo(project / "pipe")
    result = tune("report", "-o", "pipe")
    assert (result.code, "cannot write pipe" in result.err) == (2, True)


def test_report_writes_into_a_pipe(tune, work_dir_of_run, project):
    os.mkfifo(project / "pipe")
    reader = os.open(project / "pipe", os.O_RDWR | os.O_NONBLOCK)
    assert tune("report", "-o", "pipe").code == 0
    assert os.read(reader, 1_000_000) == (work_dir_of_run / "report.md").read_bytes()
    os.close(reader)
    assert (project / "pipe").is_fifo()


def test_report_into_a_folder_prints_one_line(tune, work_dir_of_run, project):
    result = tune("report", work_dir_of_run.name, "-o", "plover")
    assert (result.code, len(result.err.strip().splitlines())) == (2, 1)


def test_reading_commands_report_a_damaged_state(tune, work_dir_of_run, project):
    (work_dir_of_run / "state.json").write_bytes(b"{")
    before = snapshot(project)
    result = tune("status")
    assert (result.code, "state.json is damaged" in result.err) == (0, True)
    assert snapshot(project) == before


def test_status_shows_diffs_only_for_a_choice(tune, work_dirs):
    tune("run", "plover", "--apply", "ask")
    status_of_paused_run = tune("status").out
    assert status_of_paused_run.startswith("run ") and "waits for your choice of fixes" in status_of_paused_run
    assert "\n+++ b/" in status_of_paused_run
    tune("apply", work_dirs()[0].name, "--none")
    status_of_ended_run = tune("status").out
    first_line = (
        r"run \d{8}-\d{6}-plover is finished \(\d{4}-\d\d-\d\d \d\d:\d\d UTC\): nothing changed, score \d+, gate pass"
    )
    assert re.match(rf"{first_line}\.\nTo start a new run: tune-skill run plover\n\n", status_of_ended_run)
    assert "+++ b/" not in status_of_ended_run
    assert ": not applied)" in status_of_ended_run


def test_status_before_the_diagnosis_has_no_score(tune):
    output_of_question = tune("run", "plover", "--issue", "make it nicer", "--pause").out
    assert "Waiting for your answer" in output_of_question
    assert "score" not in output_of_question and "gate" not in output_of_question


HOSTILE_TEXT = "\x1b[2Jall is well\x1b]8;;http://example.org\x07\u202e"


@pytest.mark.parametrize("format_", ["markdown", "html", "json", "sarif"])
def test_report_ignores_a_forged_report_file(tune, work_dir_of_run, format_):
    state = json.loads((work_dir_of_run / "state.json").read_bytes())
    state |= {
        "final_report": f"# PREPARED {HOSTILE_TEXT}",
        "notes": [HOSTILE_TEXT],
        "user_issue_description": HOSTILE_TEXT,
    }
    state["target_skill"]["name"] = HOSTILE_TEXT
    for issue in state["issues"]:
        issue |= {
            "description": HOSTILE_TEXT,
            "evidence": [HOSTILE_TEXT],
            "root_cause": HOSTILE_TEXT,
            "impact": HOSTILE_TEXT,
        }
        issue["location"]["file"] = f"{HOSTILE_TEXT}\ud800"
    (work_dir_of_run / "state.json").write_text(json.dumps(state))
    report = tune("report", "--format", format_)
    assert report.code == 0
    assert "PREPARED" not in report.out
    assert [c for c in report.out if c != "\n" and not c.isprintable()] == []


def test_report_shows_the_text_of_the_run(tune, work_dir_of_run):
    assert tune("report").out == (work_dir_of_run / "report.md").read_text()


def format_without_terminal(state):
    return [click.unstyle(line) for line in format_run_result(state)]


def test_result_with_hundreds_of_findings_is_limited(work_dir_of_run):
    state = StateStore(work_dir_of_run).load()
    open_issue = replace(state.issues[0], status=IssueStatus.OPEN)
    open_issues = [replace(open_issue, id=f"ISS-{n:03d}") for n in range(1, 301)]
    issues_of_patterns = [replace(issue, pattern=f"CTX-{n % 2}") for n, issue in enumerate(open_issues[:3])]
    assert list(count_left_out(issues_of_patterns, "X")) == [
        "… and 3 more (2 CTX-0, 1 CTX-1), none of higher severity: X"
    ]
    issues_of_patterns = [replace(issue, pattern=f"CTX-{n}") for n, issue in enumerate(open_issues)]
    assert list(count_left_out(issues_of_patterns, "X")) == [
        "… and 300 more of 300 patterns, none of higher severity: X"
    ]
    worst_issue = replace(open_issue, id="ISS-999", severity=Severity.CRITICAL)
    (change, *_), ids = state.proposed_fixes[0].changes, tuple(issue.id for issue in open_issues)
    long_change = replace(change, diff="".join(f"-{'a line of the skill that goes ' * 2}{n}\n" for n in range(300)))
    wide_fix = replace(
        state.proposed_fixes[0], issue_ids=ids, description="Take it out. " * 300, changes=(long_change,)
    )
    report = replace(state, issues=(*open_issues, worst_issue), proposed_fixes=(wide_fix,) * 40)
    lines = format_without_terminal(report)
    lines_with_issue = [line for line in lines if "ISS-" in line and "SKILL.md:" in line]
    assert (len(lines_with_issue) >= 15, "critical" in lines[0]) == (True, True), "the worst issue is not first"
    command = f"tune-skill status {work_dir_of_run.name} --format json"
    assert f"… and {301 - len(lines_with_issue)} more AGT-001, none of higher severity: {command}" in lines
    assert "ISS-006 and 294 more" in "\n".join(lines)
    assert f"… 280 more lines of this diff: {command}" in lines
    fixes = sum(line.startswith("FIX-001") for line in lines)
    assert f"… and {40 - fixes} more fixes: {command}" in lines
    shown_diffs = sum(line.startswith("-a line of") for line in lines) // 20
    assert lines.count(f"  diff: {command}") == fixes - shown_diffs > 0, "a fix does not say that its diff is left out"
    assert len("\n".join(lines).encode()) < 8_600, "with the commands to continue, the output must stay below 10 KB"


def test_choice_shows_each_diff_to_a_program(tune, project, work_dir_of_run):
    state = StateStore(work_dir_of_run).load()
    (fix,) = state.proposed_fixes
    description = (
        "The command runs a script with an option that its parser does not have; it has one of nearly that name."
    )
    diff = "--- a/SKILL.md\n+++ b/SKILL.md\n" + "".join(
        f" a line of about eighty letters as they stand in skills: {n:20}\n" for n in range(6)
    )
    fixes = tuple(
        replace(
            fix, id=f"FIX-{n:03d}", description=description, changes=(replace(fix.changes[0], diff=f"{diff}+{n}\n"),)
        )
        for n in range(1, 7)
    )
    issues = tuple(replace(state.issues[0], status=IssueStatus.OPEN, description=description) for _ in range(10))
    lines = format_without_terminal(replace(state, issues=issues, proposed_fixes=fixes))
    assert [n for n in range(1, 7) if f"+{n}" not in lines] == []
    rolled_back_fix = replace(fix, status=FixStatus.ROLLED_BACK)
    assert not any(
        line.startswith("@@") for line in format_without_terminal(replace(state, proposed_fixes=(rolled_back_fix,)))
    )
    assert "diff" in tune("status", work_dir_of_run.name, "--format", "json").as_run["fixes"][0]["changes"][0]
