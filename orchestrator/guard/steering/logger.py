"""Log what power steering does, without loading `logging` (4 ms that a hook waits) unless there is a warning.

Someone who listens to lower levels has loaded it before.
"""

import sys

NAME = "amplihack.power_steering"


def debug(text: str, *values: object) -> None:
    """Log a detail."""
    if "logging" in sys.modules:
        _log("debug", text, values)


def info(text: str, *values: object) -> None:
    """Log what was done."""
    if "logging" in sys.modules:
        _log("info", text, values)


def warning(text: str, *values: object) -> None:
    """Log a problem that does not stop the session."""
    _log("warning", text, values)


def _log(level: str, text: str, values: tuple[object, ...]) -> None:
    import logging

    getattr(logging.getLogger(NAME), level)(text, *values, stacklevel=3)
