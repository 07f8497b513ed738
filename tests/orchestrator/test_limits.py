"""Limits that the environment sets otherwise."""

from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.guard.compaction.validator import CompactionContext
from orchestrator.guard.steering.checker import PowerSteeringChecker
from orchestrator.limits import MAX_CONSECUTIVE_BLOCKS
from orchestrator.model.sdk import Limits, of_sessions
from tests.orchestrator.guard.steering.test_checker import OPEN


def test_without_a_word_of_the_environment_the_limits_are_those_that_are_documented():
    assert of_sessions() == Limits(25, 60)
    assert MAX_CONSECUTIVE_BLOCKS.value == 5


def test_the_environment_sets_what_a_judge_of_sessions_may_take(monkeypatch):
    monkeypatch.setenv("PSC_CHECKER_TIMEOUT", "7.5")
    monkeypatch.setenv("PSC_PARALLEL_TIMEOUT", "30")
    assert of_sessions() == Limits(7.5, 30)


def test_the_environment_sets_how_often_a_session_is_held(monkeypatch, tmp_path):
    monkeypatch.setenv("PSC_MAX_CONSECUTIVE_BLOCKS", "1")
    checker = PowerSteeringChecker(tmp_path)
    assert [checker.check(OPEN, "s1").decision for _ in range(2)] == ["block", "approve"]


def test_the_environment_sets_when_a_compaction_is_stale(monkeypatch):
    monkeypatch.setenv("PSC_STALE_HOURS", "1")
    assert CompactionContext(timestamp=(datetime.now(UTC) - timedelta(hours=2)).isoformat()).is_stale


@pytest.mark.parametrize("told", ["0", "-1", "9", "nan", "inf", "many", "5x"])
def test_what_is_no_number_within_bounds_changes_nothing_and_is_told(monkeypatch, caplog, told):
    monkeypatch.setenv("PSC_MAX_CONSECUTIVE_BLOCKS", told)
    assert MAX_CONSECUTIVE_BLOCKS.value == 5
    assert "PSC_MAX_CONSECUTIVE_BLOCKS" in caplog.text
