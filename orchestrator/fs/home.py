"""Find the user's home folder, tune-skill's folders in it (XDG specification), and programs on PATH."""

import os
from collections.abc import Mapping
from pathlib import Path

from orchestrator.errors import BadInput, NotOwned
from orchestrator.fs.ownership import close_to_others, describe_stranger


def find_home() -> Path:
    """Return the home folder. Raises BadInput if the user has none, as in some containers."""
    try:
        return Path.home()
    except RuntimeError:
        raise BadInput("this user has no home folder; set HOME") from None


def claude_folder() -> Path:
    """Return Claude Code's folder for this user: CLAUDE_CONFIG_DIR or `~/.claude`.

    Raises BadInput without a home folder.
    """
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or find_home() / ".claude")


def parse_path(text: str) -> Path:
    """Return the path that a user typed, with `~` expanded unless a file has this name. Raises BadInput."""
    if not text:
        raise BadInput("empty path; give a folder or a file")
    path = Path(text)
    if os.path.lexists(text):
        return path
    try:
        return path.expanduser()
    except RuntimeError:
        raise BadInput(f"{text}: no such user; give the full path") from None


def ensure_path(text: str | None) -> None:
    """Raise ValueError for a string with a NUL or a lone surrogate, which cannot be a path."""
    if b"\0" in os.fsencode(text or ""):
        raise ValueError("a path must not contain a NUL")


def xdg_folder(variable: str, default: str) -> Path:
    """Return tune-skill's folder below the folder in an environment variable.

    If the variable is not set, `default` in the user's home is used. Raises BadInput without a home folder, and its
    subclass NotOwned if the folder belongs to another user, as it may in a shared one such as `/tmp`, or would be the
    first one in the home folder of another user. It is closed to other users.
    """
    value = os.environ.get(variable, "")
    is_set = value.startswith("/")
    folder = (Path(value) if is_set else find_home() / default) / "tune-skill"
    if problem := describe_stranger(folder):
        raise NotOwned(f"{problem}; run as that user, change its owner, or set {variable} to a folder of your own")
    if not is_set and not os.path.lexists(folder) and (problem := _describe_stranger_above(folder)):
        raise NotOwned(f"{problem}; run as that user, or set HOME or {variable} to a folder of your own")
    close_to_others(folder)
    return folder


def _describe_stranger_above(folder: Path) -> str:
    """Return which other user owns the place of a missing folder, or "".

    With `sudo -E` this is the owner of the home folder, who could not write beside what root creates there. A place of
    root is no one's home, such as `/tmp`, and root can always write.
    """
    place = next(parent for parent in folder.parents if parent.exists())
    return "" if place.stat().st_uid == 0 else describe_stranger(place)


def find_cache_folder() -> Path:
    """Return tune-skill's folder for caches. Raises BadInput: see `xdg_folder`."""
    return xdg_folder("XDG_CACHE_HOME", ".cache")


def find_state_folder() -> Path:
    """Return tune-skill's folder for notes. Raises BadInput: see `xdg_folder`."""
    return xdg_folder("XDG_STATE_HOME", ".local/state")


def find_program(name: str, env: Mapping[str, str] | None = None) -> str | None:
    """Return the path of a program on PATH. A `name` that is already a path is returned unchanged.

    Relative entries of PATH are skipped, because they could lead into a hostile clone.
    """
    import shutil  # slow to load, and hooks do not need it

    folders = [folder for folder in os.get_exec_path(env) if Path(folder).is_absolute()]
    return shutil.which(name, path=os.pathsep.join(folders))
