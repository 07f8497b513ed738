"""The choice of fixes in a terminal: what was found, then each fix with its reason and its diff, as in `git add -p`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from orchestrator.cli.concise import finding, order
from orchestrator.cli.keyed import keyed
from orchestrator.cli.text import diff, safe

if TYPE_CHECKING:
    from actions.steps.outcome import AskSelection
    from schemas.issues import Issue
    from schemas.records import Fix

_HELP = """y - apply this fix
n - do not apply this fix
a - apply this fix and all that follow
d - apply neither this fix nor any that follows
q - decide later: the run waits, nothing is changed
? - this help"""
_WORDS = {"y": "yes", "n": "no", "a": "all", "d": "done", "q": "quit"}
_MOST = 40
"""Findings listed before the first fix, the worst first."""


def chosen(question: "AskSelection") -> tuple[str, ...] | None:
    """Return the ids of the fixes that the user wants; None to decide later. Raises KeyboardInterrupt."""
    _list(question.root, question.issues)
    ids: list[str] = []
    for number, fix in enumerate(question.fixes, 1):
        _show(f"({number}/{len(question.fixes)})", fix, question)
        match keyed(f"({number}/{len(question.fixes)}) Apply?", _WORDS, _HELP):
            case "q":
                return None
            case "y":
                ids.append(fix.id)
            case "a":
                return (*ids, *(f.id for f in question.fixes[number - 1 :]))
            case "d":
                break
    return tuple(ids)


def _list(root: str, issues: "Sequence[Issue]") -> None:
    click.echo("", err=True)
    for issue in sorted(issues, key=order)[:_MOST]:
        click.echo(finding(root, issue, f"{issue.id} "), err=True)
    if len(issues) > _MOST:
        click.echo(f"… and {len(issues) - _MOST} more: `tune-skill status` lists them", err=True)


def _show(place: str, fix: "Fix", question: "AskSelection") -> None:
    click.echo(f"\n{place} {click.style(fix.id, bold=True)} {safe(fix.description)} (risk {fix.risk})", err=True)
    for issue in question.issues:
        if issue.id in fix.issue_ids:
            click.echo(f"  for {finding(question.root, issue, f'{issue.id} ')}", err=True)
    click.echo(f"  {safe(fix.rationale)}", err=True)
    if fix.review:
        click.echo(f"  Drafted by the judge. Checked: {safe('; '.join(fix.verification_steps))}", err=True)
    for change in fix.changes:
        click.echo(diff(change.diff), err=True)
