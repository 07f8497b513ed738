"""The user's home, and the folders below it that are ours by the XDG base directory specification."""

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
