"""The choice of fixes in a terminal: what was found, then each fix with its reason and its diff, as in `git add -p`."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from orchestrator.cli.keyed import keyed
from orchestrator.cli.output.concise import HANG, and_more, finding
from orchestrator.cli.output.text import diff, safe
from orchestrator.cli.output.wrap import fitted

if TYPE_CHECKING:
    from actions.steps.outcome import AskSelection
    from schemas.issues import Issue
    from schemas.records import Fix

_HELP = """y - apply this fix
n - do not apply this fix
a - apply this fix and all that follow
d - apply neither this fix nor those that follow
q - decide later: nothing is changed, your answers are kept
? - show this help"""
_WORDS = {"y": "yes", "n": "no", "a": "all", "d": "done", "q": "quit"}
_MOST, _NAMED = 40, 6
"""Findings listed before the first fix, the worst first; answers that are named one by one."""


def chosen(question: "AskSelection", keep: Callable[[str, bool], None]) -> tuple[str, ...] | None:
    """Return the ids of the fixes that the user wants; None to decide later. Raises KeyboardInterrupt.

    `keep` hears each answer as it is given; a fix that was answered before is not asked for again.
    """
    _list(question.root, question.issues)
    if said := answers(question.fixes):
        click.echo(f"\nYour answers so far: {said}", err=True)
    ahead = _Ahead(question)
    for fix in question.fixes:
        if fix.wanted:
            ahead.take(fix)
    left = [(number, fix) for number, fix in enumerate(question.fixes, 1) if fix.wanted is None]
    for at, (number, fix) in enumerate(left):
        place = f"({number}/{len(question.fixes)})"
        _show(place, fix, question, ahead.shown(fix))
        match keyed(f"{place} Apply?", _WORDS, _HELP):
            case "q":
                return None
            case "a":
                return (*ahead.ids, *(f.id for _, f in left[at:]))
            case "d":
                break
            case key:
                keep(fix.id, key == "y")
                if key == "y":
                    ahead.take(fix)
    return tuple(ahead.ids)


class _Ahead:
    """The skill as the fixes that were chosen so far will leave it."""

    def __init__(self, question: "AskSelection") -> None:
        self.ids: list[str] = []
        self._foreseen, self._case = question.foreseen, question.case
        self._waiting: list[Fix] = []
        self._files: set[str] = set()

    def take(self, fix: "Fix") -> None:
        """Hear that a fix is chosen."""
        self.ids.append(fix.id)
        self._waiting.append(fix)
        self._files |= {change.file for change in fix.changes}

    def shown(self, fix: "Fix") -> "Fix | None":
        """Return a fix as it will be made after those; None where it does not fit then."""
        if self._files.isdisjoint(change.file for change in fix.changes):
            return fix
        for one in self._waiting:
            if made := self._foreseen(one, self._case):
                self._case = made[1]
        self._waiting = []
        then = self._foreseen(fix, self._case)
        return then[0] if then else None


def answers(fixes: "Sequence[Fix]") -> str:
    """Return what the user has said of fixes in a choice that is not ended."""
    said = [fix for fix in fixes if fix.wanted is not None]
    if len(said) > _NAMED:
        yes = sum(fix.wanted is True for fix in said)
        return f"{yes} yes, {len(said) - yes} no"
    return ", ".join(f"{fix.id} {'yes' if fix.wanted else 'no'}" for fix in said)


def _list(root: str, issues: "Sequence[Issue]") -> None:
    click.echo("", err=True)
    for issue in issues[:_MOST]:
        _say(finding(root, issue, f"{issue.id} ", err=True))
    _say(and_more(issues[_MOST:], "`tune-skill status --format json` lists all", err=True))


def _show(place: str, fix: "Fix", question: "AskSelection", then: "Fix | None") -> None:
    head = f"\n{place} {click.style(fix.id, bold=True)} "
    _say(fitted(head, f"{safe(fix.description)} (risk {fix.risk})", HANG, err=True))
    for issue in question.issues:
        if issue.id in fix.issue_ids:
            _say(finding(question.root, issue, f"{issue.id} ", before="  for ", err=True))
    _say(fitted("  ", safe(fix.rationale), err=True))
    if fix.review:
        said = f"Drafted by the judge. Checked: {safe('; '.join(fix.verification_steps))}"
        _say(fitted("  ", said, err=True))
    if then is None:
        _say(fitted("  ", "A fix that you chose changes this place: after it this one may be refused.", err=True))
    _say(diff(change.diff) for change in (then or fix).changes)


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line, err=True)
