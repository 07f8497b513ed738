"""`patterns` and `strategies`: the catalogue, rendered from the files themselves."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.output.text import json_text
from orchestrator.cli.output.wrap import fitted
from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from schemas.vocabulary import Risk
from templates.filters import did_you_mean

if TYPE_CHECKING:
    from actions.fixes.strategies import StrategyModule

format_option = click.option(
    "--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True
)


@click.command()
@click.argument("id", required=False)
@format_option
def patterns(id: str | None, format_: str) -> Exit:
    """List the patterns, or show the one with this ID: what it is and is not, why it is bad, what to do instead.

    A pattern is proven by a parser, read by a model, or either. A prefix (CTX) or a family lists
    its patterns; families are context, memory, dataflow, agent, docs and token_consumption.

    \b
    Examples:
      tune-skill patterns
      tune-skill patterns CTX-006
      tune-skill patterns docs
    """
    from orchestrator.engine.pattern_pages import pattern_rows

    rows = pattern_rows(id)
    return _shown("pattern", rows, format_, whole=len(rows) == 1 or format_ == "markdown")


@click.command()
@click.argument("name", required=False)
@format_option
def strategies(name: str | None, format_: str) -> Exit:
    """List the strategies that fix findings, or show one with an example.

    Those marked "by a model" need a judge; the others need none.

    \b
    Examples:
      tune-skill strategies
      tune-skill strategies repair_reference
    """
    from actions.fixes.strategies import DRAFTED, all_strategies

    known = {n: _strategy(module) for n, module in all_strategies().items()}
    known |= {n: _drafted(n, title) for n, title in DRAFTED.items() if n not in known}
    if name and name not in known:
        raise BadInput(f"{name}: no such strategy{did_you_mean(name, known, '`tune-skill strategies` lists them')}")
    rows = [known[name]] if name else list(known.values())
    return _shown("strategy", rows, format_, whole=bool(name) or format_ == "markdown")


def _shown(kind: str, rows: list[dict[str, Any]], format_: str, *, whole: bool) -> Exit:
    from templates import render

    if format_ == "json":
        click.echo(json_text(rows[0] if whole and len(rows) == 1 else rows), nl=False)
    elif whole:
        page = "\n".join(render(f"{kind}.md", row=row, examples_first=format_ == "text") for row in rows)
        click.echo("\n".join(_fitting(page.rstrip("\n"))))
    else:
        name, note = (max(len(row[key]) for row in rows) for key in ("id", "note"))
        for row in rows:
            for line in fitted(f"{row['id']:<{name}}  {row['note']:<{note}}  ", row["title"]):
                click.echo(line)
    return Exit.OK


def _fitting(page: str) -> Iterator[str]:
    """Give the lines of a page of Markdown; on a terminal those outside of its examples are broken at spaces."""
    fence = ""
    for line in page.split("\n"):
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if fence or len(ticks) > 2:
            yield line
            fence = "" if line == fence else fence or ticks
        else:
            bullet = "- " if line.startswith("- ") else ""
            yield from fitted(bullet, line.removeprefix(bullet))


def _strategy(module: "StrategyModule") -> dict[str, Any]:
    from actions.skill.example import example_files

    strategy = module.STRATEGY
    title, _, rest = (module.__doc__ or "").strip().partition("\n")
    return {
        "id": strategy.name,
        "title": title.rstrip("."),
        "note": f"{strategy.risk.value} risk",
        "mends": list(strategy.mends),
        "risk": strategy.risk.value,
        "text": " ".join(rest.split()),
        "before": dict(example_files(module.BEFORE[0])),
        "after": dict(example_files(module.AFTER[0])),
    }


def _drafted(name: str, title: str) -> dict[str, Any]:
    note = "by a model"
    return {"id": name, "title": title.rstrip("."), "note": note, "mends": [], "risk": Risk.MEDIUM.value, "text": "",
            "before": {}, "after": {}}  # fmt: skip
