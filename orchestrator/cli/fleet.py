"""`tune-skill fleet`: diagnose thousands of skills. Only the file with the results is written."""

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.input.options import quiet_option
from orchestrator.cli.output.progress import Progress
from orchestrator.cli.output.registry import format_option, print_result
from orchestrator.cli.output.results import FleetResult
from orchestrator.cli.output.text import warn
from orchestrator.cli.output.write import check_file_of_model
from orchestrator.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.fleet.workers import Workers

STORE = ".workflow/fleet/results.jsonl"


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR…")
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Number of processes. [default: one per core]")
@click.option("--scheduler", metavar="ADDRESS", help="Use this Dask cluster: tcp://HOST:PORT.")
@click.option("--store", metavar="FILE", help=f"File with the results so far. [default: {STORE}]")
@click.option("--retry", is_flag=True, help="Retry skills whose diagnosis failed before.")
@format_option(FleetResult)
@click.option("--worst", type=click.IntRange(1, 10_000), default=10, show_default=True, metavar="N",
              help="Number of worst skills, and of duplicates of each kind, to list.")  # fmt: skip
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
    """Diagnose all skills in and below DIR…, and summarize scores, most common patterns, worst skills and duplicates.

    Agents, hooks and other units belong to a single project; check them with `diagnose DIR`.
    No skill is changed. Each result is saved at once; if you repeat the command, it diagnoses only skills that are new
    or have changed. Exit code 0 if every skill passes its gate, 1 if one does not or cannot be read, 2 if none can be
    read, 130 after Ctrl-C.

    \b
    Examples:
      tune-skill fleet ~/skills ~/more-skills
      tune-skill fleet ~/skills --format markdown > fleet.md
      tune-skill fleet ~/skills --scheduler tcp://10.0.0.5:8786
    """
    if jobs and scheduler:
        raise click.UsageError("--jobs is for this machine, --scheduler is for a cluster; use only one of them")
    from orchestrator.engine.units import ScanOptions
    from orchestrator.fleet.dispatcher import Limits
    from orchestrator.fleet.result_store import ResultStore
    from orchestrator.fleet.scan_task import find_skills
    from orchestrator.fleet.survey import Survey
    from orchestrator.project.exclusion import describe_exclusion
    from orchestrator.project.settings import parse_selection

    options = ScanOptions(*parse_selection(select, ignore))
    start = time.monotonic()
    paths, excluded = find_skills(folders)
    with ResultStore(_choose_store(store, paths)) as results:
        if results.foreign_lines and not results.errors:
            warn(f"{results.path}: not written by your `tune-skill fleet`, so it is ignored; every skill is diagnosed")
        if excluded:
            warn(describe_exclusion(excluded))
        progress = Progress("skills", len(paths), quiet=quiet)
        survey = Survey(paths, options, results, Limits(time_limit, memory_limit), retry=retry, report=progress.update)
        try:
            with progress, _start_workers(jobs, scheduler) as workers:
                if not workers.count_slots():
                    warn(f"waiting: the cluster has no worker yet; start one with `dask worker {scheduler}`")
                survey.scan_remaining(workers)
        except KeyboardInterrupt:
            warn("interrupted; the results so far are saved: repeat the command to continue")
            return Exit.INTERRUPTED
        seconds = round(time.monotonic() - start, 3)
        summary = {**survey.summarize(worst), "seconds": seconds, "store": str(results.path)}
    print_result(FleetResult(summary), format_)
    return _choose_exit_code(summary)


def _choose_store(option: str | None, skills: "Sequence[Path]") -> Path:
    """Return the path of the store, by default in a folder that git ignores.

    Raises BadInput if it is inside a skill.
    """
    from orchestrator.errors import BadInput
    from orchestrator.project.skill_finder import is_skill

    path = Path(option or STORE)
    if option:
        check_file_of_model(path, (".jsonl",))
    skill = next((root for root in skills if is_skill(root) and path.resolve().is_relative_to(root)), None)
    if skill:
        raise BadInput(f"{path} is inside the skill {skill}; choose another file with --store")
    if not option:
        from orchestrator.fs.durable import ensure_private_dir

        ensure_private_dir(path.parent.parent)
        ensure_private_dir(path.parent)
    return path


def _start_workers(jobs: int | None, scheduler: str | None) -> "AbstractContextManager[Workers]":
    from orchestrator.engine.processes import count_cores
    from orchestrator.fleet.workers import connect_to_cluster, start_local_workers

    return connect_to_cluster(scheduler) if scheduler else start_local_workers(jobs or count_cores())


def _choose_exit_code(summary: Mapping[str, Any]) -> Exit:
    if summary["failed"] and summary["skills"] == len(summary["failed"]):
        return Exit.USAGE
    return Exit.OK if summary["gates"]["pass"] == summary["skills"] else Exit.GATE
