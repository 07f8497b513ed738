"""Test that a disk that becomes full while an improvement waits for a model loses no paid answer."""

import pytest

from orchestrator.model import agent, client
from tests.full_disk import FullDisk
from tests.orchestrator.tuning.improve.conftest import Model, read_state, write_tasks

_OPTIONS = ("--max-cost-usd", "60", "--exam-runs", "2", "--practice-runs", "2", "--format", "json", "--quiet", "--yes")


@pytest.mark.parametrize("what", ["session", "question"])
def test_disk_that_fills_during_an_improvement_loses_no_answer(project, play, run_improve, monkeypatch, what):
    player = play(Model())
    arguments = ("greeter", "--tasks", write_tasks(project), *_OPTIONS)
    with monkeypatch.context() as patch:
        disk = FullDisk(project, patch)
        fill_during(patch, player, disk, what)
        code, _, err = run_improve(*arguments)
        assert (code, disk.size is not None) == (2, True)
        assert "No space left on device" in err
    code, out, err = run_improve(*arguments)
    assert code == 0, err
    state = read_state(out)
    assert state["runs"] == len(player.sessions)
    assert state["questions"] == len(player.model.prompts)


def fill_during(patch, player, disk, what):
    """Fill the disk while the first session or question is under way."""
    play = {"session": player.run_session, "question": player.send_query}[what]

    async def fill(request, **options):
        disk.fill()
        return await play(request, **options)

    patch.setattr(*{"session": (agent, "run_session"), "question": (client, "send_query")}[what], fill)
