"""`fleet`: what is wrong with thousands of skills. Reads them, and writes its store."""

import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.output.progress import Progress, quiet_option
from orchestrator.cli.output.text import json_text, warned
from orchestrator.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.fleet.workers import Workers

STORE = ".workflow/fleet/results.jsonl"


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR…")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes. [default: one for each core]")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask cluster that does the work: tcp://HOST:PORT.")
@click.option("--store", metavar="FILE", help=f"Where results are kept, to continue from. [default: {STORE}]")
@click.option("--retry", is_flag=True, help="Look again at skills that the store knows as failed.")
@click.option("--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@click.option("--worst", type=click.IntRange(1, 10_000), default=10, show_default=True, metavar="N",
              help="How many of the worst skills, and of each kind of duplicate, to list.")  # fmt: skip
@click.option("--select", metavar="ID,…", help="Check only these: ids, prefixes (CTX) or families (docs).")
@click.option("--ignore", metavar="ID,…", help="Skip these: ids, prefixes or families.")
@click.option("--time-limit", type=click.IntRange(1, 86_400), default=60, show_default=True, metavar="S",
              help="Seconds that one skill may take.")  # fmt: skip
@click.option("--memory-limit", type=click.IntRange(256), default=4000, show_default=True, metavar="MB",
              help="Memory that one skill may take.")  # fmt: skip
@quiet_option
def fleet(
    folders: tuple[str, ...], jobs: int | None, scheduler: str | None, store: str | None, retry: bool, format_: str,
    worst: int, select: str | None, ignore: str | None, time_limit: int, memory_limit: int, quiet: bool,
) -> Exit:  # fmt: skip
    """Diagnose all skills in and below DIR…, and sum up: scores, commonest patterns, worst skills, duplicates.

    No skill is ever written. Each result is kept in the store as it comes; the same command again looks only at what
    is new or has changed. Exit code 0 when every gate passes, 1 when one does not.

    \b
    Examples:
      tune-skill fleet ~/skills ~/more-skills
      tune-skill fleet ~/skills --format markdown > fleet.md
      tune-skill fleet ~/skills --scheduler tcp://10.0.0.5:8786
    """
    if jobs and scheduler:
        raise click.UsageError("--jobs is for this machine, --scheduler for a cluster; give one")
    from orchestrator.engine.units import ScanOptions
    from orchestrator.fleet.parcels import skills_in
    from orchestrator.fleet.run import Limits
    from orchestrator.fleet.store import ResultStore
    from orchestrator.fleet.survey import Survey
    from orchestrator.project.settings import parse_selection, read_project_settings

    options = ScanOptions(*parse_selection(select, ignore), read_project_settings())
    began = time.monotonic()
    paths = skills_in(folders)
    with ResultStore(_store(store, paths)) as kept:
        if kept.foreign and not kept.known:
            warned(
                f"{kept.path}: no fleet of yours wrote what stands there, so it is not believed; all is looked at anew"
            )
        progress = Progress("skills", len(paths), quiet=quiet)
        survey = Survey(paths, options, kept, Limits(time_limit, memory_limit), retry=retry, tell=progress.at)
        try:
            with progress, _workers(jobs, scheduler) as workers:
                if not workers.width():
                    warned(f"no worker is there yet: start one with `dask worker {scheduler}`; waiting")
                survey.go(workers)
        except KeyboardInterrupt:
            warned("interrupted; the results so far are kept, and the same command goes on")
            return Exit.INTERRUPTED
        found = {**survey.summary(worst), "seconds": round(time.monotonic() - began, 3), "store": str(kept.path)}
    _print(found, format_)
    return _exit(found)


def _store(given: str | None, skills: "Sequence[Path]") -> Path:
    """Give the store's path; the default one lies in a folder of ours that git ignores. Never in a skill."""
    from orchestrator.errors import BadInput
    from orchestrator.project.skill_finder import is_skill

    path = Path(given or STORE)
    inside = next((root for root in skills if is_skill(root) and path.resolve().is_relative_to(root)), None)
    if inside:
        raise BadInput(f"{path}: lies inside the skill {inside}; name another file with --store")
    if not given:
        from orchestrator.fs.durable import ensure_private_dir

        ensure_private_dir(path.parent.parent)
        ensure_private_dir(path.parent)
    return path


def _workers(jobs: int | None, scheduler: str | None) -> "AbstractContextManager[Workers]":
    from orchestrator.engine.processes import count_cores
    from orchestrator.fleet.workers import cluster, local

    return cluster(scheduler) if scheduler else local(jobs or count_cores())


def _print(found: dict[str, Any], format_: str) -> None:
    from templates import render

    if format_ == "json":
        click.echo(json_text(found), nl=False)
    else:
        name = "fleet.md" if format_ == "markdown" else "fleet.txt"
        click.echo(render(name, **found), nl=False)


def _exit(found: dict[str, Any]) -> Exit:
    if found["skills"] == len(found["failed"]):
        return Exit.USAGE
    return Exit.OK if found["gates"]["pass"] == found["skills"] else Exit.GATE
