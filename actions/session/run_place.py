"""Determine which part of a project a test command covers, from the folders and packages that it names."""

from collections.abc import Iterator
from itertools import pairwise

from actions.session.shell import Command

_MANAGERS = frozenset("bun cargo npm nx pnpm turbo yarn".split())
_SELECT_OPTIONS = frozenset("--filter -F --workspace -w --package -p --project --prefix -C".split())


def may_cover(command: Command, path: str, root: str) -> bool:
    """Return whether the tests of a command may cover a file (an absolute path) of the project at `root`."""
    folders = [folder for folder in _list_folders(command) if folder not in ("", root)]
    names = set(_list_packages(command))
    in_folder = not folders or path.startswith(f"{folders[-1]}/")
    return in_folder and (not names or not names.isdisjoint(path.split("/")))


def _list_folders(command: Command) -> Iterator[str]:
    for part in command.parts:
        folder = "".join(part[1:2]).strip("'\"").rstrip("/")
        if part[0] == "cd" and folder.startswith("/"):
            yield folder


def _list_packages(command: Command) -> Iterator[str]:
    for part in command.parts:
        for option, value in pairwise(part) if part[0] in _MANAGERS else ():
            if option in _SELECT_OPTIONS:
                yield value.strip("'\"").rstrip("/").rpartition("/")[2]
