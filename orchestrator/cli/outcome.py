"""What a run found and did, as lines for a terminal."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from orchestrator.cli.concise import finding
from orchestrator.cli.text import cost_line, diff, gate_line, safe
from orchestrator.cli.wrap import cut, fitted
from schemas.vocabulary import FixStatus, IssueStatus, Phase

if TYPE_CHECKING:
    from schemas.issues import Issue
    from schemas.records import Fix, State

_MOST, _PIPED = 60, 15
"""Findings of one run, and fixes, that are shown: on a terminal, and to a program (Claude Code cuts at 30 KB)."""
_DIFFS, _LINES, _IDS, _LETTERS = 4, 20, 6, 400
"""Fixes whose diff a program sees, lines of one diff; findings of a fix that are named, and letters of its words."""


def result_lines(state: "State", *, with_diffs: bool = True) -> Iterator[str]:
    """Give what a run found and did. with_diffs: nobody has seen them yet."""
    told = (IssueStatus.OPEN, IssueStatus.REJECTED)
    shown = [i for i in state.issues if i.status in told and i.source != "session"]
    mended = [i for i in state.issues if i.status is IssueStatus.RESOLVED]
    most = _MOST if sys.stdout.isatty() else _PIPED
    for issue in sorted(shown, key=lambda issue: issue.severity.rank)[:most]:
        yield from issue_lines(issue, state.target_skill.path or "")
    if len(shown) > most:
        yield f"… and {len(shown) - most:,} more, none of them worse: --format json and the report list all"
    if state.rounds and not shown:
        yield "Nothing is left to fix." if mended else "Nothing found."
    if mended:
        yield ""
        yield from fitted("fixed: ", ", ".join(f"{i.id} {i.pattern}" for i in mended))
    ended = state.phase in (Phase.COMPLETED, Phase.FAILED)
    for number, fix in enumerate(state.proposed_fixes[:most]):
        yield ""
        yield from fix_lines(fix, with_diff=with_diffs and (number < _DIFFS or most == _MOST), ended=ended)
    if len(state.proposed_fixes) > most:
        yield f"\n… and {len(state.proposed_fixes) - most:,} more fixes: --format json and the report list all"
    if state.rounds:
        yield ""
    yield from _sums(state)


def issue_lines(issue: "Issue", root: str) -> Iterator[str]:
    """Give an issue of the skill at `root`: its line with its id, and what a model says of it."""
    word = issue.verdict.word if issue.verdict else "rejected"
    out = f"({word}, not counted) " if issue.status is IssueStatus.REJECTED else ""
    yield from finding(root, issue, f"{issue.id} {out}")
    if issue.read_by:
        yield from fitted("  ", safe(f"{issue.known}: {issue.read_by.reason}"))
    if issue.verdict:
        yield from fitted("  ", f"{safe(issue.verdict.by)} {issue.verdict.word}: {safe(issue.verdict.why)}")


def fix_lines(fix: "Fix", *, with_diff: bool = True, ended: bool = False) -> Iterator[str]:
    """Give a fix: what, why, how it went, diff. ended: nobody chooses any more."""
    words = {FixStatus.APPLIED: "applied, verified", FixStatus.ROLLED_BACK: "rolled back"}
    words |= {FixStatus.PROPOSED: "not applied"} if ended else {}
    status = words.get(fix.status, fix.status.value)
    more = len(fix.issue_ids) - _IDS
    issues = ", ".join(fix.issue_ids[:_IDS]) + f" and {more} more" * (more > 0)
    by = "drafted by the model" if fix.source == "sdk" else fix.strategy
    facts = f"{by}, risk {fix.risk}, {issues}: {status}"
    yield from fitted(f"{click.style(fix.id, bold=True)}  ", f"{cut(safe(fix.description), _LETTERS)}  ({facts})")
    yield from fitted("  ", cut(safe(fix.rationale), _LETTERS))
    if fix.review and not fix.reason:
        yield from fitted("  ", safe(f"Checked: {'; '.join(fix.verification_steps)}"))
    if fix.reason:
        yield from fitted(f"  {click.style('why', fg='yellow')}: ", safe(fix.reason))
    if with_diff:
        lines = [line for change in fix.changes for line in diff(change.diff).split("\n")]
        most = len(lines) if sys.stdout.isatty() else _LINES
        yield from lines[:most]
        if len(lines) > most:
            yield f"… {len(lines) - most:,} more lines of this diff stand in the report"


def _sums(state: "State") -> Iterator[str]:
    """Give the score before and now, what the judge cost, and the notes."""
    from actions.reporting.naming import unasked

    if state.rounds and state.applied_fixes:
        start = state.rounds[0]
        yield f"before: {gate_line(start.score, start.gate, ())}"
    if state.rounds:
        yield f"now:    {gate_line(state.quality_score, state.quality_gate, state.issues)}"
    if state.trial:
        yield from fitted("trial:  ", safe(f"{'kept' if state.trial.kept else 'rolled back'}: {state.trial.reason}"))
    if state.judge:
        cost = state.cost
        yield f"judge:  {safe(state.judge)}, {cost_line(cost)}"
        if cost.from_cache:
            yield f"        {cost.from_cache}"
    if without := rejections(state.issues):
        yield from fitted("judge:  ", safe(without))
    for note in unasked("run", state.unasked, state.notes):
        yield from fitted("note:   ", safe(note))


def rejections(issues: "Sequence[Issue]") -> str:
    """Say what the rejections of a judge are worth; empty where there are none."""
    if not any(issue.status is IssueStatus.REJECTED for issue in issues):
        return ""
    from actions.judging.judged import overruled

    return overruled(issues)
