"""Show the progress of long work on stderr. A terminal gets a live line, other output a line every ten seconds."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

import click

from orchestrator.cli.output.colour import is_colour_off

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_FIRST_DELAY = 0.5
"""Seconds before the first line."""
_TERMINAL_INTERVAL, _PLAIN_INTERVAL = 0.1, 10.0
"""Seconds between two lines, in a terminal and elsewhere."""


class Progress:
    """Shows how many of `total` items are done, the speed, and the estimated time left.

    As a context manager it removes its live line at the end. It starts no thread, because that could break worker
    processes that are forked.
    """

    def __init__(
        self, unit: str, total: int = 0, *, quiet: bool = False, stopwatch: Callable[[], float] = time.monotonic
    ) -> None:
        self.total, self.done = total, 0
        self._unit, self._quiet, self._stopwatch = unit, quiet, stopwatch
        self._start_time = self._last_print = stopwatch()
        self._bar: Bar | None = None

    def __enter__(self) -> "Progress":
        """Return itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Remove the live line."""
        if self._bar is not None:
            self._bar.stop()

    def advance(self) -> None:
        """Count one more item as done."""
        self.update(self.done + 1)

    def update(self, done: int, failed: int = 0, stored: int = 0) -> None:
        """Set how many items are done, how many of them failed, and how many were already done by an earlier run."""
        self.done = done
        now, is_live = self._stopwatch(), sys.stderr.isatty()
        interval = _TERMINAL_INTERVAL if is_live else _PLAIN_INTERVAL
        is_too_early = now - self._start_time < _FIRST_DELAY or now - self._last_print < interval
        if self._quiet or is_too_early or done >= self.total:
            return
        self._last_print = now
        line = describe_progress(done, self.total, self._unit, now - self._start_time, stored)
        if failed:
            line += f", {failed:,} failed"
        if is_live:
            self._draw(line)
        else:
            click.echo(f"tune-skill: {line}", err=True)

    def _draw(self, line: str) -> None:
        if self._bar is None:
            self._bar = self._start_bar()
        self._bar.update(self._bar.task_ids[0], completed=self.done, description=line, refresh=True)

    def _start_bar(self) -> "Bar":
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True, no_color=is_colour_off())
        columns = (BarColumn(bar_width=24), TextColumn("{task.description}", markup=False))
        bar = Progress(*columns, console=console, transient=True, auto_refresh=False)
        bar.add_task("", total=self.total)
        bar.start()
        return bar


def describe_progress(done: int, total: int, unit: str, seconds: float, stored: int = 0) -> str:
    """Return how many items are done, the speed, and the estimated time left.

    seconds: the time so far. stored: the number of items from an earlier run. These items do not count for the speed.
    """
    rate = max(done - stored, 0.001) / seconds
    speed = f"{rate:,.0f} a second" if rate >= 2 else f"{rate * 60:,.0f} a minute"
    return f"{done:,} of {total:,} {unit}, {speed}, about {_format_span(round((total - done) / rate))} left"


def _format_span(seconds: int) -> str:
    """Format a duration, as in "45 s", "12 min" or "2 h 5 min"; minutes are rounded up."""
    if seconds < 90:
        return f"{seconds} s"
    minutes = -(-seconds // 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
