"""Who watches a run in a terminal: progress on stderr, questions, choices. Plain where there is no terminal."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.text import diff, safe, warned

if TYPE_CHECKING:
    from actions.outcome import AskClarification, AskSelection
    from schemas.records import State


class Console:
    """The listener of a run. `quiet` says nothing but warnings; nobody is asked unless `someone_there`."""

    def __init__(self, *, quiet: bool = False, ask: bool = True) -> None:
        self.someone_there = ask and sys.stdin.isatty() and sys.stderr.isatty()
        self._quiet = quiet

    def step(self, state: "State", action: str, note: str) -> None:
        """Show a step of the walk."""
        if not self._quiet:
            label = click.style(f"{state.phase.value:<10}", fg="cyan")
            click.echo(f"{label} {action.removeprefix('action-'):<26} {safe(note)}", err=True)

    def say(self, sentence: str) -> None:
        """Show what the user should know."""
        warned(sentence)

    def clarify(self, question: "AskClarification") -> Mapping[str, str] | None:
        """Ask what the user meant; an empty answer takes the first reading, `q` pauses the run."""
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

    def select(self, question: "AskSelection") -> tuple[str, ...] | None:
        """Show each fix with its diff and ask; `q` pauses the run."""
        chosen: list[str] = []
        for number, fix in enumerate(question.fixes):
            click.echo(f"\n{click.style(fix.id, bold=True)} {safe(fix.description)} (risk {fix.risk})", err=True)
            for change in fix.changes:
                click.echo(diff(change.diff), err=True)
            answer = _choice("Apply? yes, no, all the rest, none of the rest, quit", list("ynadq"), "n")
            if answer == "q":
                return None
            if answer == "y":
                chosen.append(fix.id)
            if answer in "ad":
                rest = question.fixes[number:] if answer == "a" else ()
                return (*chosen, *(f.id for f in rest))
        return tuple(chosen)


def _choice(text: str, choices: list[str], default: str) -> str:
    try:
        answer: Any = click.prompt(text, type=click.Choice(choices), default=default, err=True)
    except click.Abort:
        raise KeyboardInterrupt from None  # Abort is an Exception, and the loop would take it for a failing action
    return str(answer)
