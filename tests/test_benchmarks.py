"""Test that each benchmark can be imported, because they are run only by hand."""

from importlib import import_module
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[1] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_benchmarks_find_all_that_they_use(file):
    assert import_module(f"benchmarks.{file.stem}").__doc__
