"""Provide a catalogue of test patterns, a skill with faults, and a work dir."""

import pytest

from tests.fakes import a_skill, birds


@pytest.fixture(autouse=True)
def catalogue(monkeypatch, tmp_path):
    birds(monkeypatch)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def skill(tmp_path):
    return a_skill(tmp_path / "plover")


@pytest.fixture
def work(tmp_path):
    return tmp_path / "work"
