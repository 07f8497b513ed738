"""`tune-skill hook`: answer a hook event of Claude Code, with few imports, because the user waits for the answer."""

import json
import sys

import click

from orchestrator.exits import Exit
from orchestrator.guard.hooks.dispatch import dispatch


@click.command()
@click.argument("event")
def hook(event: str) -> Exit:
    """Answer the hook EVENT, whose input is on stdin. This never fails; `tune-skill hooks logs` shows errors.

    \b
    Example:
      echo '{}' | tune-skill hook Stop
    """
    data = sys.stdin.buffer.read() if sys.stdin else b""
    answer = dispatch(event, data.decode("utf-8", "replace"), testing=False)
    click.echo(json.dumps(answer, ensure_ascii=True))
    return Exit.OK
