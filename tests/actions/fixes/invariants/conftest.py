"""Provide the skill and the patterns that the tests of proofs share."""

import pytest

from tests.actions.fixes.invariants.changes import BODY, LIST
from tests.fakes import a_case, birds


@pytest.fixture
def catalogue(monkeypatch):
    birds(monkeypatch)


@pytest.fixture
def before():
    return a_case(BODY, references__list=LIST)
