"""What a reader of the HTML report can choose to see: groups of values, and how many entries have each."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from actions.reporting.findings import NOW, Finding
from actions.reporting.rules import CHANGES, RuleRow
from schemas.records import State
from schemas.sessions import SessionSeen
from schemas.vocabulary import Family, Phase, Severity

FAMILIES: Mapping[Family, str] = {family: family.value.replace("_", " ") for family in Family}
"""Each family as people read it."""

OUTCOMES = {"kept": "kept", "failed": "not kept", "proposed": "proposed"}
SESSIONS = {"lossy": "lost something", "compacted": "compacted, nothing lost", "whole": "not compacted"}

GROUPS: Mapping[str, Mapping[str, str]] = {
    "severity": {severity.value: severity.value for severity in Severity},
    "now": {now: now for now in NOW},
    "family": {family.value: name for family, name in FAMILIES.items()},
    "rule": CHANGES,
    "fix": OUTCOMES,
    "phase": {phase.value: phase.value for phase in Phase},
    "session": SESSIONS,
}
"""The values of each group with their labels; all are our own words."""

Choice = tuple[str, str, int]
"""A value, its label, and how many entries have it."""


def choices(state: State, found: Sequence[Finding], rules: Sequence[RuleRow]) -> Mapping[str, list[Choice]]:
    """Return the choices of each group but the fixes', in the order of GROUPS."""
    return {
        "severity": _choices("severity", (finding.issue.severity.value for finding in found)),
        "now": _choices("now", (finding.now for finding in found)),
        "family": _choices("family", (finding.issue.type.value for finding in found)),
        "rule": _choices("rule", (row.change for row in rules)),
        "phase": _choices("phase", (entry.phase.value for entry in state.action_history)),
        "session": _choices("session", (session_kind(row) for row in state.sessions)),
    }


def session_kind(row: SessionSeen) -> str:
    """Return whether a session lost something at a compaction: lossy, compacted or whole."""
    if any(moment.lost or moment.rules for moment in row.moments):
        return "lossy"
    return "compacted" if row.compactions else "whole"


def _choices(group: str, values: Iterable[str]) -> list[Choice]:
    count = Counter(values)
    return [(value, label, count[value]) for value, label in GROUPS[group].items()]
