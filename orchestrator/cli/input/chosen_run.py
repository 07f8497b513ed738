"""Find the run that the user named as RUN, and say which one is used if the user named none."""

from pathlib import Path

import click

from orchestrator.cli.output.console import Console
from orchestrator.cli.output.text import safe


def find_chosen_run(name: str | None, console: Console, *, quiet: bool = False) -> Path:
    """Return the work dir of RUN. If it was left out, print its id on stderr, and a note if a newer run was not saved.

    quiet: print only the note.
    """
    from orchestrator.run.work_dirs import find_run, note_unsaved

    work_dir = find_run(name)
    note = note_unsaved(name, work_dir)
    if name is None and not quiet:
        name_chosen("run", work_dir, is_newest=not note)
    if note:
        console.say(note)
    return work_dir


def name_chosen(kind: str, folder: Path, *, is_newest: bool = True) -> None:
    """Print on stderr which run or improvement a command uses because the user named none."""
    click.echo(f"{kind} {safe(folder.name)}{' (the newest)' if is_newest else ''}", err=True)
