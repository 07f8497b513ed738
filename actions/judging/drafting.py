"""Mends that a judge drafts where no strategy has one. Each is tried in memory before anybody sees it.

What fails goes back once with the words of the verification. What fails again is kept as refused, with the reason, and
is not asked for again in this run. A draft is of medium risk at least and never counts as safe.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from actions.findings import Scan, scan
from actions.fixes import as_fix
from actions.issues import CUSTOM, told_of
from actions.judging.asking import ask, booked, plus, question
from actions.judging.edits import Unfit, edits_in, may_reword, written
from actions.judging.judge import Judge, Question
from actions.judging.judged import BY_JUDGE
from actions.judging.quotes import bare
from actions.passages import passages, places_of
from actions.skill import Case
from actions.skill.skill import MAIN
from actions.strategies import Draft
from actions.trial import tried
from schemas.issues import Cost, Issue
from schemas.records import Fix, State
from schemas.vocabulary import Family, FixStatus, Risk

_MOST = 4
"""Findings that are drafted for in one round, the worst first: each costs a question or two."""
_GROWTH = 300
"""Estimated tokens by which a draft may let the instructions grow."""


@dataclass(frozen=True)
class Drafted:
    """Fixes by id, the bytes that they write, and the changes of the state: cost and notes."""

    fixes: Mapping[str, Fix] = field(default_factory=dict)
    contents: tuple[bytes, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Attempt:
    """One draft for one finding. No fix: `reasons` say why it could not even be tried, or it was declined."""

    issue: Issue
    said: Mapping[str, Any]
    fix: Fix | None = None
    writes: Mapping[str, bytes] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()

    @property
    def is_declined(self) -> bool:
        """Whether the judge would rather draft nothing."""
        return not self.said["edits"]

    @property
    def failed(self) -> bool:
        """Whether it was tried, or could not be, and something speaks against it."""
        return bool(self.reasons) and not self.is_declined


def drafted(state: State, case: Case, judge: Judge | None, unmended: Sequence[Issue], number: int) -> Drafted:
    """Draft mends of findings that no strategy mends. `number` is that of the last fix.

    A draft of an earlier round that waits for a choice stays, where its text still stands.
    """
    waiting = _waiting(state, case, unmended)
    kept = Drafted({fix.id: fix for fix, _ in waiting}, tuple(data for _, found in waiting for data in found.values()))
    mended = {id for fix in kept.fixes.values() for id in fix.issue_ids}
    wanted = [issue for issue in _wanted(state, case, unmended) if issue.id not in mended]
    if judge is None or not wanted:
        return kept
    work = _Work(state, case, scan(case), judge)
    last = work.all(wanted)
    ids = {a.issue.id: f"FIX-{number + n:03d}" for n, a in enumerate((a for a in last if not a.is_declined), 1)}
    fixes = {ids[a.issue.id]: _fix(a, ids[a.issue.id], state, case) for a in last if not a.is_declined}
    contents = tuple(data for a in last if not a.failed for data in a.writes.values())
    return Drafted({**kept.fixes, **fixes}, (*kept.contents, *contents), work.changes(last))


def refitted(fix: Fix, issues: Sequence[Issue], case: Case) -> tuple[Fix, dict[str, bytes]] | None:
    """Give a draft of a judge as it fits the present text, and what it writes; None where it does not fit."""
    try:
        writes = written(edits_in(fix.changes), case.skill)
    except Unfit:
        return None
    new = as_fix(fix.id, CUSTOM, _draft(fix, writes), issues, case.skill, fix.iteration, fix.risk, BY_JUDGE)
    return replace(new, status=fix.status), writes


def _draft(fix: Fix, writes: Mapping[str, bytes]) -> Draft:
    limit = _GROWTH if fix.token_limit is None else fix.token_limit
    return Draft(writes, fix.description, fix.rationale, fix.estimated_impact, limit, rewrites=fix.rewrites)


def _waiting(state: State, case: Case, unmended: Sequence[Issue]) -> list[tuple[Fix, dict[str, bytes]]]:
    found = []
    for fix in state.proposed_fixes:
        if fix.source == BY_JUDGE and fix.status is FixStatus.PROPOSED:
            issues = [issue for issue in unmended if issue.id in fix.issue_ids]
            fitted = refitted(fix, issues, case) if issues else None
            found += [fitted] if fitted else []
    return found


def _wanted(state: State, case: Case, unmended: Sequence[Issue]) -> list[Issue]:
    """Give the findings that count and for which no draft has ended, the worst first; none in the frontmatter."""
    drafts = (f for f in state.proposed_fixes if f.source == BY_JUDGE and f.status is not FixStatus.PROPOSED)
    ended = {id for fix in drafts for id in fix.issue_ids}
    wanted = (i for i in unmended if i.id not in ended and not _is_in_head(i, case))
    return sorted(wanted, key=lambda issue: issue.priority)[:_MOST]


def _is_in_head(issue: Issue, case: Case) -> bool:
    """Tell whether a finding is about the frontmatter, which no draft may touch."""
    if issue.type is not Family.SPEC:
        return False
    return issue.location.file == MAIN and (issue.location.line_start or 1) < case.skill.main.doc.body_start


def _fix(attempt: Attempt, id: str, state: State, case: Case) -> Fix:
    """Give the record of an attempt; one that failed is refused from the start."""
    reason = f"the draft failed on trial: {'; '.join(attempt.reasons)}" if attempt.failed else None
    status = FixStatus.REFUSED if attempt.failed else FixStatus.PROPOSED
    return replace(attempt.fix or _of(attempt, {}, state, case), id=id, status=status, reason=reason)


def _of(attempt: Attempt, writes: Mapping[str, bytes], state: State, case: Case) -> Fix:
    said, issue = attempt.said, attempt.issue
    draft = Draft(
        writes,
        bare(said["description"]) or "An edit by the judge.",
        bare(said["rationale"]) or issue.description,
        "Drafted by the judge and proven like any fix.",
        _GROWTH,
        rewrites=may_reword(issue, case.skill),
    )
    return as_fix("FIX-000", CUSTOM, draft, [issue], case.skill, state.iteration_count, Risk.MEDIUM, BY_JUDGE)


class _Work:
    """The drafts of one round: asked for together, tried one by one, repaired once."""

    def __init__(self, state: State, case: Case, seen: Scan, judge: Judge) -> None:
        self._state, self._case, self._seen, self._judge = state, case, seen, judge
        self._cost = Cost()
        self._notes: list[str] = []

    def all(self, issues: Sequence[Issue]) -> list[Attempt]:
        """Give the last attempt at each finding that the judge had an answer for."""
        first = self._asked([(issue, None) for issue in issues])
        again = self._asked([(attempt.issue, attempt) for attempt in first if attempt.failed])
        return list(({a.issue.id: a for a in first} | {a.issue.id: a for a in again}).values())

    def changes(self, attempts: Sequence[Attempt]) -> Mapping[str, Any]:
        """Give the changes of the state."""
        declined = (
            f"{self._judge.name} drafts no mend of {a.issue.id}: {bare(a.said['declined']) or 'no reason given'}"
            for a in attempts
            if a.is_declined
        )
        return booked(self._state, self._judge, self._cost, (*self._notes, *declined))

    def _asked(self, wanted: Sequence[tuple[Issue, Attempt | None]]) -> list[Attempt]:
        heard = ask(self._judge, [self._question(issue, earlier) for issue, earlier in wanted], "draft")
        self._book(heard.cost, heard.notes)
        answers = zip(wanted, heard.answers, strict=True)
        return [self._tried(Attempt(issue, said)) for (issue, _), said in answers if said is not None]

    def _tried(self, attempt: Attempt) -> Attempt:
        if attempt.is_declined:
            return attempt
        try:
            writes = written(attempt.said["edits"], self._case.skill)
        except Unfit as unfit:
            return replace(attempt, reasons=(str(unfit),))
        fix = _of(attempt, writes, self._state, self._case)
        after = self._case.skill.replaced(writes)
        trial = tried(self._case, after, self._seen, fix, self._state.issues, self._judge)
        self._book(trial.cost, trial.notes)
        return replace(attempt, fix=fix, writes=writes, reasons=trial.proof.reasons)

    def _book(self, cost: Cost, notes: Sequence[str]) -> None:
        self._cost = plus(self._cost, cost)
        self._notes += notes

    def _question(self, issue: Issue, earlier: Attempt | None) -> Question:
        skill = self._case.skill
        places = places_of(issue, skill)
        return question(
            f"{'second ' if earlier else ''}draft for {issue.id}",
            "draft",
            fault=_fault(issue),
            own=issue.source == BY_JUDGE,
            advice=told_of(issue.pattern)["Instead"],
            parts=passages(skill, places),
            tokens=_GROWTH,
            earlier=_earlier(earlier),
            objections="\n".join(map(bare, earlier.reasons)) if earlier else "",
        )


def _fault(issue: Issue) -> str:
    at = issue.location
    place = f"{at.file}, lines {at.line_start} to {at.line_end}" if at.line_start else at.file
    lines = (f"{issue.id} {issue.description}", f"In {place}", *issue.evidence, f"It is bad because: {issue.impact}")
    return "\n".join(bare(line) for line in lines if line)


def _earlier(attempt: Attempt | None) -> str:
    if attempt is None:
        return ""
    edits = (f"In {e['file']} replace:\n{e['search']}\nby:\n{e['replace']}" for e in attempt.said["edits"])
    return "\n\n".join(edits)
