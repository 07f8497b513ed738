"""Ask in a terminal which fixes to apply: list the findings, then show each fix with its diff, as in `git add -p`."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.prompt import ask_key
from orchestrator.cli.output.issue_lines import HANG, count_left_out, format_issue
from orchestrator.cli.output.text import diff, safe
from orchestrator.cli.output.wrap import fit

if TYPE_CHECKING:
    from actions.steps.outcome import AskSelection
    from schemas.issues import Issue
    from schemas.records import Fix

_KEY_HELP = """y - apply this fix
n - do not apply this fix
a - apply this fix and all that follow
d - apply neither this fix nor any that follow
q - decide later: nothing is changed, your answers are saved
? - show this help"""
_KEY_WORDS = {"y": "yes", "n": "no", "a": "all", "d": "done", "q": "quit"}
_MAX_FINDINGS = 40
"""Maximum number of findings listed before the first fix, worst first."""
_MAX_ANSWERS = 6
"""Maximum number of answers that are listed. If there are more, only their number is shown."""


def choose_fixes(question: "AskSelection", save: Callable[[str, bool], None]) -> tuple[str, ...] | None:
    """Ask the user which fixes to apply, and return their ids. Raises KeyboardInterrupt.

    Returns None if the user wants to decide later. save: called with each answer (fix id, yes or no). Fixes that
    already have an answer are not asked about again.
    """
    _print_findings(question.root, question.issues)
    if answers := summarize_answers(question.fixes):
        click.echo(f"\nYour answers so far: {answers}", err=True)
    preview = _Preview(question)
    for fix in question.fixes:
        if fix.wanted:
            preview.add(fix)
    undecided = [(number, fix) for number, fix in enumerate(question.fixes, 1) if fix.wanted is None]
    for index, (number, fix) in enumerate(undecided):
        position = f"({number}/{len(question.fixes)})"
        _print_fix(position, fix, question, preview.rebase(fix))
        match ask_key(f"{position} Apply?", _KEY_WORDS, _KEY_HELP):
            case "q":
                return None
            case "a":
                return (*preview.ids, *(other.id for _, other in undecided[index:]))
            case "d":
                break
            case key:
                save(fix.id, key == "y")
                if key == "y":
                    preview.add(fix)
    return tuple(preview.ids)


class _Preview:
    """The skill after the fixes that have been chosen so far."""

    def __init__(self, question: "AskSelection") -> None:
        self.ids: list[str] = []
        self._state, self._case = question.state, question.case
        self._pending: list[Fix] = []
        self._files: set[str] = set()

    def add(self, fix: "Fix") -> None:
        """Add a chosen fix."""
        self.ids.append(fix.id)
        self._pending.append(fix)
        self._files |= {change.file for change in fix.changes}

    def rebase(self, fix: "Fix") -> "Fix | None":
        """Return a fix with its changes based on the text after the chosen fixes. Returns None if that fails."""
        if self._files.isdisjoint(change.file for change in fix.changes):
            return fix
        from actions.steps.select_fixes import preview_fix

        for chosen in self._pending:
            if result := preview_fix(self._state, chosen, self._case):
                self._case = result.after
        self._pending = []
        result = preview_fix(self._state, fix, self._case)
        return result.fix if result else None


def summarize_answers(fixes: "Sequence[Fix]") -> str:
    """Return a text that lists the user's answers so far, or "" if there are none."""
    answered = [fix for fix in fixes if fix.wanted is not None]
    if len(answered) > _MAX_ANSWERS:
        yes = sum(fix.wanted is True for fix in answered)
        return f"{yes} yes, {len(answered) - yes} no"
    return ", ".join(f"{fix.id} {'yes' if fix.wanted else 'no'}" for fix in answered)


def _print_findings(root: str, issues: "Sequence[Issue]") -> None:
    click.echo("", err=True)
    for issue in issues[:_MAX_FINDINGS]:
        _print_lines(format_issue(root, issue, f"{issue.id} ", err=True))
    _print_lines(count_left_out(issues[_MAX_FINDINGS:], "`tune-skill status --format json` lists all", err=True))


def _print_fix(position: str, fix: "Fix", question: "AskSelection", after_chosen: "Fix | None") -> None:
    head = f"\n{position} {click.style(fix.id, bold=True)} "
    _print_lines(fit(head, f"{safe(fix.description)} (risk {fix.risk})", HANG, err=True))
    for issue in question.issues:
        if issue.id in fix.issue_ids:
            _print_lines(format_issue(question.root, issue, f"{issue.id} ", before="  for ", err=True))
    _print_lines(fit("  ", safe(fix.rationale), err=True))
    if fix.review:
        checks = safe("; ".join(fix.verification_steps))
        _print_lines(fit("  ", f"Drafted by the model. Checked: {checks}", err=True))
    if after_chosen is None:
        _print_lines(fit("  ", "A fix that you chose changes the same text, so this fix may be refused.", err=True))
    _print_lines(map(diff, (after_chosen or fix).diffs))


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line, err=True)
