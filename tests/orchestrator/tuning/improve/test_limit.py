"""Test that an improvement that its cost limit ended continues under a new one, also after Ctrl-C."""

import json

import pytest

from tests.orchestrator.tuning.improve.conftest import Model, read_state, write_tasks
from tests.orchestrator.tuning.improve.test_consent import OPTIONS, InterruptedInThirdSession


@pytest.fixture
def limited(project, play, run_improve):
    """Return the command of an improvement that its limit of 100 USD ended in the practice, and its folder."""
    play(Model(), usd=20.0)
    command = ("greeter", "--tasks", write_tasks(project), *OPTIONS)
    code, out, err = run_improve(*command)
    assert (code, read_state(out)["stage"]) == (1, "left"), err
    (folder,) = project.glob(".workflow/skill-improvements/2*")
    return command, folder


def test_second_higher_limit_continues_as_the_first(limited, play, run_improve):
    command, _ = limited
    play(Model(), usd=20.0)
    code, out, _ = run_improve(*command, "--max-cost-usd", "140")
    assert (code, read_state(out)["ceiling"]) == (1, 140)
    play(Model(), usd=0.05)
    code, out, err = run_improve(*command, "--max-cost-usd", "900")
    state = read_state(out)
    assert (code, state["stage"]) == (0, "applied"), err
    assert "left" not in {moment["stage"] for moment in state["walk"]}


@pytest.mark.parametrize("is_old", [False, True])
def test_resume_after_an_interrupt_keeps_the_new_limit(limited, play, run_improve, command, is_old):
    """An earlier version saved the new limit in the state only."""
    arguments, folder = limited
    old_plan = (folder / "plan.json").read_text()
    play(InterruptedInThirdSession(), usd=0.05)
    assert run_improve(*arguments, "--max-cost-usd", "900")[0] == 130
    if is_old:
        (folder / "plan.json").write_text(old_plan)
    play(Model(), usd=0.05)
    code, _, err = command("resume", "--quiet")
    state = json.loads((folder / "improvement.json").read_text())
    assert (code, state["stage"], state["ceiling"]) == (0, "applied", 900), err
