"""Findings, fixes and results as text for a terminal. Untrusted text is made printable first."""

import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from orchestrator import durable
from orchestrator.cli.wrap import columns, wrapped
from orchestrator.errors import one_line
from schemas.vocabulary import FixStatus, Gate, IssueStatus, Phase, Severity
from templates.filters import counted

if TYPE_CHECKING:
    from schemas.issues import Cost, Issue, Tokens
    from schemas.records import Fix, State

_STEERING = {"Cc", "Cf", "Zl", "Zp"}
_ODD = re.compile(r"[^\x00-\x7e]")
_COLOURS = {Severity.CRITICAL: "red", Severity.HIGH: "red", Severity.MEDIUM: "yellow", Severity.LOW: "blue"}
_MOST = 60
"""Findings of one run, and fixes, that are shown."""
_GATES = {Gate.PASS: "green", Gate.REVIEW: "yellow", Gate.FAIL: "red"}


def json_text(value: Any) -> bytes:
    """Give JSON for stdout, always UTF-8; what would steer a terminal is written as an escape."""
    return _ODD.sub(lambda m: _escaped(m[0]), durable.encode(value).decode()).encode()


def _escaped(char: str) -> str:
    """Give a steering character as JSON's escape, as a surrogate pair where it needs one; others as they are."""
    if unicodedata.category(char) not in _STEERING:
        return char
    units = char.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def safe(text: str) -> str:
    """Give untrusted text as one printable line."""
    return one_line(text)


def warned(sentence: str) -> None:
    """Tell the user something on stderr."""
    click.echo(warning(sentence), err=True)


def warning(sentence: str) -> str:
    """Give a sentence as a line that says who speaks."""
    return f"tune-skill: {safe(sentence)}"


def severity_mark(severity: Severity) -> str:
    """Give a severity in its colour."""
    return click.style(severity.value, fg=_COLOURS[severity], bold=severity is Severity.CRITICAL)


def issue_lines(issue: "Issue", root: str) -> Iterator[str]:
    """Give an issue of the skill at `root`: its line with its id, and what a model says of it."""
    from orchestrator.cli.concise import finding

    word = issue.verdict.word if issue.verdict else "rejected"
    out = f"({word}, not counted) " if issue.status is IssueStatus.REJECTED else ""
    yield finding(root, issue, f"{issue.id} {out}")
    if issue.read_by:
        yield from _fitted("  ", safe(f"{issue.known}: {issue.read_by.reason}"))
    if issue.verdict:
        yield from _fitted("  ", f"{safe(issue.verdict.by)} {issue.verdict.word}: {safe(issue.verdict.why)}")


def diff(text: str) -> str:
    """Give a unified diff with colours; each line made printable."""
    return "\n".join(_diff_line(line) for line in text.removesuffix("\n").split("\n"))


def _diff_line(line: str) -> str:
    shown = "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in line)
    if line.startswith(("+++", "---", "@@")):
        return click.style(shown, bold=True)
    colour = {"+": "green", "-": "red"}.get(line[:1])
    return click.style(shown, fg=colour) if colour else shown


def gate_line(score: int, gate: Gate, issues: "Sequence[Issue]") -> str:
    """Give score, gate and counts in one line."""
    return f"{gate_word(score, gate)} {by_severity(issues)}".rstrip()


def gate_word(score: int, gate: Gate) -> str:
    """Give score and gate."""
    return f"score {score}, gate {click.style(gate.value, fg=_GATES[gate])}"


def by_severity(issues: "Sequence[Issue]") -> str:
    """Give how many of the issues that count there are of each severity, in brackets; empty where there is none."""
    counting = [issue.severity for issue in issues if issue.counts]
    counts = ", ".join(f"{n} {s.value}" for s in Severity if (n := counting.count(s)))
    return f" ({counts})" if counts else ""


def cost_line(cost: "Cost") -> str:
    """Give what a judge was asked and what it cost."""
    return f"{counted(cost.queries, 'query', 'queries')}, {counted(cost.tokens, 'token')}, {cost.usd:.4f} USD"


def tokens_line(tokens: "Tokens") -> str:
    """Give the tokens per load stage."""
    return (
        f"about {counted(tokens.listing, 'token')} in every session, {tokens.body:,} at every use, "
        f"{tokens.on_demand:,} on demand"
    )


def fix_lines(fix: "Fix", *, with_diff: bool = True, ended: bool = False) -> Iterator[str]:
    """Give a fix: what, why, how it went, diff. ended: nobody chooses any more."""
    words = {FixStatus.APPLIED: "applied, verified", FixStatus.ROLLED_BACK: "rolled back"}
    words |= {FixStatus.PROPOSED: "not applied"} if ended else {}
    status = words.get(fix.status, fix.status.value)
    issues = ", ".join(fix.issue_ids)
    by = "drafted by the judge" if fix.source == "sdk" else fix.strategy
    facts = f"{by}, risk {fix.risk}, {issues}: {status}"
    yield from _fitted(f"{click.style(fix.id, bold=True)}  ", f"{safe(fix.description)}  ({facts})")
    yield from _fitted("  ", safe(fix.rationale))
    if fix.review and not fix.reason:
        yield from _fitted("  ", safe(f"Checked: {'; '.join(fix.verification_steps)}"))
    if fix.reason:
        yield f"  {click.style('why', fg='yellow')}: {safe(fix.reason)}"
    if with_diff:
        yield from (diff(change.diff) for change in fix.changes)


def result_lines(state: "State", *, with_diffs: bool = True) -> Iterator[str]:
    """Give what a run found and did. with_diffs: nobody has seen them yet."""
    told = (IssueStatus.OPEN, IssueStatus.REJECTED)
    shown = [i for i in state.issues if i.status in told and i.source != "session"]
    mended = [i for i in state.issues if i.status is IssueStatus.RESOLVED]
    for issue in sorted(shown, key=lambda issue: issue.severity.rank)[:_MOST]:
        yield from issue_lines(issue, state.target_skill.path or "")
    if len(shown) > _MOST:
        yield f"… and {len(shown) - _MOST:,} more, none of them worse: --format json and the report list all"
    if state.rounds and not shown:
        yield "Nothing is left to fix." if mended else "Nothing found."
    if mended:
        yield f"\nfixed: {', '.join(f'{i.id} {i.pattern}' for i in mended)}"
    ended = state.phase in (Phase.COMPLETED, Phase.FAILED)
    for fix in state.proposed_fixes[:_MOST]:
        yield ""
        yield from fix_lines(fix, with_diff=with_diffs, ended=ended)
    if len(state.proposed_fixes) > _MOST:
        yield f"\n… and {len(state.proposed_fixes) - _MOST:,} more fixes: --format json and the report list all"
    if state.rounds:
        yield ""
    yield from _sums(state)


def _sums(state: "State") -> Iterator[str]:
    """Give the score before and now, what the judge cost, and the notes."""
    from actions.reporting.naming import unasked

    if state.rounds and state.applied_fixes:
        start = state.rounds[0]
        yield f"before: {gate_line(start.score, start.gate, ())}"
    if state.rounds:
        yield f"now:    {gate_line(state.quality_score, state.quality_gate, state.issues)}"
    if state.trial:
        yield from _fitted("trial:  ", safe(f"{'kept' if state.trial.kept else 'rolled back'}: {state.trial.reason}"))
    if state.judge:
        cost = state.cost
        yield f"judge:  {safe(state.judge)}, {cost_line(cost)}"
        if cost.from_cache:
            yield f"        {cost.from_cache}"
    if without := rejections(state.issues):
        yield f"judge:  {safe(without)}"
    for note in unasked("run", state.unasked, state.notes):
        yield from _fitted("note:   ", safe(note))


def rejections(issues: "Sequence[Issue]") -> str:
    """Say what the rejections of a judge are worth; empty where there are none."""
    if not any(issue.status is IssueStatus.REJECTED for issue in issues):
        return ""
    from actions.judging.judged import overruled

    return overruled(issues)


def _fitted(head: str, text: str) -> Iterator[str]:
    """Give a text behind its head, broken at spaces where stdout is a terminal, else as one line."""
    indent = len(click.unstyle(head))
    lines = tuple(wrapped(text, columns() - indent)) if sys.stdout.isatty() else (text,)
    yield head + "".join(lines[:1])
    yield from (" " * indent + line for line in lines[1:])
