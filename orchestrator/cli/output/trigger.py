"""Format a trigger test for a terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import fit
from orchestrator.tuning.trigger import report

_NAME_WIDTH, _CELL_WIDTH, _MAX_TEXT = 24, 12, 400
_VERDICT_COLOURS = {"fault": "red", "unknown": "yellow", "unstable": "yellow"}


def format_trigger(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield the headline, the matrix, the prompts whose verdict is not `right`, and the cost."""
    yield click.style(f"{safe(result['name'])}: {report.format_headline(result)}", bold=True)
    yield ""
    yield from _format_matrix(result)
    yield ""
    for prompt in report.list_wrong(result):
        yield from _format_wrong(prompt)
    if tuning := result["tuning"]:
        yield from _format_tuning(tuning)
    cost = result["cost"]
    model = result["model"] or "the default model"
    yield f"{cost['runs']} runs with {safe(model)}, {cost['usd']:.2f} of {cost['ceiling']:.2f} USD"
    yield from (f"note: {safe(note)}" for note in filter(None, (result["why"], *result["notes"])))
    yield f"transcripts: {safe(result['folder'])}/sessions"


def _format_tuning(tuning: Mapping[str, Any]) -> Iterator[str]:
    for text, about in report.describe_candidates(tuning):
        yield from fit("candidate ", safe(about))
        yield from fit("          ", safe(text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"))
    for line in report.describe_tuning(tuning):
        yield from fit("", safe(line))
    yield ""


def _format_matrix(result: Mapping[str, Any]) -> Iterator[str]:
    rows = report.build_rows(result)
    names = [cell["called"] for cell in rows[0]["cells"]] if rows else []
    yield f"{'expected, called:':<{_NAME_WIDTH}}" + "".join(f"{_shorten(name):>{_CELL_WIDTH + 1}}" for name in names)
    for row in rows:
        cells = (_format_cell(cell) for cell in row["cells"])
        yield f"{_shorten(row['expected'], _NAME_WIDTH):<{_NAME_WIDTH}}{''.join(cells)}  {row['about']}"


def _format_cell(cell: Mapping[str, Any]) -> str:
    text = f"{cell['count'] or '.':>{_CELL_WIDTH + 1}}"
    return click.style(text, fg="green" if cell["is_right"] else "red") if cell["count"] else text


def _shorten(name: str, limit: int = _CELL_WIDTH) -> str:
    """Shorten a name by removing its beginning, because many skill names begin with the same plugin name."""
    name = safe(name)
    return name if len(name) <= limit else f"…{name[1 - limit :]}"


def _format_wrong(prompt: Mapping[str, Any]) -> Iterator[str]:
    head = click.style(f"{prompt['verdict']:<9}", fg=_VERDICT_COLOURS[prompt["verdict"]])
    yield from fit(f"{head} ", safe(f"{prompt['where']}: expected {prompt['expectation']}, called {prompt['calls']}"))
    yield from fit("          ", safe(prompt["prompt"][:200]))
    if prompt["why"]:
        yield from fit("          ", safe(prompt["why"]))
    if prompt["words"]:
        yield from fit("          ", safe(f"shared words, not proven: {prompt['words']}"))
