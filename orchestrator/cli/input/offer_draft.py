"""Show a drafted file, let the user edit it, and save it in the skill only if the user agrees."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click

from orchestrator.cli.input.prompt import ask_key
from orchestrator.cli.output.text import safe, warn
from orchestrator.fs import durable

_KEY_WORDS = {"y": "yes", "e": "edit", "q": "quit"}


class SavedDrafts(NamedTuple):
    """Drafted tasks or prompts: their file, the cost of drafting in USD, and whether the user wants to use them now."""

    file: Path
    usd: float
    is_accepted: bool


def show_draft(text: str) -> None:
    """Print a draft."""
    for line in text.splitlines():
        click.echo(f"  {line[: len(line) - len(line.lstrip())]}{safe(line)}", err=True)


def offer_draft(file: Path, target: Path, what: str, find_problem: Callable[[], str]) -> bool:
    """Let the user edit a drafted file. Returns whether to use it.

    target: where the file is saved if the user agrees and it does not exist yet. what: the drafts' name in messages.
    find_problem: returns what is wrong with the file, or "".
    """
    help_ = f"y - use these {what}\ne - edit them first\nq - decide later: the {what} are saved, nothing is run"
    while (answer := ask_key(f"Use these {what}?", _KEY_WORDS, help_)) != "q":
        if answer == "e":
            click.edit(filename=str(file))
        elif problem := find_problem():
            warn(problem)
        else:
            _save_in_skill(file, target)
            return True
    return False


def _save_in_skill(file: Path, target: Path) -> None:
    if not target.exists() and click.confirm(f"Save them in {target}?", default=False, err=True):
        durable.ensure_dir(target.parent)
        durable.write_bytes(target, file.read_bytes(), mode=0o644)
