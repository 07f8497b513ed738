"""Walk a folder tree to a limited depth."""

import os
from collections.abc import Iterator
from pathlib import Path

MAX_LEVELS = 100
"""Maximum depth. In Python 3.11, `os.walk` fails beyond about 950 levels."""


def walk_folders(top: Path | str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each folder with the names of its folders and files, like `os.walk`.

    As with `os.walk`, callers can remove the names of folders to skip.
    """
    depth = str(top).rstrip("/").count("/")
    for parent, folders, names in os.walk(top):
        if parent.count("/") - depth >= MAX_LEVELS:
            folders.clear()
        yield parent, folders, names
