"""Report the proven findings of a project's units, without starting a run or asking a model."""

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from orchestrator.engine.cache import open_cache
from orchestrator.engine.rows import Row
from orchestrator.engine.scan import scan_project_units, scan_units
from orchestrator.engine.session_tables import add_to_rows
from orchestrator.engine.shared_causes import join_rows
from orchestrator.engine.units import ScanOptions
from orchestrator.errors import BadInput
from orchestrator.fs.home import find_home
from orchestrator.project.targets import find_targets, leave_out_excluded
from orchestrator.servers.mcp.results import Finding, ProjectFindings, UnitFindings
from orchestrator.servers.mcp.run_status import make_finding, shorten
from orchestrator.servers.mcp.tool_calls import Arguments, Client
from schemas.vocabulary import UnitKind
from templates.filters import counted

_MAX_CHARACTERS, _MAX_NOTES = 20_000, 10
"""Limits of a result: the number of characters of all units and findings, and the number of notes.

A note has at most 200 characters. If a result is longer than 30 KB, Claude Code 2.1.330 shows only its first 2 KB.
"""


_MAX_UNITS = 4_000
"""Maximum number of units in a call. A scan of 4,000 small units takes about ten seconds (benchmarks/speed.md)."""


def report_findings(arguments: Arguments, client: Client) -> ProjectFindings:
    """Scan the units in `paths` (default: the current project) and return their findings.

    If `only` is given, other kinds of units are skipped. If `sessions` is given, the result includes the faults that
    recorded sessions show at lines of skills, commands and agents. Raises BadInput if a path is not part of a project,
    or if the paths contain too many units.
    """
    paths, only = arguments.get("paths") or ["."], arguments.get("only") or ()
    options = ScanOptions(cache=open_cache())
    for path in paths:
        if f"{find_home()}/".startswith(f"{os.path.abspath(path).rstrip('/')}/"):  # noqa: PTH100 - a NUL is reported below
            raise BadInput(f"{path}: not a project, because your home folder is in it; give the folder of a project")
    targets, notes = leave_out_excluded(
        find_targets(paths, only, options.projects), () if only else paths, options.projects.settings
    )
    all_notes = [*targets.problems.values(), *notes]
    if targets.problems and not targets.paths:
        raise BadInput("; ".join(_limit_notes(list(targets.problems.values()))))
    if (count := len(targets.paths)) > _MAX_UNITS:
        raise BadInput(
            f"{counted(count, 'unit')}, more than the {_MAX_UNITS:,} of one call; give smaller folders in `paths`"
        )
    rows = join_rows([*scan_units(targets.skills, options, jobs=1), *scan_project_units(targets.units, options)])
    if arguments.get("sessions"):
        rows, session_notes = add_to_rows(rows, targets.skills, targets.units, options)
        all_notes += session_notes
    rows.sort(key=lambda row: (min((issue.severity.rank for issue in row.open_issues), default=9), str(row.unit_path)))
    units = tuple(_make_units(rows))
    return ProjectFindings(
        checked=dict(Counter(_get_kind(row).value for row in rows)),
        units=units,
        left_out=_describe_omitted(rows, units),
        notes=_limit_notes(all_notes),
    )


def _make_units(rows: Sequence[Row]) -> Iterator[UnitFindings]:
    """Yield the units that have findings or cannot be checked, in the order of `rows`, until the result is full."""
    characters_left = _MAX_CHARACTERS
    for row in rows:
        problem = row.error or row.unchecked
        if not row.open_issues and not problem:
            continue
        unit = UnitFindings(
            _get_kind(row).value, row.name, str(row.unit_path), row.score, row.gate.value, (), shorten(problem)
        )
        findings, remaining = _choose_findings(row, characters_left - _measure(unit))
        if remaining < 0 or not (findings or problem):
            return
        yield replace(unit, findings=findings)
        characters_left = remaining


def _choose_findings(row: Row, characters_left: int) -> tuple[tuple[Finding, ...], int]:
    """Return the first findings of a unit that fit into the result, and the number of characters left.

    If a finding does not fit, this number is 0. If `characters_left` is negative, it is returned unchanged.
    """
    chosen: list[Finding] = []
    for finding in map(make_finding, row.open_issues):
        if (size := _measure(finding)) > characters_left:
            return tuple(chosen), min(characters_left, 0)
        characters_left -= size
        chosen.append(finding)
    return tuple(chosen), characters_left


def _measure(record: Finding | UnitFindings) -> int:
    return len(json.dumps(asdict(record)))


def _describe_omitted(rows: Sequence[Row], units: Sequence[UnitFindings]) -> str:
    """Return a text with the number of omitted findings and unchecked units, or "" if nothing is omitted."""
    findings = sum(len(row.open_issues) for row in rows) - sum(len(unit.findings) for unit in units)
    unread = sum(bool(row.error or row.unchecked) for row in rows) - sum(bool(unit.error) for unit in units)
    parts = [f"{counted(findings, 'finding')}, none worse than those shown"] if findings else []
    parts += [counted(unread, "unit that cannot be checked", "units that cannot be checked")] if unread else []
    return f"not shown here: {'; '.join(parts)}; restrict `paths` or `only`" if parts else ""


def _limit_notes(notes: Sequence[str]) -> tuple[str, ...]:
    more = [f"and {counted(len(notes) - _MAX_NOTES, 'more note')}"] if len(notes) > _MAX_NOTES else []
    return (*map(shorten, notes[:_MAX_NOTES]), *more)


def _get_kind(row: Row) -> UnitKind:
    return row.unit.kind if row.unit else UnitKind.SKILL
