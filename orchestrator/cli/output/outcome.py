"""What a run found and did, as lines for a terminal."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from math import inf
from typing import TYPE_CHECKING

import click

from actions.reporting.hints import quote_run
from orchestrator.cli.output.concise import and_more, finding
from orchestrator.cli.output.text import cost_line, diff, gate_line, safe
from orchestrator.cli.output.wrap import cut, fitted
from schemas.vocabulary import FixSource, FixStatus, IssueStatus, Phase

if TYPE_CHECKING:
    from schemas.issues import Issue
    from schemas.records import Fix, State

_MOST, _IDS = 60, 6
"""Findings of one run, and fixes, that are shown; findings of a fix that are named."""
_ROOM, _FINDINGS, _FIXES = 8_500, 2_700, 3_000
"""Bytes that a program gets: in all (with how to go on it is below 10 KB), of the findings, of the fixes without their
diffs. On a terminal there is no such bound."""
_LINES, _LETTERS, _WORDS = 20, 400, 160
"""Lines of one diff that a program gets; letters of what is said of a fix, and of those what a program gets."""


def result_lines(state: "State", *, with_diffs: bool = True) -> Iterator[str]:
    """Give what a run found and did. with_diffs: nobody has seen them yet.

    A program gets less than a person: what is left out is told with the command that shows it.
    """
    all_of_it = f"tune-skill status {safe(quote_run(state))} --format json"
    findings, fixes, sums = _findings(state, all_of_it), _fixes(state, all_of_it), list(_sums(state))
    without = [f"  diff: {all_of_it}"]
    least = [*findings, *(line for _, head in fixes for line in (*head, *without)), *sums]
    room = inf if sys.stdout.isatty() else _ROOM - _size(least)
    yield from findings
    for fix, head in fixes:
        yield from head
        if fix and with_diffs and fix.status is not FixStatus.ROLLED_BACK:
            lines = _diff(fix, all_of_it)
            more = _size(lines) - _size(without)
            yield from lines if more <= room else without
            room -= more if more <= room else 0
    if state.rounds:
        yield ""
    yield from sums


def _findings(state: "State", all_of_it: str) -> list[str]:
    """Give the lines of what is open, the worst first, and of what was mended."""
    told = (IssueStatus.OPEN, IssueStatus.REJECTED)
    shown = [i for i in state.issues if i.status in told and not i.is_from_session]
    mended = [i for i in state.issues if i.status is IssueStatus.RESOLVED]
    shown.sort(key=lambda issue: issue.severity.rank)
    worst = [list(issue_lines(issue, state.target_skill.path or "")) for issue in shown[:_MOST]]
    blocks = _fitting(worst, _FINDINGS)
    lines = [line for block in blocks for line in block]
    lines += and_more(shown[len(blocks) :], all_of_it)
    if state.rounds and not shown:
        lines.append("Nothing is left to fix." if mended else "Nothing found.")
    if mended:
        named = [f"{i.id} {i.pattern}" for i in mended[:_MOST]]
        more = f" and {len(mended) - _MOST} more" * (len(mended) > _MOST)
        lines += ["", *fitted("fixed: ", f"{', '.join(named)}{more}")]
    return lines


def _fixes(state: "State", all_of_it: str) -> list[tuple["Fix | None", list[str]]]:
    """Give each fix that is shown with its lines but for the diff; the last entry may count those that are not."""
    ended = state.phase in (Phase.COMPLETED, Phase.FAILED)
    fixes = state.proposed_fixes
    heads = _fitting([["", *fix_lines(fix, ended=ended)] for fix in fixes[:_MOST]], _FIXES)
    more = len(fixes) - len(heads)
    rest: list[tuple[Fix | None, list[str]]] = [(None, ["", f"… and {more:,} more fixes: {all_of_it}"])]
    return [*zip(fixes, heads, strict=False), *(rest if more else ())]


def _fitting(blocks: list[list[str]], room: int) -> list[list[str]]:
    """Give the first blocks of lines that fit into so many bytes, one at least; on a terminal all do."""
    if sys.stdout.isatty():
        return blocks
    sizes = accumulate(map(_size, blocks))
    return [block for number, (block, size) in enumerate(zip(blocks, sizes, strict=True)) if not number or size <= room]


def _size(lines: Iterable[str]) -> int:
    """Return the bytes of lines as a program gets them."""
    return sum(len(click.unstyle(line).encode("utf-8", "replace")) + 1 for line in lines)


def _diff(fix: "Fix", all_of_it: str) -> list[str]:
    """Give the lines of a diff; to a program the first of a long one."""
    lines = [line for change in fix.changes for line in diff(change.diff).split("\n")]
    if sys.stdout.isatty() or len(lines) <= _LINES:
        return lines
    return [*lines[:_LINES], f"… {len(lines) - _LINES:,} more lines of this diff: {all_of_it}"]


def issue_lines(issue: "Issue", root: str) -> Iterator[str]:
    """Give an issue of the skill at `root`: its line with its id, and what a model says of it."""
    word = issue.verdict.word if issue.verdict else "rejected"
    out = f"({word}, not counted) " if issue.status is IssueStatus.REJECTED else ""
    yield from finding(root, issue, f"{issue.id} {out}")
    if issue.read_by:
        yield from fitted("  ", safe(f"{issue.known}: {issue.read_by.reason}"))
    if issue.verdict:
        yield from fitted("  ", f"{safe(issue.verdict.by)} {issue.verdict.word}: {safe(issue.verdict.why)}")


def fix_lines(fix: "Fix", *, ended: bool = False) -> Iterator[str]:
    """Give a fix but for its diff: what, why, how it went. ended: nobody chooses any more."""
    words = {FixStatus.APPLIED: "applied, verified", FixStatus.ROLLED_BACK: "rolled back"}
    words |= {FixStatus.PROPOSED: "not applied"} if ended else {}
    status = words.get(fix.status, fix.status.value)
    more = len(fix.issue_ids) - _IDS
    issues = ", ".join(fix.issue_ids[:_IDS]) + f" and {more} more" * (more > 0)
    by = "drafted by the model" if fix.source is FixSource.MODEL else fix.strategy
    facts = f"{by}, risk {fix.risk}, {issues}: {status}"
    letters = _LETTERS if sys.stdout.isatty() else _WORDS
    yield from fitted(f"{click.style(fix.id, bold=True)}  ", f"{cut(safe(fix.description), letters)}  ({facts})")
    yield from fitted("  ", cut(safe(fix.rationale), letters))
    if fix.review and not fix.reason:
        yield from fitted("  ", cut(safe(f"Checked: {'; '.join(fix.verification_steps)}"), letters))
    if fix.reason:
        yield from fitted(f"  {click.style('why', fg='yellow')}: ", safe(fix.reason))


def _sums(state: "State") -> Iterator[str]:
    """Give the score before and now, what the judge cost, and the notes."""
    from actions.reporting.hints import note_unasked

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
    for note in note_unasked("run", state.unasked, state.notes):
        yield from fitted("note:   ", safe(note))


def rejections(issues: "Sequence[Issue]") -> str:
    """Say what the rejections of a judge are worth; empty where there are none."""
    if not any(issue.status is IssueStatus.REJECTED for issue in issues):
        return ""
    from actions.review.verdicts import overruled

    return overruled(issues)
