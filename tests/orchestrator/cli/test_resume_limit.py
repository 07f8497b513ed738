"""Test that `resume --max-cost-usd` sets another limit for a run, and that only the user can set it."""

import json

import pytest

from orchestrator.model import choose_judge
from orchestrator.run.store import StateStore
from schemas.options import Options
from tests.fakes import write_skill


@pytest.fixture
def paid_run(tune, project, work_dirs, monkeypatch):
    """Return the work dir of a run that waits for a selection, and that has paid 1.99 of 2.00 USD."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    write_skill(project / "plover", "A tall FIXABLE.\n")
    assert tune("run", "plover").code == 3
    (folder,) = work_dirs()
    (folder / "judge").mkdir(exist_ok=True)
    paid = {"usd": 1.99, "tokens": 9, "queries": 2, "prompt_tokens": 0, "cached_tokens": 0}
    (folder / "judge" / "paid.json").write_text(json.dumps(paid))
    return folder.absolute()


def find_remaining(work_dir):
    """Return what the model can still cost in a run, in USD."""
    options = StateStore(work_dir).load().options
    access = choose_judge(Options(judge="sdk", max_cost_usd=options.max_cost_usd), print, work_dir)
    return access.judge.budget.remaining


@pytest.mark.parametrize(("limit", "remaining"), [("5", 3.01), ("1", 0.0)])
def test_resume_sets_the_limit_of_the_whole_run(tune, paid_run, limit, remaining):
    assert find_remaining(paid_run) == pytest.approx(0.01)
    assert tune("resume", paid_run.name, "--max-cost-usd", limit).code == 3
    assert find_remaining(paid_run) == pytest.approx(remaining)
    assert tune("resume", paid_run.name).code == 3
    assert find_remaining(paid_run) == pytest.approx(remaining), "a later resume forgot the limit"


@pytest.mark.parametrize("limit", ["nan", "-1", "1001"])
def test_resume_refuses_what_is_no_limit(tune, paid_run, limit):
    assert tune("resume", "--max-cost-usd", limit).code == 2
    assert find_remaining(paid_run) == pytest.approx(0.01)


def test_model_in_claude_code_sets_no_limit(tune, paid_run, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    result = tune("resume", "--max-cost-usd", "5")
    assert (result.code, "only the user can set another limit" in result.err) == (2, True)
    assert find_remaining(paid_run) == pytest.approx(0.01)
