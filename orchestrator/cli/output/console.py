"""Who watches a run in a terminal: progress on stderr, questions, choices. Plain where there is no terminal."""

import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.output.text import safe, warning

if TYPE_CHECKING:
    from actions.steps.outcome import AskClarification, AskSelection
    from orchestrator.cli.output.course_line import WalkLine
    from schemas.records import State


class Console:
    """The listener of a run. `quiet` says nothing but warnings; nobody is asked unless `someone_there`.

    later: someone is there, but answers by `answer` and `apply`: every question pauses the run.
    As a context it takes its live line away at the end.
    """

    def __init__(self, *, quiet: bool = False, ask: bool = True, later: bool = False) -> None:
        self.someone_there = later or (ask and sys.stdin.isatty() and sys.stderr.isatty())
        self.showed_diffs = False
        self._quiet, self._later = quiet, later
        self._line: WalkLine | None = None

    def __enter__(self) -> "Console":
        """Begin."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Take the live line away."""
        self._hide()

    def begin(self, state: "State", action: str) -> None:
        """Show, in a terminal, what the run does now and where that is in its walk."""
        if self._quiet or not sys.stderr.isatty():
            return
        if self._line is None:
            from orchestrator.cli.output.course_line import WalkLine

            self._line = WalkLine()
        self._line.show(state, action)

    def step(self, state: "State", action: str, note: str) -> None:
        """Show a step of the walk that was made."""
        if not self._quiet:
            label = click.style(f"{state.phase.value:<10}", fg="cyan")
            self._print(f"{label} {action.removeprefix('action-'):<26} {safe(note)}")

    def say(self, sentence: str) -> None:
        """Show what the user should know."""
        self._print(warning(sentence))

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
        """Ask what the user meant; an empty answer takes the first reading, `q` pauses the run."""
        self._hide()
        if self._later:
            return None
        answers = {}
        for item in question.questions:
            click.echo(f"\n{item.dimension_id}: {safe(item.description)}", err=True)
            choices = item.possible_interpretations
            for number, reading in enumerate(choices, 1):
                click.echo(f"  {number}  {reading}", err=True)
            answer = _choice("Which is it? (q: later)", [*map(str, range(1, len(choices) + 1)), "q"], "1")
            if answer == "q":
                return None
            answers[item.dimension_id] = choices[int(answer) - 1]
        return answers

    def select(self, question: "AskSelection", keep: Callable[[str, bool], None]) -> tuple[str, ...] | None:
        """Show the findings, then each fix with its diff, and ask; `q` pauses the run, which keeps the answers."""
        self._hide()
        if self._later:
            return None
        self.showed_diffs = True
        from orchestrator.cli.choose_fixes import chosen

        return chosen(question, keep)


def _choice(text: str, choices: list[str], default: str) -> str:
    try:
        answer: Any = click.prompt(text, type=click.Choice(choices), default=default, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None  # Abort is an Exception, and the loop would take it for a failing action
    return str(answer)
