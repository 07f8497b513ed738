"""Test the progress display: live in a terminal, plain lines elsewhere, nothing with --quiet."""

import re

import pytest
from msgspec.structs import replace

from orchestrator.cli.output.progress import Progress, describe_progress
from orchestrator.cli.output.status_line import describe_step, format_states
from schemas.records import State
from schemas.vocabulary import FixStatus, Phase
from tests.fakes import write_skill
from tests.schemas.samples import make_fix
from tests.terminal import Terminal

COLOURS = re.compile(rb"\x1b\[[0-9;]*3[0-9][0-9;]*m")
BODY = "Count each bird.\n\n```\nwhile (!done) {\n  done = Bash('count')\n}\n```\n"


@pytest.mark.parametrize(
    ("done_count", "total", "seconds", "expected_text"),
    [
        (400, 1000, 4.0, "400 of 1,000 skills, 100 a second, about 6 s left"),
        (10, 10_000, 10.0, "10 of 10,000 skills, 60 a minute, about 2 h 47 min left"),
        (100, 2000, 30.0, "100 of 2,000 skills, 3 a second, about 10 min left"),
    ],
)
def test_progress_shows_count_rate_and_time_left(done_count, total, seconds, expected_text):
    assert describe_progress(done_count, total, "skills", seconds) == expected_text


def test_progress_rate_excludes_earlier_results():
    assert describe_progress(6000, 7000, "skills", 10.0, 5000) == "6,000 of 7,000 skills, 100 a second, about 10 s left"


def print_progress(capsys, *, quiet=False, seconds=1.0):
    """Return the lines that a progress display prints for 100 items of the given number of seconds each."""
    clock = [0.0]
    with Progress("skills", 100, quiet=quiet, stopwatch=lambda: clock[0]) as progress:
        for _ in range(100):
            clock[0] += seconds
            progress.advance()
    return capsys.readouterr().err.splitlines()


def test_progress_without_terminal_prints_every_ten_seconds(capsys):
    lines = print_progress(capsys)
    assert lines[0] == "tune-skill: 10 of 100 skills, 60 a minute, about 2 min left"
    assert len(lines) == 9


def test_progress_is_silent_for_short_or_quiet_work(capsys):
    assert print_progress(capsys, seconds=0.001) == []
    assert print_progress(capsys, quiet=True) == []


def test_step_shows_its_number_among_steps_of_its_kind():
    fixes = tuple(make_fix(n, status=FixStatus.SELECTED) for n in (1, 2, 3))
    state = State(proposed_fixes=fixes, pending_fixes=("FIX-002", "FIX-003"))
    assert describe_step(state, "action-apply-fix") == "apply FIX-002 (2 of 3)"
    assert describe_step(state, "action-diagnose-token_consumption") == "diagnose token consumption (6 of 6)"
    assert describe_step(replace(state, focus_areas=("docs",)), "action-diagnose-docs") == "diagnose docs (1 of 1)"
    assert describe_step(state, "action-begin-round") == "begin round"
    assert "[dim]running[/] [dim]>[/]" in format_states(Phase.VERIFY)
    assert "[reverse] verify [/]" in format_states(Phase.VERIFY)
    assert format_states(Phase.VERIFY, all_states=False) == "[reverse] verify [/]"


@pytest.fixture
def project_with_skill(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_skill(tmp_path / "plover", BODY)
    return tmp_path


def run_in_terminal(project_with_skill, *options, **environment):
    terminal = Terminal(
        project_with_skill,
        "run",
        "plover",
        "--apply",
        "all",
        "--no-sessions",
        "--judge",
        "none",
        *options,
        **environment,
    )
    output = terminal.read_all()
    assert terminal.wait_for_end() in (0, 1)
    return output


def test_status_line_is_live_and_restores_the_cursor(project_with_skill):
    output = run_in_terminal(project_with_skill, NO_COLOR="", COLUMNS="120")
    assert b"diagnose memory (2 of 6)" in output
    assert b"completed" in output
    assert COLOURS.search(output)
    assert output.rindex(b"\x1b[?25h") > output.rindex(b"\x1b[?25l")


def test_narrow_status_line_shows_step_and_current_state(project_with_skill):
    output = run_in_terminal(project_with_skill, NO_COLOR="1", COLUMNS="80")
    assert b"diagnose token consumption (6 of 6)" in output
    assert "…".encode() not in output


@pytest.mark.parametrize(("options", "environment"), [(("--no-color",), {"NO_COLOR": ""}), ((), {"NO_COLOR": "1"})])
def test_status_line_is_live_without_colours(project_with_skill, options, environment):
    output = run_in_terminal(project_with_skill, *options, **environment, COLUMNS="120")
    assert b"diagnose memory (2 of 6)" in output
    assert not COLOURS.search(output)


def test_quiet_run_has_no_status_line(project_with_skill):
    assert run_in_terminal(project_with_skill, "--quiet") == b""


@pytest.mark.parametrize("command", [("status",), ("diagnose", "plover"), ("hooks", "status"), ("patterns", "CTX-001")])
def test_every_command_accepts_no_color(tune, work_dirs, command):
    tune("run", "plover", "--apply", "none")
    assert "No such option" not in tune(*command, "--no-color").err
