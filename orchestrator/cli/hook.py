"""`tune-skill hook EVENT`: what Claude Code runs. It imports little, because the user waits for it."""

import json
import sys

import click

from orchestrator.exits import Exit
from orchestrator.guard.hooks.dispatch import dispatch


@click.command()
@click.argument("event")
def hook(event: str) -> Exit:
    """Answer a hook EVENT of Claude Code, given on stdin. It never fails: see `tune-skill hooks logs`.

    \b
    Example:
      echo '{}' | tune-skill hook Stop
    """
    given = sys.stdin.buffer.read() if sys.stdin else b""
    answer = dispatch(event, given.decode("utf-8", "replace"), testing=False)
    click.echo(json.dumps(answer, ensure_ascii=True))
    return Exit.OK
