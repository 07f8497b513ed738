"""The user's home, and the folders below it that are ours by the XDG base directory specification."""

import os
from collections.abc import Mapping
from pathlib import Path

from orchestrator.errors import BadInput


def home() -> Path:
    """Give the home folder. Raises BadInput for a user without one, as containers run them."""
    try:
        return Path.home()
    except RuntimeError:
        raise BadInput("this user has no home folder; set HOME to a folder of its own") from None


def claude_folder() -> Path:
    """Return Claude Code's folder of this user: CLAUDE_CONFIG_DIR or `~/.claude`. Raises BadInput as `home`."""
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or home() / ".claude")


def parse_path(text: str) -> Path:
    """Return the path that a user gave; `~` is a home where nothing is called so. Raises BadInput for an empty one."""
    if not text:
        raise BadInput("an empty path names nothing; give a folder or a file")
    path = Path(text)
    if os.path.lexists(text):
        return path
    try:
        return path.expanduser()
    except RuntimeError:
        raise BadInput(f"{text}: no user of this name has a home; give the path in full") from None


def ensure_path(text: str | None) -> None:
    """Raise ValueError for a text that can name nothing on a disk: with a NUL, or half a character."""
    if b"\0" in os.fsencode(text or ""):
        raise ValueError("a path holds a NUL")


def xdg_folder(variable: str, default: str) -> Path:
    """Give our folder in the one that `variable` names, or in `default` below the home. Raises BadInput as `home`."""
    named = os.environ.get(variable, "")
    return (Path(named) if named.startswith("/") else home() / default) / "tune-skill"


def find_program(name: str, env: Mapping[str, str] | None = None) -> str | None:
    """Return the program of a name from the folders of PATH that are named whole: `.` and "" may be a hostile clone.

    A path names it itself.
    """
    import shutil  # hooks ask for no program, and they wait

    folders = [folder for folder in os.get_exec_path(env) if Path(folder).is_absolute()]
    return shutil.which(name, path=os.pathsep.join(folders))
