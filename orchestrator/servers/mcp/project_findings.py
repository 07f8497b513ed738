"""Report the proven findings of the units of a project, without a run and without a model."""

from collections import Counter
from collections.abc import Iterator, Sequence

from orchestrator.engine.cache import open_cache
from orchestrator.engine.rows import Row
from orchestrator.engine.scan import scan_project_units, scan_units
from orchestrator.engine.units import ScanOptions
from orchestrator.errors import BadInput
from orchestrator.project.targets import find_targets, leave_out_excluded
from orchestrator.servers.mcp.results import ProjectFindings, UnitFindings
from orchestrator.servers.mcp.run_status import make_finding
from orchestrator.servers.mcp.tool_calls import Arguments, Client
from schemas.vocabulary import UnitKind
from templates.filters import counted

_FINDINGS = 40
"""The most findings of a result: Claude Code 2.1.330 shows only the first 2 KB of a result over 30 KB."""


def report_findings(given: Arguments, client: Client) -> ProjectFindings:
    """Scan what `paths` name, by default the project of the server's folder, restricted to the kinds in `only`."""
    paths, only = given.get("paths") or ["."], given.get("only") or ()
    options = ScanOptions(cache=open_cache())
    targets, notes = leave_out_excluded(find_targets(paths, only, options.projects), () if only else paths)
    if targets.problems and not targets.places:
        raise BadInput("; ".join(targets.problems.values()))
    rows = [*scan_units(targets.skills, options, jobs=1), *scan_project_units(targets.units, options)]
    rows.sort(key=lambda row: (min((issue.severity.rank for issue in row.opened), default=9), str(row.place)))
    units = tuple(_make_units(rows))
    left = sum(len(row.opened) for row in rows) - sum(len(unit.findings) for unit in units)
    return ProjectFindings(
        checked=dict(Counter(_kind_of(row).value for row in rows)),
        units=units,
        left_out=f"not shown here: {counted(left, 'finding')}, none worse; restrict `paths` or `only`" if left else "",
        notes=(*notes, *targets.problems.values()),
    )


def _make_units(rows: Sequence[Row]) -> Iterator[UnitFindings]:
    """Yield the units with findings, the worst first, and those that cannot be read."""
    room = _FINDINGS
    for row in rows:
        shown = row.opened[:room]
        room -= len(shown)
        if shown or row.error:
            yield UnitFindings(
                _kind_of(row).value, row.name, str(row.place), row.score, row.gate.value,
                tuple(map(make_finding, shown)), row.error or "",
            )  # fmt: skip


def _kind_of(row: Row) -> UnitKind:
    return row.unit.kind if row.unit else UnitKind.SKILL
