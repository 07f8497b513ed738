"""Build the command that starts this installation of tune-skill, even if there are other installations."""

import shutil
import sys
from pathlib import Path

from orchestrator.installation import __file__ as _HERE  # noqa: N812

NAME = "tune-skill"


def build_own_command() -> list[str]:
    """Build the command, with absolute paths, that starts this installation from any folder."""
    script = _find_script()
    return [str(script)] if script else [sys.executable, str(_find_entry_point())]


def build_display_command() -> list[str]:
    """Build the command that a user types to start this installation.

    It is `tune-skill` if PATH finds this installation by that name. Otherwise it has absolute paths.
    """
    program, script = shutil.which(NAME), _find_script()
    return [NAME] if program and script and Path(program).resolve() == script.resolve() else build_own_command()


def is_own_command(words: list[str]) -> bool:
    """Return whether a command starts an installation of tune-skill, by its script or its entry point."""
    names = [Path(word).parts[-2:] for word in words]
    match names:
        case [script]:
            return script[-1:] == (NAME,)
        case [_, entry]:
            return entry[-1:] == ("tune_skill.py",) or entry == ("tune_skill", "__init__.py")
    return False


def _find_script() -> Path | None:
    """Return the script that the user called, or None if its name is not `tune-skill`."""
    script = Path(sys.argv[0])
    return script.absolute() if script.name == NAME and script.is_file() else None


def _find_entry_point() -> Path:
    """Return the file that Python runs: `tune_skill.py` in a checkout, `__init__.py` in an installed package."""
    folder = Path(_HERE).resolve().parents[2]
    checkout = folder / "tune_skill.py"
    return checkout if checkout.is_file() else folder / "__init__.py"
