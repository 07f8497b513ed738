"""The last line of the terminal while a run is at work: what it does now, and where that is in its walk."""

from typing import TYPE_CHECKING

from orchestrator.cli.output.colour import uncoloured
from schemas.vocabulary import FOCUS, FixStatus, Phase

if TYPE_CHECKING:
    from rich.progress import Progress

    from schemas.records import State

_WALK = (Phase.PENDING, Phase.RUNNING, Phase.DIAGNOSIS, Phase.VERIFY, Phase.APPLY_FIX, Phase.COMPLETED)
_ROOMY = 112
"""Columns from which the whole walk stands beside the longest step."""


class WalkLine:
    """A live line on stderr, which must be a terminal. Lines printed through it stand above it."""

    def __init__(self) -> None:
        from rich.console import Console

        self._console = Console(stderr=True, no_color=uncoloured(), highlight=False)
        self._line: Progress | None = None

    def show(self, state: "State", action: str) -> None:
        """Show a step that begins."""
        if self._line is None:
            self._line = self._started()
        where = walk(state.phase, whole=self._console.width >= _ROOMY)
        self._line.update(self._line.task_ids[0], doing=doing(state, action), walk=where, refresh=True)

    def _started(self) -> "Progress":
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (
            SpinnerColumn("line" if self._console.options.ascii_only else "dots"),
            TextColumn("{task.fields[doing]}", markup=False, style="bold"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[walk]}"),
        )
        line = Progress(*columns, console=self._console, transient=True)
        line.add_task("", total=None, doing="", walk="")
        line.start()
        return line

    def print(self, text: str) -> None:
        """Print a line, with its colours, above the live one."""
        from rich.text import Text

        self._console.print(Text.from_ansi(text), soft_wrap=True)

    def hide(self) -> None:
        """Take the line away: a question follows, or the end."""
        if self._line is not None:
            self._line.stop()
            self._line = None


def doing(state: "State", action: str) -> str:
    """Say what a step does, and the how-manieth it is of those like it."""
    name = action.removeprefix("action-")
    focus = name.removeprefix("diagnose-")
    wanted = state.focus_areas or tuple(FOCUS)
    if focus in wanted:
        return f"diagnose {focus.replace('_', ' ')} ({wanted.index(focus) + 1} of {len(wanted)})"
    if name == "apply-fix":
        chosen = sum(fix.status is not FixStatus.PROPOSED for fix in state.proposed_fixes)
        left = state.pending_fixes
        return f"apply {left[0]} ({chosen - len(left) + 1} of {chosen})"
    return name.replace("-", " ")


def walk(phase: Phase, *, whole: bool = True) -> str:
    """Give the states of a run in a line, in rich's markup: where it is stands out. whole: the other states too."""
    shown = [one for one in _WALK if whole or one is phase]
    return " [dim]>[/] ".join(f"[reverse] {one} [/]" if one is phase else f"[dim]{one}[/]" for one in shown)
