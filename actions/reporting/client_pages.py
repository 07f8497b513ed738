"""Render what a client shows its user when a run pauses: short Markdown pages with dialogs after them."""

from collections.abc import Collection, Iterator, Sequence
from operator import itemgetter
from typing import Any

import msgspec
from msgspec.structs import astuple

from actions.fixes.author_choices import is_reopened, list_open_choices
from actions.fixes.records import find_replaced
from actions.reporting.hints import quote_run
from actions.scoring.issues import select_counted_issues
from schemas.issues import Issue, Verdict
from schemas.records import Fix, State
from schemas.vocabulary import FixStatus, IssueStatus, Risk, Severity
from templates import render
from templates.filters import counted

_MAX_FINDINGS, _MAX_REFUTED = 24, 4
"""Maximum number of findings, and of refuted findings, on a page."""
_MAX_TEXT, _MAX_SENTENCE, _MAX_REASON = 320, 170, 600
"""Maximum numbers of characters: of a text about a fix or verdict, of a finding's sentence, of a refusal's reason."""
_MAX_DIFFS = 4_500
"""Maximum number of characters of all diffs on a page."""
_MAX_SIBLINGS = 3
"""Maximum number of other files with the same fault that are named at the end of a run."""
_MAX_DIALOGS = 4
"""Maximum number of dialogs for the author at once. Claude Code asks at most four questions at a time."""
_MAX_CHECKBOXES = 3
"""Maximum number of fixes that a dialog offers one by one. If there are more, it offers groups."""
_SERIOUS_SEVERITIES = (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM)


class Choice(msgspec.Struct, frozen=True):
    """An option of a dialog, and the ids that it selects."""

    label: str
    description: str
    ids: tuple[str, ...]


class Dialog(msgspec.Struct, frozen=True):
    """One question to the user. `several` means that the user may select more than one choice."""

    question: str
    header: str
    choices: tuple[Choice, ...]
    several: bool = False


class Page(msgspec.Struct, frozen=True):
    """The text to show to the user, and the dialog to open after it.

    `left_out` is a note about the text that is not shown, or "". `choices` are dialogs with questions that only the
    author can answer.
    """

    text: str
    dialog: Dialog | None = None
    left_out: str = ""
    choices: tuple[Dialog, ...] = ()


def list_explaining_findings(state: State) -> list[Issue]:
    """Return the open and fixed findings that explain the user's complaint, according to the model."""
    relevant = (issue for issue in state.issues if issue.status in (IssueStatus.OPEN, IssueStatus.RESOLVED))
    return [issue for issue in relevant if issue.explains_complaint]


def make_findings_page(state: State) -> Page:
    """Return a page of the open findings, one per line, with the refuted findings at the end.

    Findings that explain the complaint come first. Findings that only the author can fix are marked. The dialog does
    not offer them; to choose one, the user types its id.
    """
    by_hand = _list_manual_ids(state)
    explaining = {issue.id for issue in list_explaining_findings(state)}
    counted_issues = select_counted_issues(state.issues)
    first = [issue for issue in counted_issues if issue.id in explaining]
    rest = [issue for issue in counted_issues if issue.id not in explaining]
    refuted = [issue for issue in state.issues if issue.status is IssueStatus.REJECTED and issue.verdict]
    shown = [*first, *rest][:_MAX_FINDINGS]
    text = render(
        "mcp/findings.md",
        state=state,
        count=len(counted_issues),
        explaining=[_make_row(issue, by_hand) for issue in shown if issue.id in explaining],
        others=[_make_row(issue, by_hand) for issue in shown if issue.id not in explaining],
        refuted=[
            _make_row(issue) | _explain_refutation(issue.verdict) for issue in refuted[:_MAX_REFUTED] if issue.verdict
        ],
        listed=len(shown),
        is_read=state.judge is not None,
    )
    unlisted = len(counted_issues) - len(shown)
    hidden = unlisted + max(0, len(refuted) - _MAX_REFUTED)
    offered = [issue for issue in shown if issue.id not in by_hand]
    dialog = _make_findings_dialog(offered, explaining, unlisted + len(shown) - len(offered))
    return Page(text, dialog, _describe_hidden_items(state, hidden, "finding"))


def _list_manual_ids(state: State) -> tuple[str, ...]:
    return state.rounds[-1].by_hand if state.rounds else ()


def _make_row(issue: Issue, by_hand: Collection[str] = ()) -> dict[str, Any]:
    problem, more = _shorten(issue.description, _MAX_SENTENCE), len(issue.places) - 1
    return {"issue": issue, "problem": problem, "more": more, "by_hand": issue.id in by_hand}


def _explain_refutation(verdict: Verdict) -> dict[str, str]:
    if verdict.duplicate_of:
        return {"why": f"the same fault as {verdict.duplicate_of}"}
    return {"why": _shorten(verdict.reason)}


def _shorten(text: str, limit: int = _MAX_TEXT) -> str:
    """Cut a text between two words if it is longer than `limit`."""
    return text if len(text) <= limit else (text[:limit].rpartition(" ")[0] or text[:limit]).rstrip() + "…"


def _make_findings_dialog(every: Sequence[Issue], explaining: Collection[str], hidden: int) -> Dialog:
    first = [issue for issue in every if issue.id in explaining]
    serious = [issue for issue in every if issue.severity in _SERIOUS_SEVERITIES or issue in first]
    groups = (
        ("Those that explain my complaint", first, "Only the findings that explain your complaint."),
        ("The serious ones", serious, _describe_serious(serious)),
        ("All listed" if hidden else "All", every, "All listed findings that a fix may change."),
    )
    choices = {
        tuple(issue.id for issue in issues): Choice(f"{label} ({len(issues)})", about, tuple(i.id for i in issues))
        for label, issues, about in groups
        if issues
    }  # the last of several equal groups
    none = Choice("None", "Fix nothing; the report lists the findings.", ())
    return Dialog("Which findings should be fixed? You may also type ids.", "Findings", (*choices.values(), none))


def _describe_serious(serious: Sequence[Issue]) -> str:
    low = any(issue.severity not in _SERIOUS_SEVERITIES for issue in serious)
    return "All of medium severity or worse" + (", and those that explain your complaint." if low else ".")


def make_fixes_page(state: State) -> Page:
    """Return a page with this round's proposed and refused fixes.

    Proposed fixes are shown with their diffs, refused fixes with their reasons. Fixes of findings that explain the
    complaint come first.
    """
    explaining = {issue.id for issue in list_explaining_findings(state)}
    proposed = sorted(_list_new_fixes(state, FixStatus.PROPOSED), key=lambda fix: explaining.isdisjoint(fix.issue_ids))
    shown, chars_left = list[dict[str, Any]](), _MAX_DIFFS
    for fix in proposed:
        diff = "\n".join(fix.diffs)
        fits = len(diff) <= chars_left
        chars_left -= len(diff) if fits else 0
        replaced = find_replaced(fix, state.proposed_fixes)
        shown.append({"fix": fix, "diff": diff if fits else "", "why": _shorten(fix.rationale), "replaced": replaced})
    refused = [(fix, _shorten(fix.reason or "", _MAX_REASON)) for fix in _list_new_fixes(state, FixStatus.REFUSED)]
    hidden = sum(not row["diff"] for row in shown)
    applied = [fix.id for fix in state.proposed_fixes if fix.status is FixStatus.APPLIED]
    has_replacement = any(row["replaced"] for row in shown)
    text = render("mcp/fixes.md", fixes=shown, refused=refused, applied=applied if has_replacement else [])
    return Page(text, _make_fixes_dialog(proposed), _describe_hidden_items(state, hidden, "diff"))


def _make_choice_dialogs(state: State) -> Iterator[Dialog]:
    """Yield the dialogs with questions that only the author can answer, at most as many as a client shows at once."""
    leave = Choice("Leave it", "The finding stays open.", ())
    for id, choice in list(list_open_choices(state).items())[:_MAX_DIALOGS]:
        readings = (Choice(reading, f"{id} is fixed this way.", (id,)) for reading in choice.readings[:3])
        yield Dialog(f"{id}: {choice.question}", id, (*readings, leave))


def _list_new_fixes(state: State, status: FixStatus) -> list[Fix]:
    return [fix for fix in state.proposed_fixes if fix.status is status and fix.iteration == state.iteration_count]


def _make_fixes_dialog(fixes: Sequence[Fix]) -> Dialog:
    none = Choice("None", "Apply none of these.", ())
    question = "Which fixes should be applied? Each can be rolled back."
    if len(fixes) <= _MAX_CHECKBOXES:
        each = (Choice(fix.id, f"{_shorten(fix.description)} Risk: {fix.risk}.", (fix.id,)) for fix in fixes)
        return Dialog(question, "Fixes", (*each, none), several=len(fixes) > 1)
    mild = [fix.id for fix in fixes if fix.risk is not Risk.HIGH]
    choices = [Choice(f"All {len(fixes)}", "Every fix that is shown.", tuple(fix.id for fix in fixes))]
    if 0 < len(mild) < len(fixes):
        choices.append(
            Choice(f"All but high risk ({len(mild)})", "Leave out the fixes that change the skill most.", tuple(mild))
        )
    return Dialog(f"{question} You may also type ids.", "Fixes", (*choices, none))


def make_outcome_page(state: State, report: str) -> Page:
    """Return a page of at most 40 lines with the outcome of a run. `report` is the path of the full report."""
    choices, by_hand = list_open_choices(state), _list_manual_ids(state)
    refused = (fix for fix in state.proposed_fixes if fix.reason and fix.status is not FixStatus.PROPOSED)
    ended = [fix for fix in refused if fix.issue_ids[0] not in choices and not is_reopened(fix)]
    text = render(
        "mcp/outcome.md",
        state=state,
        run=quote_run(state),
        report=report,
        start=state.rounds[0] if state.rounds else None,
        applied=[(f, _shorten(f.description)) for f in _list_applied_fixes(state)],
        choices=list(choices.items())[:_MAX_DIALOGS],
        failed=[(fix, _shorten(fix.reason or "")) for fix in ended],
        waiting=[
            (f.id, _shorten(f.description, _MAX_SENTENCE).rstrip("."))
            for f in state.proposed_fixes
            if f.status is FixStatus.PROPOSED
        ],
        left=[_make_row(issue, by_hand) for issue in select_counted_issues(state.issues)],
        counts=_describe_counts(state),
        explaining=sorted(
            (_make_complaint_row(issue, state, by_hand) for issue in list_explaining_findings(state)),
            key=itemgetter("is_fixed"),
        ),
        is_read=state.judge is not None,
        siblings=list(_list_siblings(state).items())[:_MAX_SIBLINGS],
    )
    return Page(text, choices=tuple(_make_choice_dialogs(state)))


def _list_siblings(state: State) -> dict[str, str]:
    """Map files outside the unit to a sentence about a fault that was fixed in the unit and that they also have."""
    sentences = {issue.id: _shorten(issue.description, _MAX_SENTENCE) for issue in state.issues}
    applied = (fix for fix in state.proposed_fixes if fix.status is FixStatus.APPLIED)
    return {path: sentences.get(fix.issue_ids[0], "") for fix in applied for path in fix.siblings}


def _list_applied_fixes(state: State) -> list[Fix]:
    """Return the applied fixes, those of the last round first."""
    applied = (fix for fix in state.proposed_fixes if fix.status is FixStatus.APPLIED)
    return sorted(applied, key=lambda fix: fix.iteration, reverse=True)


def _make_complaint_row(issue: Issue, state: State, by_hand: Collection[str]) -> dict[str, Any]:
    applied = [fix for fix in state.proposed_fixes if fix.status is FixStatus.APPLIED]
    fixes = (fix for fix in applied if issue.id in (*fix.issue_ids, *(fix.review.ended if fix.review else ())))
    is_fixed = issue.status is IssueStatus.RESOLVED
    return _make_row(issue, by_hand) | {"is_fixed": is_fixed, "fix": next(fixes, None) if is_fixed else None}


def _describe_counts(state: State) -> str:
    """Return a sentence with the numbers of findings before the run, of fixed findings and of findings left.

    A further clause explains the difference if the numbers do not add up.
    """
    left = len(select_counted_issues(state.issues))
    fixed = sum(i.status is IssueStatus.RESOLVED and not i.is_about_session for i in state.issues)
    first = state.rounds[0].counts if state.rounds else None
    known = sum(astuple(first)) if first else left + fixed
    rest = known - fixed - left
    more = f", {-rest} of them new" if rest < 0 else f", {rest} covered by another or rejected" if rest else ""
    return f"{counted(known, 'finding')} before, {fixed} fixed, {left} left{more}."


def _describe_hidden_items(state: State, count: int, noun: str) -> str:
    return (
        f"not shown here: {counted(count, noun)}. To list all: `tune-skill status {quote_run(state)} --format json`"
        if count
        else ""
    )
