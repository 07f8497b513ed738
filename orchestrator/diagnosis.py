"""Diagnoses one skill or many: folders in, rows out; on several cores when there is enough to do."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from actions.issues import issues_of
from actions.model import Case
from actions.patterns import of_skill
from orchestrator.baseline import Baseline, key_of
from orchestrator.errors import BadInput
from orchestrator.judge import Bench
from orchestrator.readers import read_skill, size_below, skill_root
from orchestrator.rows import Row, row_of, scanned
from orchestrator.settings import chosen, settings_for
from orchestrator.workspace.pending import inspect
from schemas.issues import Cost, Issue
from schemas.sessions import SessionSeen

_NOBODY = Bench()
_ENOUGH = 8
"""Skills from which a second process pays for its start."""


@dataclass(frozen=True)
class Asked:
    """What the command line and the project say about all skills."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    project: tuple[Path, dict[str, Any]] | None = None
    baseline: Baseline = field(default_factory=dict)
    baseline_file: Path = Path()
    sessions: tuple[str, ...] = ()


def diagnosed(argument: str, asked: Asked, bench: Bench = _NOBODY) -> Row:
    """Diagnose one skill; an unusable one costs its own row. A judge is asked about the skill first."""
    try:
        root = skill_root(argument)
        skill = read_skill(root)
        settings = chosen(settings_for(root, asked.project), asked.select, asked.ignore)
    except BadInput as error:
        return Row(argument, error=str(error))
    if asked.baseline:
        settings = replace(settings, baseline=asked.baseline.get(key_of(root, asked.baseline_file), ()))
    case = Case(skill, settings=settings)
    found = scanned(str(root), case)
    issues, told, cost = _consulted(issues_of(found), case, bench)
    rows: tuple[SessionSeen, ...] = ()
    if asked.sessions:
        from actions.judging.asking import plus
        from orchestrator.witnesses import witnessed

        seen = witnessed(issues, case, root, asked.sessions, bench)
        issues, rows, cost = seen.issues, seen.rows, plus(cost, seen.cost)
        told += seen.notes
    waiting = inspect(root)
    told += (*bench.notes, *((waiting.sentence,) if waiting else ()))
    return replace(row_of(str(root), skill, found, issues, told, rows), judge=bench.name, cost=cost)


def _consulted(issues: tuple[Issue, ...], case: Case, bench: Bench) -> tuple[tuple[Issue, ...], list[str], Cost]:
    """Give the issues as a judge leaves them, what is to be told of that, and its cost."""
    if bench.judge is None:
        return issues, [], Cost()
    from actions.judging.consult import consulted

    seen = consulted(issues, case, bench.judge)
    return seen.issues, list(seen.notes), seen.cost


def all_diagnosed(
    paths: Sequence[str],
    asked: Asked,
    jobs: int | None = None,
    bench: Bench = _NOBODY,
    heard: Callable[[], None] = lambda: None,
) -> list[Row]:
    """Diagnose skills in the order given. `jobs`: processes; None: one per core when there are many skills.

    Where a judge is asked there is one process: it is the one with the budget. `heard` is called after each skill.
    """
    count = min(jobs or (cores() if len(paths) >= _ENOUGH else 1), len(paths))
    rows: dict[int, Row] = {}
    with _no_collection():
        for place, row in _rows(paths, asked, 1 if bench.judge else count, bench):
            rows[place] = row
            heard()
    return [rows[place] for place in sorted(rows)]


def _rows(paths: Sequence[str], asked: Asked, count: int, bench: Bench) -> Iterator[tuple[int, Row]]:
    if count < 2:
        return ((place, diagnosed(path, asked, bench)) for place, path in enumerate(paths))
    shared = _shared_out(paths, asked, count)
    return ((place, replace(row, notes=(*row.notes, *bench.notes))) for place, row in shared)


def _shared_out(paths: Sequence[str], asked: Asked, count: int) -> Iterator[tuple[int, Row]]:
    """Give place and row of each skill, the largest first: so no process is left alone with much to do."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    of_skill()  # loaded once, before the fork
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(count, context, signal.signal, (signal.SIGINT, signal.SIG_IGN))
    sizes = list(map(size_below, paths))
    order = sorted(range(len(paths)), key=lambda place: -sizes[place])
    try:
        portion = max(1, min(16, len(paths) // (count * 32)))
        rows = pool.map(partial(diagnosed, asked=asked), [paths[place] for place in order], chunksize=portion)
        yield from zip(order, rows, strict=True)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def cores() -> int:
    """Give how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _no_collection() -> Iterator[None]:
    """Switch the cycle collector off: the records hold no cycles, and looking for them takes a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
