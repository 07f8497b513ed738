"""Log the actions of power steering. `logging` is imported only for warnings, because importing it takes 4 ms.

Lower levels are logged only if `logging` has already been imported.
"""

import sys

NAME = "amplihack.power_steering"


def debug(text: str, *values: object) -> None:
    """Log a detail."""
    if "logging" in sys.modules:
        _log("debug", text, values)


def info(text: str, *values: object) -> None:
    """Log an action."""
    if "logging" in sys.modules:
        _log("info", text, values)


def warning(text: str, *values: object) -> None:
    """Log a problem that does not stop the session."""
    _log("warning", text, values)


def _log(level: str, text: str, values: tuple[object, ...]) -> None:
    import logging

    getattr(logging.getLogger(NAME), level)(text, *values, stacklevel=3)
