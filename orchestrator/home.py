"""The user's home, and the folders below it that are ours by the XDG base directory specification."""

import hashlib
import os
from pathlib import Path

from orchestrator.errors import BadInput


def home() -> Path:
    """Give the home folder. Raises BadInput for a user without one, as containers run them."""
    try:
        return Path.home()
    except RuntimeError:
        raise BadInput("this user has no home folder; set HOME to a folder of its own") from None


def xdg_folder(variable: str, default: str) -> Path:
    """Give our folder in the one that `variable` names, or in `default` below the home. Raises BadInput as `home`."""
    named = os.environ.get(variable, "")
    return (Path(named) if named.startswith("/") else home() / default) / "tune-skill"


def note_file(kind: str, path: Path) -> Path:
    """Return where this user's state folder notes something of a real path: the folder is the kind. Raises BadInput."""
    name = hashlib.sha256(os.fsencode(path)).hexdigest()
    return xdg_folder("XDG_STATE_HOME", ".local/state") / kind / f"{name}.json"
