"""Provide a catalogue of test patterns, a skill with faults, and a work dir."""

import pytest

from tests.fakes import install_word_catalogue, write_skill


@pytest.fixture(autouse=True)
def catalogue(monkeypatch, tmp_path):
    install_word_catalogue(monkeypatch)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def skill(tmp_path):
    return write_skill(tmp_path / "plover")


@pytest.fixture
def work(tmp_path):
    return tmp_path / "work"
