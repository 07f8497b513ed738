"""What a cell does with a skill."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from actions.case import Case
from orchestrator.engine.rows import as_json
from orchestrator.engine.scan import scan_unit
from orchestrator.engine.time_limit import limit_time
from orchestrator.engine.units import ScanOptions, Unit
from orchestrator.fleet.parcels import Parcel, record
from orchestrator.fleet.prints import files_of, passages_of

Look = Callable[[Parcel], Mapping[str, Any]]
"""A parcel in, its record out. It travels by its name: a function of a module that workers can import."""


def look(parcel: Parcel) -> Mapping[str, Any]:
    """Scan the skill in a parcel. Raises MemoryError, which otherwise counts as the failure of one pattern."""
    skill = parcel.skill
    unit = Unit(Path(parcel.path), Case(skill, settings=parcel.settings, limited=limit_time))
    row = scan_unit(unit, ScanOptions())
    if any(why.startswith(MemoryError.__name__) for why in row.failed.values()):
        raise MemoryError
    return record(parcel.key, parcel.path, as_json(row), files_of(skill), passages_of(skill))
