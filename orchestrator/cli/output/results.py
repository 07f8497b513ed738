"""Define the results that commands print, one type each. A format lists the types that it can print."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from actions.history.session_table import SessionTable
    from actions.project.model_listings import ScopeListing
    from actions.session.transcript import Transcript
    from orchestrator.engine.rows import Row
    from orchestrator.guard.compaction.validator import ValidationResult
    from orchestrator.guard.steering.results import Analysis
    from orchestrator.model import JudgeAccess
    from orchestrator.run.store import StateStore
    from schemas.improvement import Improvement


class Diagnosis(msgspec.Struct, frozen=True):
    """The result of `diagnose`.

    is_single: the user named one skill, so JSON is an object instead of a list. failure: why the command fails, or "".
    reasons: for each row, why its unit makes the command fail, or "".
    """

    rows: "Sequence[Row]"
    is_single: bool = False
    failure: str = ""
    reasons: Sequence[str] = ()


class RunResult(msgspec.Struct, frozen=True):
    """A run that has ended or paused. with_diffs: print the diffs of the fixes, which the user has not seen yet."""

    store: "StateStore"
    with_diffs: bool = True


class RunReport(msgspec.Struct, frozen=True):
    """The final report of a run."""

    store: "StateStore"


class TrialResult(msgspec.Struct, frozen=True):
    """The result of `trial`, as a JSON value."""

    value: Mapping[str, Any]


class TriggerResult(msgspec.Struct, frozen=True):
    """The result of `trigger`, as a JSON value."""

    value: Mapping[str, Any]


class ImprovementResult(msgspec.Struct, frozen=True):
    """The result of `improve`: the state of an improvement."""

    state: "Improvement"


class FleetResult(msgspec.Struct, frozen=True):
    """The result of `fleet`, as a JSON value."""

    value: Mapping[str, Any]


class SessionCheck(msgspec.Struct, frozen=True):
    """The result of `check`."""

    transcript: "Transcript"
    analysis: "Analysis"
    compaction: "ValidationResult"
    judge_access: "JudgeAccess"


class SessionTables(msgspec.Struct, frozen=True):
    """The result of `sessions`: a table for each unit that the sessions used, and notes."""

    tables: "Sequence[SessionTable]"
    notes: Sequence[str] = ()


class Listings(msgspec.Struct, frozen=True):
    """The result of `listing`: the listing of each model, for each plugin and `.claude` folder."""

    scopes: "Sequence[ScopeListing]"


class Catalogue(msgspec.Struct, frozen=True):
    """Patterns or strategies. template: the template of an entry's page. is_single: the user named a single entry."""

    template: str
    rows: Sequence[Mapping[str, Any]]
    is_single: bool
