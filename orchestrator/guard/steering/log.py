"""What power steering logs. A hook waits, and loading `logging` takes it 4 ms: it is loaded when there is a warning.

Who listens to less than warnings has loaded it before.
"""

import sys

NAME = "amplihack.power_steering"


def debug(text: str, *facts: object) -> None:
    """Log a detail."""
    if "logging" in sys.modules:
        _told("debug", text, facts)


def info(text: str, *facts: object) -> None:
    """Log what was done."""
    if "logging" in sys.modules:
        _told("info", text, facts)


def warning(text: str, *facts: object) -> None:
    """Log what went wrong, though the session goes on."""
    _told("warning", text, facts)


def _told(level: str, text: str, facts: tuple[object, ...]) -> None:
    import logging

    getattr(logging.getLogger(NAME), level)(text, *facts, stacklevel=3)
