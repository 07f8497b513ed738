"""`tune-skill strategies`: show the strategies that fix findings, from their own files."""

from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.output.registry import format_option, print_result
from orchestrator.cli.output.results import Catalogue
from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from schemas.vocabulary import Risk
from templates.filters import did_you_mean

if TYPE_CHECKING:
    from actions.fixes.strategies import StrategyModule


@click.command()
@click.argument("name", required=False)
@format_option(Catalogue)
def strategies(name: str | None, format_: str) -> Exit:
    """List the strategies that fix findings, or show one with an example.

    Strategies marked "by a model" need a model.

    \b
    Examples:
      tune-skill strategies
      tune-skill strategies repair_reference
    """
    from actions.fixes.strategies import DRAFTED, get_strategies

    known = {n: _describe_strategy(module) for n, module in get_strategies().items()}
    known |= {n: _describe_draft(n, title) for n, title in DRAFTED.items() if n not in known}
    if name and name not in known:
        raise BadInput(f"{name}: no such strategy{did_you_mean(name, known, '`tune-skill strategies` lists them')}")
    rows = [known[name]] if name else list(known.values())
    print_result(Catalogue("strategy.md", rows, is_single=bool(name)), format_)
    return Exit.OK


def _describe_strategy(module: "StrategyModule") -> dict[str, Any]:
    from actions.fixes.strategies.strategy import list_example_files

    strategy = module.STRATEGY
    title, _, rest = (module.__doc__ or "").strip().partition("\n")
    return {
        "id": strategy.name,
        "title": title.rstrip("."),
        "note": f"{strategy.risks} risk",
        "mends": list(strategy.fixes),
        "risk": strategy.risks,
        "text": " ".join(rest.split()),
        "before": dict(list_example_files(module, module.BEFORE[0])),
        "after": dict(list_example_files(module, module.AFTER[0])),
    }


def _describe_draft(name: str, title: str) -> dict[str, Any]:
    note = "by a model"
    return {"id": name, "title": title.rstrip("."), "note": note, "mends": [], "risk": Risk.MEDIUM.value, "text": "",
            "before": {}, "after": {}}  # fmt: skip
