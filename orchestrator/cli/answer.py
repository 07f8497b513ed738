"""`tune-skill answer`: answer the questions of a paused run."""

import click

from orchestrator.cli.input.options import quiet_option
from orchestrator.cli.resume import continue_run
from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from schemas.concerns import CONCERNS


@click.command()
@click.argument("run")
@click.argument("answers", nargs=-1, required=True, metavar="DIM-001=CATEGORY …")
@quiet_option
def answer(run: str, answers: tuple[str, ...], quiet: bool) -> Exit:
    """Answer the questions of a paused RUN, and continue it.

    \b
    Example:
      tune-skill answer 20261121-1200 DIM-001=memory_loss
    """
    from orchestrator.run import decisions

    categories = dict(_parse_answer(text) for text in answers)
    return continue_run(run, lambda run: decisions.answer_clarification(run.store.state, categories), quiet=quiet)


def _parse_answer(text: str) -> tuple[str, str]:
    id, equals, category = text.partition("=")
    if not equals or category not in CONCERNS:
        raise BadInput(f"{text}: write DIM-001=CATEGORY, where CATEGORY is one of {', '.join(CONCERNS)}")
    return id, category
