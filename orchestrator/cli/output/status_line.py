"""Show the current step and state of a run in the last line of the terminal."""

from typing import TYPE_CHECKING

from orchestrator.cli.output.colour import is_colour_off
from schemas.vocabulary import FOCUS, FixStatus, Phase

if TYPE_CHECKING:
    from rich.progress import Progress

    from schemas.records import State

_STATES = (Phase.PENDING, Phase.RUNNING, Phase.DIAGNOSIS, Phase.VERIFY, Phase.APPLY_FIX, Phase.COMPLETED)
_MIN_WIDTH = 112
"""Minimum width in columns at which all states fit next to the longest step."""


class StatusLine:
    """A live line on stderr, which must be a terminal. Lines printed through it appear above it."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, no_color=is_colour_off(), highlight=False)
        self._line: Progress | None = None

    def show(self, state: "State", action: str) -> None:
        """Show the current step and state."""
        if self._line is None:
            self._line = self._start()
        states = format_states(state.phase, all_states=self._console.width >= _MIN_WIDTH)
        self._line.update(self._line.task_ids[0], step=describe_step(state, action), states=states, refresh=True)

    def _start(self) -> "Progress":
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (
            SpinnerColumn("line" if self._console.options.ascii_only else "dots"),
            TextColumn("{task.fields[step]}", markup=False, style="bold"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[states]}"),
        )
        line = Progress(*columns, console=self._console, transient=True)
        line.add_task("", total=None, step="", states="")
        line.start()
        return line

    def print(self, text: str) -> None:
        """Print a line of text with its colours above the live line."""
        from rich.text import Text

        self._console.print(Text.from_ansi(text), soft_wrap=True)

    def hide(self) -> None:
        """Remove the line, before a question or at the end."""
        if self._line is not None:
            self._line.stop()
            self._line = None


def describe_step(state: "State", action: str) -> str:
    """Return what a step does, and its number among the steps of the same kind."""
    name = action.removeprefix("action-")
    focus = name.removeprefix("diagnose-")
    areas = state.focus_areas or tuple(FOCUS)
    if focus in areas:
        return f"diagnose {focus.replace('_', ' ')} ({areas.index(focus) + 1} of {len(areas)})"
    if name == "apply-fix":
        chosen = sum(fix.status is not FixStatus.PROPOSED for fix in state.proposed_fixes)
        pending = state.pending_fixes
        return f"apply {pending[0]} ({chosen - len(pending) + 1} of {chosen})"
    return name.replace("-", " ")


def format_states(phase: Phase, *, all_states: bool = True) -> str:
    """Return the states of a run in the markup of rich, with the current state highlighted.

    all_states: whether to include the other states.
    """
    states = [state for state in _STATES if all_states or state is phase]
    styled = (f"[reverse] {state} [/]" if state is phase else f"[dim]{state}[/]" for state in states)
    return " [dim]>[/] ".join(styled)
