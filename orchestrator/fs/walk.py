"""Walk through the folders below a folder, to a limited depth."""

import os
from collections.abc import Iterator
from pathlib import Path

MAX_LEVELS = 100
"""Levels of folders that are searched; `os.walk` fails in Python 3.11 beyond about 950."""


def walk_folders(top: Path | str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each folder with the names of its folders and files, as `os.walk` does; the lists may be changed."""
    above = str(top).rstrip("/").count("/")
    for parent, folders, names in os.walk(top):
        if parent.count("/") - above >= MAX_LEVELS:
            folders.clear()
        yield parent, folders, names
