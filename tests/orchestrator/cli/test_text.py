"""Test text for a terminal: control characters are escaped, and the lines of a diff are kept."""

import json

import pytest

from orchestrator.cli.output.text import diff, format_severity_counts, json_text
from schemas.vocabulary import IssueSource, IssueStatus, Severity
from tests.schemas.samples import make_issue


@pytest.mark.parametrize(
    "char", ["\x7f", "\x9b", "\u00ad", "\u061c", "\u200b", "\u2028", "\u2029", "\u202e", "\U000e0041"]
)
def test_json_text_escapes_control_characters(char):
    text = json_text({"a": f"x{char}y中🐦"}).decode()
    assert char not in text
    assert "中🐦" in text
    assert json.loads(text) == {"a": f"x{char}y中🐦"}


def test_diff_is_cut_at_newlines_only():
    assert diff(" a\x0cb\u2028c\n d\n") == " a\ufffdb\ufffdc\n d"


def test_by_severity_names_the_limit_per_pattern():
    issues = [
        make_issue(n, severity=Severity.MEDIUM, pattern="SPEC-005", status=IssueStatus.OPEN, source=IssueSource.PARSER)
        for n in (1, 2, 3, 4)
    ]
    assert format_severity_counts(issues[:3]) == " (3 medium)"
    assert format_severity_counts(issues) == " (4 medium; only the first 3 of each pattern count)"
