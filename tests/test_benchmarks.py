"""Test that each benchmark can be imported and finds the names that it uses, because they are run only by hand."""

import ast
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

FILES = sorted((Path(__file__).parents[1] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_benchmark_finds_the_names_of_its_modules(file):
    benchmark = import_module(f"benchmarks.{file.stem}")
    assert benchmark.__doc__
    attributes = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Attribute)]
    names = [(vars(benchmark).get(node.value.id), node.attr) for node in attributes if isinstance(node.value, ast.Name)]
    assert [name for module, name in names if isinstance(module, ModuleType) and not hasattr(module, name)] == []
