"""How far long work is: in a terminal one line that changes, elsewhere a plain line now and then."""

import sys
import time

import click

_TERMINAL, _ELSEWHERE = 0.2, 15.0
"""Seconds between two lines."""


class Progress:
    """Tells on stderr how many of `total` things are done, how fast, and how long the rest may take."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self.total = 0
        self._what, self._quiet = what, quiet
        self._live = sys.stderr.isatty()
        self._began = self._told = time.monotonic()

    def at(self, done: int, failed: int = 0) -> None:
        """Tell how many are done, and how many of them failed."""
        now = time.monotonic()
        pause = _TERMINAL if self._live else _ELSEWHERE
        if self._quiet or (now - self._told < pause and not (self._live and done == self.total)):
            return
        self._told = now
        rate = done / max(now - self._began, 0.001)
        rest = f", about {_span((self.total - done) / rate)} left" if rate and done < self.total else ""
        bad = f", {failed:,} failed" if failed else ""
        line = f"{done:,} of {self.total:,} {self._what}, {rate:.0f} a second{rest}{bad}"
        click.echo(f"\r{line}\x1b[K" if self._live else line, err=True, nl=not self._live)

    def end(self) -> None:
        """Let what follows begin on a line of its own."""
        if self._live and not self._quiet:
            click.echo("\r\x1b[K", err=True, nl=False)


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
