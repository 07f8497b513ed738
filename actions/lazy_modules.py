"""Import the modules of a package only when they are needed, because a short command needs few of them."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TypeVar, cast

M = TypeVar("M")


class LazyModules(Mapping[str, M]):
    """The modules of a package by id, such as the id of the pattern that a module defines.

    `names` maps the ids, in the order of iteration, to the names of the modules in the package.
    """

    def __init__(self, package: str, names: Mapping[str, str]) -> None:
        self._package, self._names, self._loaded = package, names, dict[str, M]()

    def __getitem__(self, name: str) -> M:
        if name not in self._loaded:
            self._loaded[name] = cast(M, import_module(f"{self._package}.{self._names[name]}"))
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
