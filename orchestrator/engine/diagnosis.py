"""Diagnoses one skill or many: folders in, rows out; on several cores when there is enough to do."""

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from actions.case import Case
from actions.patterns import all_patterns
from actions.scoring.issues import make_issues
from actions.skill import Skill
from orchestrator.engine.baseline import Baseline, key_of
from orchestrator.engine.cache import Cache
from orchestrator.engine.rows import Row, row_of, scanned
from orchestrator.engine.time_limit import limited
from orchestrator.errors import BadInput
from orchestrator.model import Bench
from orchestrator.project.readers import read_skill, size_below, skill_root, skills_below
from orchestrator.project.settings import chosen, settings_for
from orchestrator.run.workspace.pending import inspect
from schemas.issues import Cost, Issue
from schemas.sessions import SessionSeen

_NOBODY = Bench()
_ENOUGH = 80
"""Skills from which a second process pays: fewer take about two seconds, and it costs a fifth more CPU."""


@dataclass(frozen=True)
class Asked:
    """What the command line and the project say about all skills."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    project: tuple[Path, dict[str, Any]] | None = None
    baseline: Baseline = field(default_factory=dict)
    baseline_file: Path = Path()
    sessions: tuple[str, ...] = ()
    cache: Cache | None = None


def diagnosed(argument: str, asked: Asked, bench: Bench = _NOBODY) -> Row:
    """Diagnose one skill; an unusable one costs its own row. A judge is asked about the skill first."""
    try:
        root, case = _subject(argument, asked)
    except BadInput as error:
        return Row(argument, error=str(error))
    if asked.sessions or bench.judge is not None:
        row = _with_opinions(root, case, asked, bench)
    else:
        row = proven(root, case, asked.cache)
    return told(row, root, bench)


def _subject(argument: str, asked: Asked) -> tuple[Path, Case]:
    """Read a skill and its settings. Raises BadInput."""
    root = skill_root(argument)
    return root, case_of(root, read_skill(root), asked)


def case_of(root: Path, skill: Skill, asked: Asked) -> Case:
    """Give a skill that was read with its settings. Raises BadInput."""
    settings = chosen(settings_for(root, asked.project), asked.select, asked.ignore)
    if asked.baseline:
        settings = replace(settings, baseline=asked.baseline.get(key_of(root, asked.baseline_file), ()))
    return Case(skill, settings=settings, limited=limited)


def proven(root: Path, case: Case, cache: Cache | None = None) -> Row:
    """Give what the patterns see, from the cache where it is known."""
    return (cache.get(case) if cache else None) or _looked_at(root, case, cache)


def _looked_at(root: Path, case: Case, cache: Cache | None) -> Row:
    """Give what the patterns see, and keep it."""
    found = scanned(str(root), case)
    row = row_of(str(root), case, found, make_issues(found))
    if cache and not found.failed:
        cache.put(case, row)
    return row


def _with_opinions(root: Path, case: Case, asked: Asked, bench: Bench) -> Row:
    """Give what the patterns see, with what a judge and recorded sessions say of it."""
    found = scanned(str(root), case)
    issues, notes, cost = _consulted(make_issues(found), case, bench)
    rows: tuple[SessionSeen, ...] = ()
    if asked.sessions:
        from orchestrator.engine.session_evidence import witnessed

        seen = witnessed(issues, case, root, asked.sessions, bench)
        issues, rows, cost = seen.issues, seen.rows, cost + seen.cost
        notes += seen.notes
    row = replace(row_of(str(root), case, found, issues, notes, rows), cost=cost)
    return row if bench.judge is None else replace(row, unasked=0)


def told(row: Row, root: Path, bench: Bench = _NOBODY) -> Row:
    """Give a row with what is true at this moment: where the skill lies, who judges, whether a run is at work."""
    waiting = inspect(root)
    notes = (*row.notes, *bench.notes, *((waiting.sentence,) if waiting else ()))
    return replace(row, path=str(root), notes=notes, judge=bench.name)


def _consulted(issues: tuple[Issue, ...], case: Case, bench: Bench) -> tuple[tuple[Issue, ...], list[str], Cost]:
    """Give the issues as a judge leaves them, what is to be told of that, and its cost."""
    if bench.judge is None:
        return issues, [], Cost()
    from actions.review.asking import Asking
    from actions.review.consult import consulted

    asking = Asking(bench.judge)
    return consulted(issues, case, asking), asking.notes, asking.cost


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
    rows: dict[int, Row] = {}
    with _no_collection():
        for place, row in _rows(paths, asked, jobs, bench):
            rows[place] = row
            heard()
    return [rows[place] for place in sorted(rows)]


def idle_in_project(rows: Sequence[Row], project: tuple[Path, dict[str, Any]] | None) -> list[str]:
    """Return what is told of the project's ignores that no skill of it needs; none where one was not looked at."""
    shared = [told for told in rows[0].idle_here if all(told in row.idle_here for row in rows)] if rows else []
    looked = {os.path.realpath(row.path) for row in rows} if shared else set()
    every = map(os.path.realpath, skills_below(project[0])) if shared and project else ()
    return [f"{told} in any skill of the project" for told in shared] if looked.issuperset(every) else []


def _rows(paths: Sequence[str], asked: Asked, jobs: int | None, bench: Bench) -> Iterator[tuple[int, Row]]:
    known = _known(paths, asked) if bench.judge is None and _processes(len(paths), jobs) > 1 else {}
    yield from ((place, told(row, root, bench)) for place, (root, row) in known.items())
    rest = [place for place in range(len(paths)) if place not in known]
    count = _processes(len(rest), jobs)
    with asked.cache.trimmed() if asked.cache else nullcontext():
        if bench.judge is not None or count < 2:
            yield from ((place, diagnosed(paths[place], asked, bench)) for place in rest)
        else:
            shared = _shared_out([paths[place] for place in rest], asked, count)
            yield from ((rest[n], replace(row, notes=(*row.notes, *bench.notes))) for n, row in shared)


def _processes(skills: int, jobs: int | None) -> int:
    return min(jobs or (cores() if skills >= _ENOUGH else 1), skills)


def _known(paths: Sequence[str], asked: Asked) -> dict[int, tuple[Path, Row]]:
    """Give the skills whose row is known; when the first ones are not, the rest is left to who looks at them."""
    known: dict[int, tuple[Path, Row]] = {}
    if asked.cache and not asked.sessions:
        for place, path in enumerate(paths):
            if place - len(known) == _ENOUGH:
                break
            with suppress(BadInput):
                root, case = _subject(path, asked)
                row = asked.cache.get(case)
                if row:
                    known[place] = root, row
    return known


def _shared_out(paths: Sequence[str], asked: Asked, count: int) -> Iterator[tuple[int, Row]]:
    """Give place and row of each skill, the largest first: so no process is left alone with much to do."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    all_patterns()  # loaded once, before the fork
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
