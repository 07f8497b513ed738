"""Load tree-sitter grammars."""

from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType

from tree_sitter import Language


@cache
def load_grammar(module: str, function: str = "language") -> Language:
    """Load a grammar from a package such as `tree_sitter_json`, in which `function` returns it."""
    return Language(getattr(_load_binding(module) or import_module(module), function)())


def _load_binding(module: str) -> ModuleType | None:
    """Load only the compiled module of a grammar's package, or return None if the package has no `_binding`.

    Importing the whole package takes ten times as long, because it reads query files that are not used here.
    """
    package = PathFinder.find_spec(module)
    folders = package and package.submodule_search_locations
    spec = PathFinder.find_spec(f"{module}._binding", folders) if folders else None
    if spec is None or spec.loader is None:
        return None
    from importlib.util import module_from_spec  # imported here because it is slow, and many skills have no code

    binding = module_from_spec(spec)
    spec.loader.exec_module(binding)
    return binding
