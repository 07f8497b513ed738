"""How to start this very installation of tune-skill, whatever others are on the machine."""

import shutil
import sys
from pathlib import Path

from orchestrator.installation import __file__ as _HERE  # noqa: N812

NAME = "tune-skill"


def own_command() -> list[str]:
    """Give the words that start this installation from any folder: absolute paths."""
    called = _called()
    return [str(called)] if called else [sys.executable, str(_front_door())]


def display_command() -> list[str]:
    """Give the words that start this installation for a reader: `tune-skill` alone where PATH leads to it."""
    found, called = shutil.which(NAME), _called()
    return [NAME] if found and called and Path(found).resolve() == called.resolve() else own_command()


def is_own_command(words: list[str]) -> bool:
    """Tell whether words start some installation of tune-skill, by a script of its name or by the front door."""
    names = [Path(word).parts[-2:] for word in words]
    match names:
        case [script]:
            return script[-1:] == (NAME,)
        case [_, door]:
            return door[-1:] == ("tune_skill.py",) or door == ("tune_skill", "__init__.py")
    return False


def _called() -> Path | None:
    """Give the script that the user called, when it is one of our name."""
    called = Path(sys.argv[0])
    return called.absolute() if called.name == NAME and called.is_file() else None


def _front_door() -> Path:
    """Give the file that the command starts with: `tune_skill.py` of a checkout, the package's own of a wheel."""
    folder = Path(_HERE).resolve().parents[2]
    checkout = folder / "tune_skill.py"
    return checkout if checkout.is_file() else folder / "__init__.py"
