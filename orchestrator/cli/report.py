"""`tune-skill report`: show the final report of a run. The run is not changed."""

import click

from orchestrator.cli.output.registry import ensure_format, format_option
from orchestrator.cli.output.results import RunReport
from orchestrator.cli.output.write import output_option, write_result
from orchestrator.cli.status import open_run
from orchestrator.errors import BadInput
from orchestrator.exits import Exit


@click.command()
@click.argument("run", required=False)
@format_option(RunReport, default="markdown")
@output_option
def report(run: str | None, format_: str, output: str | None) -> Exit:
    """Show the final report of RUN (default: the newest one), or of a trial, trigger test or improvement.

    html is a single file that needs neither network nor scripts.

    \b
    Examples:
      tune-skill report
      tune-skill report --format html -o report.html
      tune-skill report 20261121-1200 --format sarif -o findings.sarif
    """
    from orchestrator.cli.input import finished, improvements

    if folder := improvements.find_named(run):
        return improvements.show(folder, format_, output)
    if result := finished.find_result(run):
        ensure_format(result, format_)
        finished.warn_of_change(result)
        finished.show(result, format_, output)
        return Exit.OK
    store = open_run(run, quiet=format_ == "json")
    if store.state.final_report is None:
        raise BadInput(f"run {store.state.run_id} has no report yet; see `tune-skill status {store.state.run_id}`")
    write_result(RunReport(store), format_, output)
    return Exit.OK
