"""Skills whose faults were planted before the patterns were looked at: most are found, and a well-kept one passes."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from actions.findings import Finding, scan
from actions.issues import issues_of
from actions.patterns import all_patterns
from actions.quality import measure
from actions.skill import Case
from orchestrator.readers import read_skill
from schemas.vocabulary import Gate, Severity

PLANTED = Path(__file__).parents[1] / "data" / "planted"
EXPECTED = json.loads((PLANTED / "expected.json").read_text(encoding="utf-8"))
FAULTS = [
    pytest.param(name, fault, id=f"{name}-{fault['id']}-{fault['file']}-{fault['line']}")
    for name, faults in EXPECTED.items()
    for fault in faults
]
_NEAR = 3
_OTHER_PLACE = re.compile(r"^([\w./-]+):(\d+): ")


@cache
def findings(name):
    """All findings of a planted skill, each by itself, before those of one cause are joined."""
    return scan(Case(read_skill(PLANTED / name))).findings


def places(finding: Finding):
    """Where a finding stands, and the other places that it names."""
    yield finding.file, finding.line, finding.evidence.line_end or finding.line
    for told in finding.evidence.also:
        if place := _OTHER_PLACE.match(told):
            yield place[1], int(place[2]), int(place[2])


def tells(finding: Finding, fault) -> bool:
    """A finding tells a planted fault: its id, its family or its cause, at about its line."""
    wanted = all_patterns()[fault["id"]].PATTERN
    same_cause = bool(wanted.cause) and finding.pattern.cause == wanted.cause
    if finding.family is not wanted.family and not same_cause:
        return False
    line = fault["line"]
    return any(file == fault["file"] and first - _NEAR <= line <= last + _NEAR for file, first, last in places(finding))


def found(name, fault) -> bool:
    return any(tells(finding, fault) for finding in findings(name))


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_planted_fault_is_found_unless_it_is_noted_as_missed(name, fault):
    assert found(name, fault) is not fault.get("missed", False), fault["wrong"]


@pytest.mark.parametrize(
    ("name", "planted", "least"),
    [
        ("postmortem-writer", 20, 18),
        ("contract-reviewer-zh", 8, 6),
        ("incident-review", 20, 17),
        ("contract-check", 8, 7),
    ],
)
def test_most_planted_faults_are_found(name, planted, least):
    assert len(EXPECTED[name]) == planted
    assert sum(found(name, fault) for fault in EXPECTED[name]) >= least


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_planted_fault_names_a_line_that_is_there(name, fault):
    lines = (PLANTED / name / fault["file"]).read_text(encoding="utf-8").splitlines()
    assert lines[fault["line"] - 1].strip()


@pytest.mark.parametrize("name", ["well-kept", "kept/incident-review", "kept/contract-check"])
def test_a_well_kept_skill_passes_with_nothing_of_medium_or_worse(name):
    seen = scan(Case(read_skill(PLANTED / name)))
    assert [f"{f.id} {f.file}:{f.line}" for f in seen.findings if f.severity is not Severity.LOW] == []
    assert measure(issues_of(seen))[2] is Gate.PASS
