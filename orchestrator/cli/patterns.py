"""`tune-skill patterns`: show the patterns, from their own files."""

import click

from orchestrator.cli.output.registry import format_option, print_result
from orchestrator.cli.output.results import Catalogue
from orchestrator.exits import Exit


@click.command()
@click.argument("id", required=False)
@format_option(Catalogue)
def patterns(id: str | None, format_: str) -> Exit:
    """List the patterns, or show the one with this ID: what it is, what it is not, why it is bad, what to do instead.

    A pattern is found by a parser, a model or both. A prefix (CTX) or a family as ID lists its patterns; the families
    are context, memory, dataflow, agent, docs and token_consumption.

    \b
    Examples:
      tune-skill patterns
      tune-skill patterns CTX-006
      tune-skill patterns docs
    """
    from orchestrator.engine.pattern_pages import list_pattern_pages

    rows = list_pattern_pages(id)
    print_result(Catalogue("pattern.md", rows, is_single=len(rows) == 1), format_)
    return Exit.OK
