"""Test that `resume --max-cost-usd` sets another limit for a run, and that only the user can set it."""

import asyncio
import json
import os
import signal

import pytest

from orchestrator.model import choose_judge
from orchestrator.model.query import QueryResult
from orchestrator.model.sdk import SdkJudge
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


@pytest.fixture
def used_up(tune, project, work_dirs, monkeypatch):
    """Return the name of a run that Ctrl-C ended in its first question, which may have cost the whole limit."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "dummy")
    sent = []

    async def send(judge, query):
        query.bill.sent = True
        sent.append(query)
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(9)

    monkeypatch.setattr(SdkJudge, "_send", send)
    write_skill(project / "plover", "Count the birds.\n")
    result = tune("run", "plover", "--judge", "sdk", "--apply", "none", "--max-cost-usd", "0.3")
    (folder,) = work_dirs()
    assert (result.code, len(sent)) == (130, 1)
    assert result.err.endswith(
        f"nothing is lost: `tune-skill resume {folder.name} --max-cost-usd N` continues the run; "
        "0.30 of 0.30 USD count as paid\n"
    )
    return folder.name


@pytest.mark.parametrize("options", [(), ("--max-cost-usd", "0.31")])
def test_resume_of_a_run_without_money_stops_before_it_ends_unread(tune, used_up, options):
    for _ in range(2):
        result = tune("resume", used_up, *options)
        assert result.code == 2
        assert result.err.splitlines()[-1].startswith(f"tune-skill: 0.30 of {(options or ('', '0.30'))[1]} USD count")
        assert f"`tune-skill resume {used_up} --max-cost-usd N` raises the limit" in result.err
        state = tune("status", used_up, "--format", "json").json
        assert state["phase"] not in ("completed", "failed")


def test_status_of_a_run_without_money_names_the_limit(tune, used_up):
    lines = " ".join(tune("status", used_up).out.split())
    assert "0.30 of 0.30 USD count as paid. To continue: " in lines
    assert f"To continue: tune-skill resume {used_up} --max-cost-usd N" in lines


def test_run_without_money_continues_with_more(tune, used_up, monkeypatch):
    asked = []

    async def answer(judge, query):
        asked.append(query)
        return QueryResult(None, "no")

    monkeypatch.setattr(SdkJudge, "_send", answer)
    assert tune("resume", used_up, "--max-cost-usd", "2").code == 0
    assert asked


def test_run_without_money_ends_unread_if_the_user_gives_up(tune, used_up):
    assert tune("resume", used_up, "--give-up").code == 0
    assert tune("status", used_up, "--format", "json").json["phase"] == "completed"
