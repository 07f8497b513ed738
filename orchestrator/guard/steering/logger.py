"""Log the actions of power steering. `logging` is imported only for a warning, because that takes 4 ms of a hook.

Lower levels are only logged if the caller has imported `logging` before.
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
