"""`trial --draft-tasks`: what a model drafted is shown, edited, and kept in the skill only when the user says so."""

from pathlib import Path

import click

from orchestrator import durable
from orchestrator.cli.text import safe, warned
from orchestrator.errors import BadInput

_KEPT = "evals/tasks.yaml"


def drafted_tasks(skill: Path, count: int, model: str, ceiling: float, *, ask: bool) -> tuple[Path, float, bool]:
    """Return the file of drafted tasks, what drafting cost in USD, and whether to go on with them now.

    ask: somebody is there. Raises BadInput where none can be drafted.
    """
    from orchestrator.store import system_clock
    from orchestrator.trial.drafting import drafted
    from orchestrator.trial.places import drafts_file

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
    while (answer := click.prompt("Use them? y: yes, e: edit them, q: later", type=click.Choice(["y", "e", "q"]),
                                  default="q", err=True)) == "e":  # fmt: skip
        click.edit(filename=str(file))
    kept = skill / _KEPT
    if answer == "y" and not kept.exists() and click.confirm(f"Keep them in {kept}?", default=False, err=True):
        keep(file, kept)
    return bool(answer == "y")


def keep(file: Path, kept: Path) -> None:
    """Copy tasks into the skill. Raises BadInput where something stands there."""
    if kept.exists():
        raise BadInput(f"{kept} is there already; look at both")
    durable.ensure_dir(kept.parent)
    durable.write_bytes(kept, file.read_bytes(), mode=0o644)
