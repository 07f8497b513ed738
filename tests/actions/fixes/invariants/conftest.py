"""Provide the skill and the patterns that the tests of proofs share."""

import pytest

from tests.actions.fixes.invariants.changes import BODY, LIST
from tests.fakes import install_word_catalogue, make_case


@pytest.fixture
def catalogue(monkeypatch):
    install_word_catalogue(monkeypatch)


@pytest.fixture
def before():
    return make_case(BODY, references__list=LIST)
