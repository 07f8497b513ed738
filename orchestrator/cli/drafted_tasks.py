"""`trial --draft-tasks`: what a model drafted is shown, edited, and kept in the skill only when the user says so."""

from pathlib import Path

import click

from orchestrator.cli.keyed import keyed
from orchestrator.cli.output.text import safe, warned
from orchestrator.errors import BadInput
from orchestrator.fs import durable

_KEPT = "evals/tasks.yaml"
_WORDS = {"y": "yes", "e": "edit", "q": "quit"}
_HELP = """y - go on with these tasks
e - edit them first
q - later: they are kept, and nothing is run"""


def drafted_tasks(skill: Path, count: int, model: str, ceiling: float, *, ask: bool) -> tuple[Path, float, bool]:
    """Return the file of drafted tasks, what drafting cost in USD, and whether to go on with them now.

    ask: somebody is there. Raises BadInput where none can be drafted.
    """
    from orchestrator.run.store import system_clock
    from orchestrator.tuning.trial.drafting import drafted
    from orchestrator.tuning.trial.places import drafts_file

    text, usd = drafted(skill, count, model, ceiling)
    file = drafts_file(skill, system_clock())
    durable.write_bytes(file, text.encode())
    for line in text.splitlines():
        click.echo(f"  {_indented(line)}", err=True)
    warned(f"drafted for {usd:.2f} USD, kept in {file}; --tasks {file} takes them again")
    return file, usd, ask and _agreed(file, skill)


def _indented(line: str) -> str:
    return line[: len(line) - len(line.lstrip())] + safe(line)


def _agreed(file: Path, skill: Path) -> bool:
    """Let the user edit the tasks, and say whether they are used and where they stay."""
    while (answer := keyed("Use them?", _WORDS, _HELP)) != "q":
        if answer == "e":
            click.edit(filename=str(file))
        elif problem := _problem(file, skill):
            warned(problem)
        else:
            _kept(file, skill / _KEPT)
            return True
    return False


def _problem(file: Path, skill: Path) -> str:
    """Say what is wrong with tasks that somebody edited; "" for nothing."""
    from orchestrator.tuning.trial.tasks import tasks_of

    try:
        tasks_of(skill, str(file))
    except BadInput as error:
        return str(error)
    return ""


def _kept(file: Path, place: Path) -> None:
    """Copy the tasks into the skill, if the user wants that and nothing stands there."""
    if not place.exists() and click.confirm(f"Keep them in {place}?", default=False, err=True):
        durable.ensure_dir(place.parent)
        durable.write_bytes(place, file.read_bytes(), mode=0o644)
