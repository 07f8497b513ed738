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
def types(monkeypatch):
    """Return a console that reads this input as if it were typed."""

    def typed(keys):
        monkeypatch.setattr("sys.stdin", io.StringIO(keys))
        console = Console(quiet=True)
        console.can_ask = True
        return console

    return typed


@pytest.mark.parametrize("broken_off", ["y\nq\n", "y\n"])
def test_choice_saves_answers_before_quit(project, types, capsys, broken_off):
    write_skill(project / "plover", "A tall FIXABLE.\n\nA grey RISKY.\n")
    work = project / ".workflow" / "skill-tuning" / "r1"
    if "q" in broken_off:
        start_run(project / "plover", work, types(broken_off))
    else:  # the input ends with a Ctrl-C at the second question
        with pytest.raises(KeyboardInterrupt, match="tune-skill resume r1"):
            start_run(project / "plover", work, types(broken_off))
    waiting = Run.open(work, types("")).store
    assert waiting.state.pause is Pause.FIX_SELECTION
    capsys.readouterr()
    print_result(RunResult(waiting, with_diffs=False), "text")
    out = capsys.readouterr().out
    assert "Your answers so far are saved: FIX-001 yes.\n" in out
    assert out.splitlines()[-4:] == [
        "No fix is applied yet. Choose:",
        "  tune-skill resume r1    asks about the others in a terminal",
        "  tune-skill apply r1 FIX-001 …",
        "  tune-skill apply r1 --all    or    --none",
    ]
    assert "SKILL.md:" not in out, "the findings stand above already"
    again = Run.open(work, types("\nn\n"))  # an empty line is no answer, so the question is repeated
    with again.hold():
        state = again.drive()
    err = capsys.readouterr().err
    assert "Your answers so far: FIX-001 yes\n" in err
    assert err.count("(2/2) Apply?") == 2
    assert "(1/2) Apply?" not in err
    assert [fix.status for fix in state.proposed_fixes] == [FixStatus.APPLIED, FixStatus.PROPOSED]
    assert (project / "plover" / "SKILL.md").read_text() == SKILL_HEADER + "A tall fixable.\n\nA grey RISKY.\n"


def test_choice_shows_each_fix_after_the_chosen_ones(project, types, capsys):
    write_skill(project / "plover", "A tall RISKY and a FIXABLE.\n", references__more="A lone FIXABLE.\n")
    start_run(project / "plover", project / "w", types("y\ny\nn\n"))
    printed = capsys.readouterr().err
    ids = re.findall(r"ISS-\d+", printed)
    assert ids[:3] == ids[3:], "first as a list, then fix by fix"
    assert "-A tall RISKY and a FIXABLE.\n+A tall RISKY and a fixable.\n" in printed
    assert "-A tall RISKY and a fixable.\n+A tall risky and a fixable.\n" in printed
    assert (project / "plover" / "SKILL.md").read_text() == SKILL_HEADER + "A tall risky and a fixable.\n"


def test_choice_wraps_findings_but_not_their_paths(project, types, monkeypatch, tune, narrow):
    reference = "on-the-birds-that-come-to-this-shore"
    write_skill(
        project / "plover", f"[More](references/{reference}.md)\n", **{f"references__{reference}": "A lone FIXABLE.\n"}
    )
    path = f"plover/references/{reference}.md:1:"
    assert narrow(50, "diagnose", "plover")[:2] == [path, "    high AGT-001 [*] This line says FIXABLE."]
    assert f"{path} high AGT-001 [*] This line says FIXABLE.\n" in tune("diagnose", "plover").out, "one line, if piped"
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setattr("sys.stderr", screen := Screen())
    start_run(project / "plover", project / "w", types("n\n"))
    lines = unstyle(screen.getvalue()).splitlines()
    assert lines[1:3] == [path, "    high AGT-001 ISS-001 This line says FIXABLE."]
    assert f"  for {path}" in lines
