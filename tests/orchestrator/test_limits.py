"""Test reading limits from the environment."""

from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.guard.compaction.validator import CompactionContext
from orchestrator.guard.steering.checker import PowerSteeringChecker
from orchestrator.limits import MAX_CONSECUTIVE_BLOCKS
from orchestrator.model.sdk import Limits, get_session_limits
from tests.orchestrator.guard.steering.test_checker import SESSION_WITH_OPEN_TODO


def test_limits_have_the_documented_defaults():
    assert get_session_limits() == Limits(25, 60)
    assert MAX_CONSECUTIVE_BLOCKS.value == 5


def test_environment_limits_the_judge_of_sessions(monkeypatch):
    monkeypatch.setenv("PSC_CHECKER_TIMEOUT", "7.5")
    monkeypatch.setenv("PSC_PARALLEL_TIMEOUT", "30")
    assert get_session_limits() == Limits(7.5, 30)


def test_environment_limits_the_blocks(monkeypatch, tmp_path):
    monkeypatch.setenv("PSC_MAX_CONSECUTIVE_BLOCKS", "1")
    checker = PowerSteeringChecker(tmp_path)
    assert [checker.check(SESSION_WITH_OPEN_TODO, "s1").decision for _ in range(2)] == ["block", "approve"]


def test_environment_limits_the_age_of_a_compaction(monkeypatch):
    monkeypatch.setenv("PSC_STALE_HOURS", "1")
    assert CompactionContext(timestamp=(datetime.now(UTC) - timedelta(hours=2)).isoformat()).is_stale


@pytest.mark.parametrize("value", ["0", "-1", "9", "nan", "inf", "many", "5x"])
def test_invalid_limit_is_ignored_and_logged(monkeypatch, caplog, value):
    monkeypatch.setenv("PSC_MAX_CONSECUTIVE_BLOCKS", value)
    assert MAX_CONSECUTIVE_BLOCKS.value == 5
    assert "PSC_MAX_CONSECUTIVE_BLOCKS" in caplog.text
