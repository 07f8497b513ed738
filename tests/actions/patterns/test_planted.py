"""Test which planted faults the checks find; the faults were planted without knowledge of the checks.

The other faults need a model: `benchmarks/judge.py` measures how many it finds. A clean skill passes.
"""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from actions.case import Case
from actions.patterns import get_patterns
from actions.patterns.pattern import Finding
from actions.scoring.issues import make_issues
from actions.scoring.quality import measure
from actions.scoring.scan import scan
from orchestrator.project.skill_reader import read_skill
from schemas.vocabulary import Gate, Severity

PLANTED = Path(__file__).parents[2] / "data" / "planted"
EXPECTED = json.loads((PLANTED / "expected.json").read_text(encoding="utf-8"))
FAULTS = [
    pytest.param(name, fault, id=f"{name}-{fault['id']}-{fault['file']}-{fault['line']}")
    for name, faults in EXPECTED.items()
    for fault in faults
]
_MAX_DISTANCE = 3
_OTHER_LOCATION = re.compile(r"^([\w./-]+):(\d+)(?:-\d+)?: ")


@cache
def list_findings(name):
    """Return all findings in a planted skill, before findings with the same cause are joined."""
    return scan(Case(read_skill(PLANTED / name))).findings


def list_locations(finding: Finding):
    """Yield (file, first line, last line) of a finding and of its other locations."""
    yield finding.file, finding.line, finding.line_end or finding.line
    for text in finding.also:
        if match := _OTHER_LOCATION.match(text):
            yield match[1], int(match[2]), int(match[2])


def matches_fault(finding: Finding, fault) -> bool:
    """Return whether a finding matches a planted fault by id, family or cause, at about the same line."""
    pattern = get_patterns()[fault["id"]].PATTERN
    same_cause = bool(pattern.cause) and finding.pattern.cause == pattern.cause
    if finding.pattern.family is not pattern.family and not same_cause:
        return False
    line = fault["line"]
    return any(
        file == fault["file"] and first - _MAX_DISTANCE <= line <= last + _MAX_DISTANCE
        for file, first, last in list_locations(finding)
    )


def is_found(name, fault) -> bool:
    return any(matches_fault(finding, fault) for finding in list_findings(name))


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_planted_fault_is_found_if_it_can_be_proven(name, fault):
    assert is_found(name, fault) is fault["proven"], fault["wrong"]


@pytest.mark.parametrize("name", EXPECTED)
def test_planted_skill_has_no_other_medium_finding(name):
    other_findings = [f for f in list_findings(name) if not any(matches_fault(f, fault) for fault in EXPECTED[name])]
    assert [f"{f.pattern.id} {f.file}:{f.line}" for f in other_findings if f.severity is not Severity.LOW] == []


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_planted_fault_names_an_existing_line(name, fault):
    lines = (PLANTED / name / fault["file"]).read_text(encoding="utf-8").splitlines()
    assert lines[fault["line"] - 1].strip()


@pytest.mark.parametrize("name", ["well-kept", "oral-history", "kept/incident-review", "kept/contract-check"])
def test_well_kept_skill_passes_without_medium_findings(name):
    result = scan(Case(read_skill(PLANTED / name)))
    assert [f"{f.pattern.id} {f.file}:{f.line}" for f in result.findings if f.severity is not Severity.LOW] == []
    assert measure(make_issues(result))[2] is Gate.PASS
