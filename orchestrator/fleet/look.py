"""What a cell does with a skill."""

from collections.abc import Callable, Mapping
from typing import Any

from actions.case import Case
from actions.scoring.issues import make_issues
from orchestrator.engine.rows import as_json, row_of, scanned
from orchestrator.engine.time_limit import limited
from orchestrator.fleet.parcels import Parcel, record
from orchestrator.fleet.prints import files_of, passages_of

Look = Callable[[Parcel], Mapping[str, Any]]
"""A parcel in, its record out. It travels by its name: a function of a module that workers can import."""


def look(parcel: Parcel) -> Mapping[str, Any]:
    """Diagnose the skill in a parcel. Raises MemoryError, which a pattern would bear as if it were its own failure."""
    skill = parcel.skill
    case = Case(skill, settings=parcel.settings, limited=limited)
    found = scanned(parcel.path, case)
    if any(why.startswith(MemoryError.__name__) for why in found.failed.values()):
        raise MemoryError
    row = row_of(parcel.path, case, found, make_issues(found))
    return record(parcel.key, parcel.path, as_json(row), files_of(skill), passages_of(skill))
