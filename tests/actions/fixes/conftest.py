"""Provide the catalogue of patterns that the tests of drafts share."""

import pytest

from schemas.vocabulary import Family
from tests.fakes import a_pattern, a_strategy, install, replace_word


@pytest.fixture
def catalogue(monkeypatch):
    """Install three patterns; only HERON has a strategy."""
    install(
        monkeypatch,
        [
            a_pattern("DF-001", "GOOSE", family=Family.DATAFLOW),
            a_pattern("AGT-001", "CRANE", family=Family.AGENT),
            a_pattern("AGT-002", "HERON", "calm_heron", family=Family.AGENT),
        ],
        [a_strategy("calm_heron", replace_word("HERON", "heron"))],
    )
