"""Test the figures of reports: families, rules, scores, transitions."""

import pytest
from msgspec.structs import replace

from actions.reporting.progress import Transition, count_families, count_transitions, list_scores
from actions.reporting.rule_changes import compare_rules
from schemas.issues import Measure, SeverityCounts, Tokens
from schemas.layout import Layout, PlacedRule
from schemas.records import AppliedFix, FixEffect, Move, State
from schemas.sessions import CompactionRecord, SessionRecord
from schemas.vocabulary import Family, Fate, Gate, IssueSource, IssueStatus, Phase, Severity, Verification
from tests.fakes import NOW, make_round
from tests.schemas.samples import make_issue


def test_count_families_by_severity_and_status():
    issues = (
        make_issue(1, source=IssueSource.PARSER, status=IssueStatus.OPEN),
        make_issue(2, source=IssueSource.PARSER, status=IssueStatus.RESOLVED, severity=Severity.LOW),
        make_issue(3, source=IssueSource.MODEL, status=IssueStatus.OPEN),
        make_issue(4, source=IssueSource.SESSION, status=IssueStatus.OPEN),
        make_issue(5, source=IssueSource.PARSER, status=IssueStatus.SUPPRESSED),
        make_issue(
            6, source=IssueSource.PARSER, status=IssueStatus.OPEN, type=Family.AGENT, severity=Severity.CRITICAL
        ),
    )
    rows = count_families(issues)
    assert [(row.family, dict(row.open), dict(row.fixed)) for row in rows] == [
        (Family.CONTEXT, {Severity.HIGH: 2}, {Severity.LOW: 1}),
        (Family.AGENT, {Severity.CRITICAL: 1}, {}),
    ]


def make_rule(line, text, fate):
    return PlacedRule(line, line * 10, text, fate)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (Fate.LOST, Fate.SURVIVES, "saved"),
        (Fate.LOST, Fate.REPEATED, "saved"),
        (Fate.SURVIVES, Fate.LOST, "lost"),
        (Fate.SURVIVES, Fate.SURVIVES, "same"),
        (Fate.LOST, Fate.LOST, "same"),
        (Fate.LOST, None, "out"),
        (None, Fate.SURVIVES, "new"),
    ],
)
def test_compare_rules_follows_a_rule_by_its_words(before, after, change):
    sides = [
        Layout(1, (make_rule(n, text, fate),) if fate else ())
        for n, text, fate in [(9, "- Never *guess*.", before), (3, "Never guess.", after)]
    ]
    assert [row.change for row in compare_rules(*sides)] == [change]


def test_compare_rules_lists_a_repeated_rule_twice():
    twice = Layout(2, (make_rule(3, "Never guess.", Fate.SURVIVES), make_rule(9, "Never guess.", Fate.REPEATED)))
    once = Layout(1, (make_rule(3, "Never guess.", Fate.SURVIVES),))
    assert [row.change for row in compare_rules(twice, once)] == ["same", "out"]


def make_measure(score, gate):
    return Measure(score, gate, SeverityCounts(), Tokens())


def test_list_scores_at_start_after_each_fix_and_now():
    effect = FixEffect(make_measure(70, Gate.REVIEW), make_measure(85, Gate.PASS))
    applied_fix = AppliedFix("FIX-001", NOW, True, "/b", Verification.PASS, True, effect=effect)
    undone_fix = replace(applied_fix, fix_id="FIX-002", verification_result=Verification.ROLLED_BACK)
    state = State(rounds=(make_round(score=70, gate=Gate.REVIEW),), applied_fixes=(applied_fix, undone_fix))
    at_85 = replace(state, quality_score=85, quality_gate=Gate.PASS)
    assert [(step.label, step.score) for step in list_scores(at_85)] == [("start", 70), ("FIX-001", 85)]
    after = replace(state, quality_score=72, quality_gate=Gate.REVIEW)
    assert [step.label for step in list_scores(after)] == ["start", "FIX-001", "now"]
    assert list_scores(State()) == ()


def test_count_transitions_of_the_walk():
    walk = [Move(Phase.VERIFY, Phase.APPLY_FIX, NOW), Move(Phase.APPLY_FIX, Phase.VERIFY, NOW)] * 2
    assert count_transitions(walk) == (
        Transition(Phase.VERIFY, Phase.APPLY_FIX, 2),
        Transition(Phase.APPLY_FIX, Phase.VERIFY, 2),
    )


@pytest.mark.parametrize(
    ("moments", "count", "kind"),
    [
        ((), 0, "whole"),
        ((), 1, "compacted"),
        ((CompactionRecord(1, "", "auto", 0),), 1, "compacted"),
        ((CompactionRecord(1, "", "auto", 0, rules=1),), 1, "lossy"),
        ((CompactionRecord(1, "", "auto", 0, lost=("the objective",)),), 1, "lossy"),
    ],
)
def test_session_kind_follows_its_compactions(moments, count, kind):
    assert SessionRecord("s", "", "SIMPLE", count, moments=moments).kind == kind
