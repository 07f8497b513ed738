"""Format the findings and fixes of a run, for a terminal or for a program that reads the output."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import inf
from typing import TYPE_CHECKING

import click

from actions.grouping import group_by_key
from actions.reporting.hints import quote_run
from actions.scoring.quality import is_incomplete, is_unread
from orchestrator.cli.output.issue_lines import count_left_out, format_issue
from orchestrator.cli.output.text import diff, format_cost, format_gate_line, safe
from orchestrator.cli.output.wrap import cut, fit
from schemas.vocabulary import FixSource, FixStatus, IssueStatus, Phase, UnitKind, Verification

if TYPE_CHECKING:
    from schemas.issues import Issue
    from schemas.records import Fix, State

_MAX_ITEMS = 60
"""Maximum number of findings, and of fixes, that are shown."""
_MAX_IDS = 6
"""Maximum number of finding ids listed with a fix, or with the reason why they have none."""
_MAX_BYTES, _MAX_FINDING_BYTES, _MAX_FIX_BYTES = 8_500, 2_700, 3_000
"""Limits in bytes if the output is not a terminal: for everything, for the findings, and for the fixes without diffs.

With the next steps, the output stays below 10 KB.
"""
_MAX_DIFF_LINES = 20
"""Maximum number of lines of one diff, if the output is not a terminal."""
_MAX_COLUMNS, _MAX_PROGRAM_COLUMNS = 400, 160
"""Maximum width of a fix's description and reason in columns, on a terminal and elsewhere."""


def format_run_result(state: "State", *, with_diffs: bool = True) -> Iterator[str]:
    """Yield the findings and fixes of a run. with_diffs: include the diffs, which the user has not seen yet.

    Output that is not for a terminal is shortened; a note counts the omitted parts and names a command to show them.
    """
    show_all = f"tune-skill status {safe(quote_run(state))} --format json"
    findings, fixes = _format_findings(state, show_all), _format_fixes(state, show_all)
    summary = list(_format_summary(state))
    without_diff = [f"  diff: {show_all}"]
    required = [*findings, *(line for _, head in fixes for line in (*head, *without_diff)), *summary]
    budget = inf if sys.stdout.isatty() else _MAX_BYTES - _count_bytes(required)
    yield from findings
    for fix, head in fixes:
        yield from head
        if fix and with_diffs and fix.status is not FixStatus.ROLLED_BACK:
            diff_lines = _format_diff(fix, show_all)
            added = _count_bytes(diff_lines) - _count_bytes(without_diff)
            if added <= budget:
                yield from diff_lines
                budget -= added
            else:
                yield from without_diff
    if state.rounds:
        yield ""
    yield from summary


def _format_findings(state: "State", show_all: str) -> list[str]:
    """Return the lines of open issues, worst first, and of fixed issues."""
    reported = (IssueStatus.OPEN, IssueStatus.REJECTED)
    issues = [issue for issue in state.issues if issue.status in reported and not issue.is_about_session]
    fixed = [issue for issue in state.issues if issue.status is IssueStatus.RESOLVED]
    issues.sort(key=lambda issue: issue.severity.rank)
    worst = [list(_format_issue(issue, state.target_skill.root)) for issue in issues[:_MAX_ITEMS]]
    blocks = _limit_bytes(worst, _MAX_FINDING_BYTES)
    lines = [line for block in blocks for line in block]
    lines += count_left_out(issues[len(blocks) :], show_all)
    if state.rounds and not issues:
        nothing = "Nothing is left to fix" if fixed else "Nothing found"
        lines.append(f"{nothing}, but not everything was checked." if is_incomplete(state) else f"{nothing}.")
    if fixed:
        ids = [f"{issue.id} {issue.pattern}" for issue in fixed[:_MAX_ITEMS]]
        more = f" and {len(fixed) - _MAX_ITEMS} more" if len(fixed) > _MAX_ITEMS else ""
        lines += ["", *fit("fixed: ", f"{', '.join(ids)}{more}")]
    reasons = list(_explain_missing_fixes(state, issues))
    return [*lines, *([""] if reasons and not fixed else ()), *reasons]


def _explain_missing_fixes(state: "State", issues: Iterable["Issue"]) -> Iterator[str]:
    """Yield a line for each reason why open issues have no fix, once the run has proposed fixes.

    Proposed fixes have lines of their own, with their outcomes.
    """
    from actions.reporting.finding_rows import NO_FIX, explain_open_issue

    if not (state.rounds and state.rounds[-1].proposed):
        return
    with_fix = {id for fix in state.proposed_fixes for id in fix.issue_ids}
    unfixed = [issue for issue in issues if issue.status is IssueStatus.OPEN and issue.id not in with_fix]
    reasons = group_by_key((explain_open_issue(state, issue), issue.id) for issue in unfixed)
    can_draft = state.target_skill.kind is UnitKind.SKILL and not state.judge
    for reason, ids in reasons.items():
        hint = "; a model can draft one" if can_draft and reason.startswith(NO_FIX) else ""
        yield from fit("open:  ", f"{_list_ids(ids)}: {safe(reason)}{hint}")


def _list_ids(ids: Sequence[str]) -> str:
    more = len(ids) - _MAX_IDS
    return ", ".join(ids[:_MAX_IDS]) + (f" and {more} more" if more > 0 else "")


def _format_fixes(state: "State", show_all: str) -> list[tuple["Fix | None", list[str]]]:
    """Return each fix with its lines, without the diff. If fixes are left out, the last entry says how many."""
    ended = state.phase in (Phase.COMPLETED, Phase.FAILED)
    fixes = state.proposed_fixes
    unwritten = {entry.fix_id for entry in state.applied_fixes if entry.verification_result is Verification.FAIL}
    lines = (_format_fix(fix, ended=ended, is_unwritten=fix.id in unwritten) for fix in fixes[:_MAX_ITEMS])
    heads = _limit_bytes([["", *block] for block in lines], _MAX_FIX_BYTES)
    more = len(fixes) - len(heads)
    rest: list[tuple[Fix | None, list[str]]] = [(None, ["", f"… and {more:,} more fixes: {show_all}"])]
    return [*zip(fixes, heads, strict=False), *(rest if more else ())]


def _limit_bytes(blocks: list[list[str]], budget: int) -> list[list[str]]:
    """Return the first blocks of lines that fit into `budget` bytes, at least one. On a terminal, return all blocks."""
    if sys.stdout.isatty():
        return blocks
    sizes = accumulate(map(_count_bytes, blocks))
    count = sum(size <= budget for size in sizes)  # the sizes are cumulative
    return blocks[: max(1, count)]


def _count_bytes(lines: Iterable[str]) -> int:
    """Return the size of lines in bytes, not counting colour codes."""
    return sum(len(click.unstyle(line).encode("utf-8", "replace")) + 1 for line in lines)


def _format_diff(fix: "Fix", show_all: str) -> list[str]:
    lines = [line for text in fix.diffs for line in diff(text).split("\n")]
    if sys.stdout.isatty() or len(lines) <= _MAX_DIFF_LINES:
        return lines
    return [*lines[:_MAX_DIFF_LINES], f"… {len(lines) - _MAX_DIFF_LINES:,} more lines of this diff: {show_all}"]


def _format_issue(issue: "Issue", root: str) -> Iterator[str]:
    """Yield the line of an issue with its id, and the verdict of the judge."""
    word = issue.verdict.word if issue.verdict else "rejected"
    rejected = f"({word}, not counted) " if issue.status is IssueStatus.REJECTED else ""
    yield from format_issue(root, issue, f"{issue.id} {rejected}")
    if issue.read_by:
        yield from fit("  ", safe(f"{issue.how_known}: {issue.read_by.explanation}"))
    if issue.verdict:
        yield from fit("  ", f"{safe(issue.verdict.by)} {issue.verdict.word}: {safe(issue.verdict.why)}")


def _format_fix(fix: "Fix", *, ended: bool, is_unwritten: bool) -> Iterator[str]:
    """Yield the lines of a fix without its diff: description, reason, outcome.

    ended: the run has ended. is_unwritten: the fix failed its check before anything was written.
    """
    undone = "check failed, not written" if is_unwritten else "rolled back"
    words = {FixStatus.APPLIED: "applied, verified", FixStatus.ROLLED_BACK: undone}
    words |= {FixStatus.PROPOSED: "not applied"} if ended else {}
    status = words.get(fix.status, fix.status.value)
    by = "drafted by the model" if fix.source is FixSource.MODEL else fix.strategy
    details = f"{by}, risk {fix.risk}, {_list_ids(fix.issue_ids)}: {status}"
    limit = _MAX_COLUMNS if sys.stdout.isatty() else _MAX_PROGRAM_COLUMNS
    yield from fit(f"{click.style(fix.id, bold=True)}  ", f"{cut(safe(fix.description), limit)}  ({details})")
    yield from fit("  ", cut(safe(fix.rationale), limit))
    if fix.review and not fix.reason:
        yield from fit("  ", cut(safe(f"Checked: {'; '.join(fix.verification_steps)}"), limit))
    if fix.reason:
        yield from fit(f"  {click.style('why', fg='yellow')}: ", safe(fix.reason))


def _format_summary(state: "State") -> Iterator[str]:
    """Yield the old and the current score, the result of the trial, the judge with its cost, and the notes."""
    from actions.reporting.hints import note_unasked

    if state.rounds and state.applied_fixes:
        start = state.rounds[0]
        yield f"before: {format_gate_line(start.score, start.gate, ())}"
    if state.rounds:
        yield f"now:    {format_gate_line(state.quality_score, state.quality_gate, state.issues)}"
    if state.exam:
        yield from fit("exam:   ", safe(f"{state.exam.result}, so {state.exam.improvement} applied its edits"))
    if state.trial:
        yield from fit("trial:  ", safe(f"{'kept' if state.trial.kept else 'rolled back'}: {state.trial.reason}"))
    if state.judge:
        cost = state.cost
        yield f"judge:  {safe(state.judge)}, {format_cost(cost)}"
        if cost.from_cache:
            yield f"        {cost.from_cache}"
    if rejections := describe_rejections(state.issues):
        yield from fit("judge:  ", safe(rejections))
    for note in note_unasked("run", state.unasked, state.notes, is_unread=is_unread(state)):
        yield from fit("note:   ", safe(note))


def describe_rejections(issues: "Sequence[Issue]") -> str:
    """Return how the score would differ without the judge's rejections, or "" if there are none."""
    if not any(issue.status is IssueStatus.REJECTED for issue in issues):
        return ""
    from actions.review.scan_notes import describe_rejections

    return describe_rejections(issues)
