"""Test the choice of fixes at a terminal: each answer is saved at once, and no question is repeated."""

import io
import re

import pytest
from click import unstyle

from orchestrator.cli.output.console import Console
from orchestrator.cli.output.registry import print_result
from orchestrator.cli.output.results import RunResult
from orchestrator.run.run import Run
from schemas.vocabulary import FixStatus, Pause
from tests.fakes import SKILL_HEADER, start_run, write_skill
from tests.orchestrator.cli.conftest import Screen


@pytest.fixture
def console_with_input(monkeypatch):
    """Return a function that creates a console and makes the given text its input."""

    def make_console(text):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        console = Console(quiet=True)
        console.can_ask = True
        return console

    return make_console


@pytest.mark.parametrize("input_text", ["y\nq\n", "y\n"])
def test_choice_saves_answers_before_quit(project, console_with_input, capsys, input_text):
    write_skill(project / "plover", "A tall FIXABLE.\n\nA grey RISKY.\n")
    work = project / ".workflow" / "skill-tuning" / "r1"
    if "q" in input_text:
        start_run(project / "plover", work, console_with_input(input_text))
    else:  # The input ends with a Ctrl-C at the second question.
        with pytest.raises(KeyboardInterrupt, match="tune-skill resume r1"):
            start_run(project / "plover", work, console_with_input(input_text))
    paused_run = Run.open(work, console_with_input("")).store
    assert paused_run.state.pause is Pause.FIX_SELECTION
    capsys.readouterr()
    print_result(RunResult(paused_run, with_diffs=False), "text")
    out = capsys.readouterr().out
    assert "Your answers so far are saved: FIX-001 yes.\n" in out
    assert out.splitlines()[-4:] == [
        "No fix is applied yet. Choose:",
        "  tune-skill resume r1    asks about the others in a terminal",
        "  tune-skill apply r1 FIX-001 …",
        "  tune-skill apply r1 --all    or    --none",
    ]
    assert "SKILL.md:" not in out, "the findings are printed twice"
    # An empty line is no answer, so the question is repeated.
    resumed_run = Run.open(work, console_with_input("\nn\n"))
    with resumed_run.hold():
        state = resumed_run.drive()
    err = capsys.readouterr().err
    assert "Your answers so far: FIX-001 yes\n" in err
    assert err.count("(2/2) Apply?") == 2
    assert "(1/2) Apply?" not in err
    assert [fix.status for fix in state.proposed_fixes] == [FixStatus.APPLIED, FixStatus.PROPOSED]
    assert (project / "plover" / "SKILL.md").read_text() == SKILL_HEADER + "A tall fixable.\n\nA grey RISKY.\n"


def test_choice_shows_each_fix_after_the_chosen_ones(project, console_with_input, capsys):
    pointer = "\nRead references/more.md.\n"
    write_skill(project / "plover", f"A tall RISKY and a FIXABLE.\n{pointer}", references__more="A lone FIXABLE.\n")
    start_run(project / "plover", project / "w", console_with_input("y\ny\nn\n"))
    printed = capsys.readouterr().err
    ids = re.findall(r"ISS-\d+", printed)
    assert ids[:3] == ids[3:], "the list and the questions have different issues"
    assert "-A tall RISKY and a FIXABLE.\n+A tall RISKY and a fixable.\n" in printed
    assert "-A tall RISKY and a fixable.\n+A tall risky and a fixable.\n" in printed
    assert (project / "plover" / "SKILL.md").read_text() == SKILL_HEADER + f"A tall risky and a fixable.\n{pointer}"


def test_choice_wraps_findings_but_not_their_paths(project, console_with_input, monkeypatch, tune, run_in_terminal):
    reference = "on-the-birds-that-come-to-this-shore"
    write_skill(
        project / "plover", f"[More](references/{reference}.md)\n", **{f"references__{reference}": "A lone FIXABLE.\n"}
    )
    path = f"plover/references/{reference}.md:1:"
    assert run_in_terminal(50, "diagnose", "plover")[:2] == [path, "    high AGT-001 [*] This line says FIXABLE."]
    assert f"{path} high AGT-001 [*] This line says FIXABLE.\n" in tune("diagnose", "plover").out, "one line, if piped"
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr("sys.stderr", screen := Screen())
    start_run(project / "plover", project / "w", console_with_input("n\n"))
    lines = unstyle(screen.getvalue()).splitlines()
    assert lines[1:3] == [path, "    high AGT-001 ISS-001 This line says FIXABLE."]
    assert f"  for {path}" in lines
