"""Provide patterns about birds."""

import pytest

from schemas.vocabulary import Family
from tests.fakes import install_catalogue, make_model_pattern, make_pattern


@pytest.fixture
def catalogue(monkeypatch):
    """Install four patterns of one dimension: FIXABLE, RISKY and WREN have checks; TERN needs a model."""
    install_catalogue(
        monkeypatch,
        [
            make_pattern("CTX-001", "FIXABLE", family=Family.CONTEXT),
            make_pattern("CTX-002", "RISKY", family=Family.CONTEXT),
            make_pattern("CTX-003", "WREN", family=Family.CONTEXT),
            make_pattern("CTX-004", "OWL", family=Family.CONTEXT, impact=("easy",)),
            make_model_pattern("CTX-005", "TERN"),
            make_pattern("SPEC-005", "LOSSY", family=Family.SPEC),
        ],
        [],
    )
