"""`status` and `report`: commands that only read."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.output.concise import HANG
from orchestrator.cli.output.console import Console
from orchestrator.cli.output.text import json_text
from orchestrator.cli.output.wrap import fitted
from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from orchestrator.fs import durable, nofollow
from schemas.vocabulary import Pause

FORMATS = ["markdown", "html", "json", "sarif"]

if TYPE_CHECKING:
    from orchestrator.run.store import StateStore


@click.command()
@click.argument("run", required=False)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def status(run: str | None, format_: str) -> Exit:
    """Show where RUN (by default the newest one) stands, and what it waits for.

    \b
    Example:
      tune-skill status
    """
    from orchestrator.cli.output.result import finished, standing

    store = _opened(run)
    if format_ == "text":
        for line in standing(store.state).splitlines():
            click.echo("\n".join(fitted("", line, HANG)))
        click.echo()
    finished(store, format_, with_diffs=store.state.pause is Pause.FIX_SELECTION)
    return Exit.OK


@click.command()
@click.argument("run", required=False)
@click.option("--format", "format_", type=click.Choice(FORMATS), default="markdown", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write there instead of stdout.")
def report(run: str | None, format_: str, output: str | None) -> Exit:
    """Show the final report of RUN (by default the newest one).

    html is one file that needs no network and no script.

    \b
    Examples:
      tune-skill report
      tune-skill report --format html -o report.html
      tune-skill report 20261121-1200 --format sarif -o findings.sarif
    """
    store = _opened(run)
    if store.state.final_report is None:
        raise BadInput(f"run {store.state.run_id} has no report yet; see `tune-skill status {store.state.run_id}`")
    text = _rendered(store, format_)
    if output:
        written_to(Path(output), text)
    else:
        click.echo(text, nl=False)
    return Exit.OK


def _rendered(store: "StateStore", format_: str) -> bytes:
    """Render the state: what stands there as the report already is text of whoever wrote the file."""
    from actions.reporting.report import render_html
    from actions.reporting.report import render_report as report_text

    match format_:
        case "html":
            return render_html(store.state).encode()
        case "json":
            from orchestrator.cli.output.result import as_json

            return json_text(as_json(store))
        case "sarif":
            from orchestrator.cli.output.formats import as_sarif
            from orchestrator.engine.rows import row_of_run

            return json_text(as_sarif([row_of_run(store.state)]))
    return report_text(store.state).encode()


def written_to(path: Path, text: bytes) -> None:
    """Write in the place of a file, or into a pipe or a device; to where links lead that stand in no project."""
    if linked := nofollow.find_link(str(path)):
        raise BadInput(f"cannot write {path}: {linked} is a link, and none is followed in a project; name another file")
    if not path.parent.is_dir():
        raise BadInput(f"cannot write {path}: there is no folder {path.parent}; make it, or name another file")
    if not path.exists() or path.is_file():
        durable.write_bytes(Path(os.path.realpath(path)), text)
        return
    try:
        fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe that nobody reads keeps nobody waiting
        os.set_blocking(fd, True)
        with os.fdopen(fd, "wb") as target:
            target.write(text)
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}; name another file") from error


def _opened(run: str | None) -> "StateStore":
    from orchestrator.run.store import StateStore
    from orchestrator.run.work_dirs import find_run
    from orchestrator.run.workspace.pending import inspect

    listener = Console()
    store = StateStore(find_run(run))
    store.load(read_only=True)
    if store.recovered:
        listener.say(store.recovered)
    waiting = inspect(Path(store.state.target_skill.path or ""))
    if waiting:
        listener.say(waiting.sentence)
    return store
