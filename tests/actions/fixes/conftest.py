"""Provide the catalogue of patterns that the tests of drafts share."""

import pytest

from schemas.vocabulary import Family
from tests.fakes import install_catalogue, make_pattern, make_strategy, replace_word


@pytest.fixture
def catalogue(monkeypatch):
    """Install three patterns; only RISKY has a strategy."""
    install_catalogue(
        monkeypatch,
        [
            make_pattern("DF-001", "NOFIX", family=Family.DATAFLOW),
            make_pattern("AGT-001", "FIXABLE", family=Family.AGENT),
            make_pattern("AGT-002", "RISKY", "correct_risky", family=Family.AGENT),
        ],
        [make_strategy("correct_risky", replace_word("RISKY", "risky"))],
    )
