"""Show a run in a terminal: progress on stderr, questions, choices. Without a terminal the output is plain."""

import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.input.terminal import can_ask
from orchestrator.cli.output.text import prefix_message, safe

if TYPE_CHECKING:
    from actions.steps.outcome import AskClarification, AskSelection
    from orchestrator.cli.output.status_line import StatusLine
    from schemas.records import State


class Console:
    """The listener of a run in a terminal. quiet: print only warnings. ask: ask questions if there is a terminal.

    later: every question pauses the run, because the user answers with the commands `answer` and `apply`.
    As a context manager, it removes the status line at the end.
    """

    picks_findings = False

    def __init__(self, *, quiet: bool = False, ask: bool = True, later: bool = False) -> None:
        self.can_ask = later or (ask and can_ask())
        self.showed_diffs = False
        self._quiet, self._later = quiet, later
        self._line: StatusLine | None = None

    def __enter__(self) -> "Console":
        """Return the listener."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Remove the status line."""
        self._hide()

    def begin(self, state: "State", action: str) -> None:
        """Show the current step, if stderr is a terminal."""
        if self._quiet or not sys.stderr.isatty():
            return
        if self._line is None:
            from orchestrator.cli.output.status_line import StatusLine

            self._line = StatusLine()
        self._line.show(state, action)

    def step(self, state: "State", action: str, note: str) -> None:
        """Print a finished step."""
        if not self._quiet:
            label = click.style(f"{state.phase.value:<10}", fg="cyan")
            self._print(f"{label} {action.removeprefix('action-'):<26} {safe(note)}")

    def say(self, message: str) -> None:
        """Print a message."""
        self._print(prefix_message(message))

    def _print(self, line: str) -> None:
        if self._line is None:
            click.echo(line, err=True)
        else:
            self._line.print(line)

    def _hide(self) -> None:
        if self._line is not None:
            self._line.hide()
            self._line = None

    def clarify(self, question: "AskClarification") -> Mapping[str, str] | None:
        """Ask what the user meant. An empty answer selects the first interpretation, and `q` pauses the run."""
        self._hide()
        if self._later:
            return None
        answers = {}
        for item in question.questions:
            click.echo(f"\n{item.dimension_id}: {safe(item.description)}", err=True)
            choices = item.possible_interpretations
            for number, choice in enumerate(choices, 1):
                click.echo(f"  {number}  {choice}", err=True)
            answer = _ask_choice(
                "Which one do you mean? (q: decide later)", [*map(str, range(1, len(choices) + 1)), "q"], "1"
            )
            if answer == "q":
                return None
            answers[item.dimension_id] = choices[int(answer) - 1]
        return answers

    def select(self, question: "AskSelection", save: Callable[[str, bool], None]) -> tuple[str, ...] | None:
        """Show the findings, then ask about each fix with its diff. `q` saves the answers and pauses the run."""
        self._hide()
        if self._later:
            return None
        self.showed_diffs = True
        from orchestrator.cli.input.choose_fixes import choose_fixes

        return choose_fixes(question, save)

    def begin_write(self) -> None:
        """Do nothing. A fix may be written at any time."""


def _ask_choice(text: str, choices: list[str], default: str) -> str:
    try:
        answer: Any = click.prompt(text, type=click.Choice(choices), default=default, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None  # the run would treat Abort, an Exception, as a failed action
    return str(answer)
