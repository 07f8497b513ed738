"""How far long work is, on stderr: a live line in a terminal, a plain one now and then elsewhere."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

import click

from orchestrator.cli.output.colour import uncoloured

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

quiet_option = click.option("--quiet", is_flag=True, help="No progress on stderr.")

_PATIENCE, _TERMINAL, _ELSEWHERE = 0.5, 0.1, 10.0
"""Seconds before anything is said, and between two lines."""


class Progress:
    """Tells how many of `total` things are done, how fast, and how long the rest may take.

    As a context it takes its live line away at the end. It starts no thread: worker processes may be forked meanwhile.
    """

    def __init__(
        self, unit: str, total: int = 0, *, quiet: bool = False, stopwatch: Callable[[], float] = time.monotonic
    ) -> None:
        self.total, self.done = total, 0
        self._unit, self._quiet, self._stopwatch = unit, quiet, stopwatch
        self._began = self._said = stopwatch()
        self._bar: Bar | None = None

    def __enter__(self) -> "Progress":
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Take the live line away."""
        if self._bar is not None:
            self._bar.stop()

    def one_more(self) -> None:
        """Hear of one thing more that is done."""
        self.at(self.done + 1)

    def at(self, done: int, failed: int = 0, before: int = 0) -> None:
        """Hear how many are done, how many of them failed, and how many another run had done before."""
        self.done = done
        now, live = self._stopwatch(), sys.stderr.isatty()
        pause = _TERMINAL if live else _ELSEWHERE
        if self._quiet or now - self._began < _PATIENCE or now - self._said < pause or done >= self.total:
            return
        self._said = now
        line = told(done, self.total, self._unit, now - self._began, before) + (
            f", {failed:,} failed" if failed else ""
        )
        if live:
            self._draw(line)
        else:
            click.echo(f"tune-skill: {line}", err=True)

    def _draw(self, line: str) -> None:
        if self._bar is None:
            self._bar = self._started()
        self._bar.update(self._bar.task_ids[0], completed=self.done, description=line, refresh=True)

    def _started(self) -> "Bar":
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True, no_color=uncoloured())
        columns = (BarColumn(bar_width=24), TextColumn("{task.description}", markup=False))
        bar = Progress(*columns, console=console, transient=True, auto_refresh=False)
        bar.add_task("", total=self.total)
        bar.start()
        return bar


def told(done: int, total: int, unit: str, spent: float, before: int = 0) -> str:
    """Give how much is done, how fast, and how long the rest takes at that speed.

    `spent`: the seconds that all but the first `before` took.
    """
    rate = max(done - before, 0.001) / spent
    speed = f"{rate:,.0f} a second" if rate >= 2 else f"{rate * 60:,.0f} a minute"
    return f"{done:,} of {total:,} {unit}, {speed}, about {_span(round((total - done) / rate))} left"


def _span(seconds: int) -> str:
    """Give a time for people; minutes are rounded up."""
    if seconds < 90:
        return f"{seconds} s"
    minutes = -(-seconds // 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
