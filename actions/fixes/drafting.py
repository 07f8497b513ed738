"""Mends that a judge drafts where no strategy has one. Each is tried in memory before anybody sees it.

What speaks against it, said by the proof or by the fresh reader, goes back once. What fails again, and what the judge
would not mend, is kept as refused with the reason, and is not asked for again in this run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from actions.case import Case
from actions.fixes.draft_groups import group_for_drafts
from actions.fixes.draft_review import NOT_REVIEWED
from actions.fixes.invariants.change import Change
from actions.fixes.passages import PASSAGE_LIMIT, cut_passages, list_places
from actions.fixes.records import add_review, build_fix, describe_removals
from actions.fixes.rehearsal import rehearse_fix
from actions.fixes.strategies import Draft
from actions.patterns import all_patterns
from actions.patterns.page import CUSTOM, find_page
from actions.review.asking import Asking, build_question, describe_pattern, format_issue_line, render_skill
from actions.review.judge import Judge, Question
from actions.review.quotes import flatten
from actions.review.replacements import InvalidDraft, apply_replacements, list_replacements
from actions.review.skill_view import view_skill
from actions.scoring.scan import Scan, scan
from schemas.issues import Issue
from schemas.records import Fix, State
from schemas.vocabulary import Family, FixSource, FixStatus, IssueStatus, Risk

_MOST = 4
"""Faults that are drafted for in one round, the worst first: each costs two questions, or four."""
_GROWTH = 300
"""Estimated tokens by which a draft may let the instructions grow."""


@dataclass(frozen=True)
class DraftedFixes:
    """Fixes by id, the bytes that they write, and the changes of the state: cost and notes."""

    fixes: Mapping[str, Fix] = field(default_factory=dict)
    contents: tuple[bytes, ...] = ()
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Attempt:
    """One draft for findings that are mended together, as a fix; `reasons` speak against it."""

    issues: tuple[Issue, ...]
    said: Mapping[str, Any]
    fix: Fix
    writes: Mapping[str, bytes] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()

    @property
    def is_declined(self) -> bool:
        """Whether the judge would rather draft nothing."""
        return not self.said["edits"]

    def settled(self, id: str) -> Fix:
        """Return the fix under its id: proposed, or refused with what speaks against it."""
        why = "it should not be fixed" if self.is_declined else "the draft failed its check"
        reason = f"{why}: {'; '.join(self.reasons)}" if self.reasons else None
        return replace(self.fix, id=id, reason=reason, status=FixStatus.REFUSED if reason else FixStatus.PROPOSED)


def draft_fixes(state: State, case: Case, judge: Judge | None, unmended: Sequence[Issue], number: int) -> DraftedFixes:
    """Draft mends of findings that no strategy mends. `number` is that of the last fix.

    A draft of an earlier round that waits for a choice stays, where its text still stands.
    """
    waiting = _waiting(state, case, unmended)
    fixes = {fix.id: fix for fix, _ in waiting}
    contents = [data for _, found in waiting for data in found.values()]
    mended = {id for fix in fixes.values() for id in fix.issue_ids}
    unmended = [issue for issue in unmended if issue.id not in mended]
    if judge is None or not (wanted := _wanted(state, case, unmended)):
        return DraftedFixes(fixes, tuple(contents))
    work = _Work(state, case, scan(case), judge)
    for n, attempt in enumerate(work.all(wanted), number + 1):
        fixes[f"FIX-{n:03d}"] = attempt.settled(f"FIX-{n:03d}")
        contents += attempt.writes.values()
    return DraftedFixes(fixes, tuple(contents), work.asking.state_changes(state))


def refit_draft(fix: Fix, issues: Sequence[Issue], case: Case) -> tuple[Fix, dict[str, bytes]] | None:
    """Return a draft of a judge as it fits the present text, and what it writes; None where it does not fit.

    What a reader said of it stays where the change is the same. Its risk never falls; what it takes out is told anew.
    """
    try:
        writes = apply_replacements(list_replacements(fix.changes), case.skill)
    except InvalidDraft:
        return None
    limit = _GROWTH if fix.token_limit is None else fix.token_limit
    why = fix.rationale.removesuffix(describe_removals(fix.takes_out))
    draft = Draft(writes, fix.description, why, fix.estimated_impact, limit, fix.drops, fix.rewrites)
    new = build_fix(fix.id, CUSTOM, draft, issues, case.skill, fix.iteration, fix.risk, FixSource.MODEL)
    new = add_review(new, fix.review) if new.changes == fix.changes else new
    return replace(new, status=fix.status), writes


def _waiting(state: State, case: Case, unmended: Sequence[Issue]) -> list[tuple[Fix, dict[str, bytes]]]:
    waiting = (f for f in state.proposed_fixes if f.source is FixSource.MODEL and f.status is FixStatus.PROPOSED)
    claimed = ((fix, [issue for issue in unmended if issue.id in fix.issue_ids]) for fix in waiting)
    return [fitted for fix, issues in claimed if issues and (fitted := refit_draft(fix, issues, case))]


def _wanted(state: State, case: Case, unmended: Sequence[Issue]) -> list[tuple[Issue, ...]]:
    """Return the findings for which no draft has ended, those of one family together, the worst first."""
    drafts = (f for f in state.proposed_fixes if f.source is FixSource.MODEL and f.status is not FixStatus.PROPOSED)
    ended = {id for fix in drafts for id in fix.issue_ids}
    wanted = [i for i in unmended if i.id not in ended and (_describes([i]) or not _is_in_head(i, case))]
    return group_for_drafts(sorted(wanted, key=lambda issue: issue.priority), case.skill)[:_MOST]


def _is_in_head(issue: Issue, case: Case) -> bool:
    """Return whether a finding is about the frontmatter, of which a draft touches only the description."""
    at, main = issue.location, case.skill.main
    return issue.type is Family.SPEC and at.file == main.path and (at.line_start or 1) < main.doc.body_start


def _describes(issues: Sequence[Issue]) -> bool:
    return _first_mend(issues) == "describe_occasion"


def _first_mend(issues: Sequence[Issue]) -> str:
    """Return what the pattern of findings asks for first."""
    pattern = all_patterns().get(issues[0].pattern)
    return next(iter(pattern.PATTERN.strategies), "") if pattern else ""


class _Work:
    """The drafts of one round: asked for together, tried one by one, repaired once."""

    def __init__(self, state: State, case: Case, seen: Scan, judge: Judge) -> None:
        self._state, self._case, self._seen, self.asking = state, case, seen, Asking(judge)
        self._about = render_skill(view_skill(case.skill).text)

    def all(self, wanted: Sequence[tuple[Issue, ...]]) -> list[Attempt]:
        """Return the last attempt at each family that the judge had an answer for."""
        first = self._asked([(issues, None) for issues in wanted])
        again = self._asked(
            [(a.issues, a) for a in first if a.reasons and not a.is_declined and a.reasons != (NOT_REVIEWED,)]
        )
        return list(({a.issues: a for a in first} | {a.issues: a for a in again}).values())

    def _asked(self, wanted: Sequence[tuple[tuple[Issue, ...], Attempt | None]]) -> list[Attempt]:
        answers = self.asking.ask([self._question(issues, earlier) for issues, earlier in wanted])
        said = zip(wanted, answers, strict=True)
        return [self._tried(issues, answer) for (issues, _), answer in said if answer is not None]

    def _tried(self, issues: tuple[Issue, ...], said: Mapping[str, Any]) -> Attempt:
        nothing = Attempt(issues, said, self._fix(issues, said, {}))
        if nothing.is_declined:
            return replace(nothing, reasons=(flatten(said["declined"]) or "no reason given",))
        try:
            writes = apply_replacements(said["edits"], self._case.skill)
        except InvalidDraft as unfit:
            return replace(nothing, reasons=(str(unfit),))
        fix, after = self._fix(issues, said, writes), self._case.skill.with_files(writes)
        if repr(after.frontmatter) != repr(self._case.skill.frontmatter) and not _describes(issues):
            return replace(nothing, reasons=("the fault is not in the frontmatter, which is not to be touched",))
        proof, review = rehearse_fix(self._case, after, self._seen, fix, self._state.issues, self.asking)
        return Attempt(issues, said, add_review(fix, review), writes, proof.reasons)

    def _fix(self, issues: Sequence[Issue], said: Mapping[str, Any], writes: Mapping[str, bytes]) -> Fix:
        change = Change(self._case.skill, self._case.skill.with_files(writes))
        draft = Draft(
            writes,
            flatten(said["description"]) or "An edit by the judge.",
            flatten(said["rationale"]) or issues[0].description,
            _impact(issues, change),
            _limit(issues),
            tuple(said["removes"]),
            tuple(said["rewords"]),
        )
        round = self._state.iteration_count
        return build_fix("FIX-000", CUSTOM, draft, issues, self._case.skill, round, Risk.MEDIUM, FixSource.MODEL)

    def _question(self, issues: Sequence[Issue], earlier: Attempt | None) -> Question:
        page, names = find_page(issues[0].pattern), ", ".join(issue.id for issue in issues)
        places = [place for issue in issues for place in list_places(issue, self._case.skill)]
        files = {path for path, _, _ in places}
        others = (i for i in self._state.issues if i not in issues and i.status is IssueStatus.OPEN)
        return build_question(
            f"{'second ' if earlier else ''}draft for {names}",
            "draft",
            self._about,
            fault="\n\n".join(map(_fault, issues)),
            patterns=[describe_pattern(issues[0].pattern)],
            harm=page["Why it is bad"],
            advice=page["Instead"],
            others="\n".join(
                format_issue_line(issue, issue.severity) for issue in others if issue.location.file in files
            ),
            parts=cut_passages(self._case.skill, places)[:PASSAGE_LIMIT],
            tokens=_limit(issues),
            describes=_describes(issues),
            earlier=_edits(earlier) if earlier else "",
            objections="\n".join(map(flatten, earlier.reasons)) if earlier else "",
        )


def _limit(issues: Sequence[Issue]) -> int:
    """Return the tokens by which a draft may let the instructions grow; below 0 they must get shorter."""
    return -1 if _first_mend(issues) == "prompt_compression" else _GROWTH


def _impact(issues: Sequence[Issue], change: Change) -> str:
    told = "Drafted by the judge, proven by parsers and read by a fresh reader."
    return told if _limit(issues) >= 0 else f"{told} {change.counts}"


def _fault(issue: Issue) -> str:
    at = issue.location
    place = f"{at.file}, lines {at.line_start} to {at.line_end}" if at.line_start else at.file
    lines = (f"{issue.id} {issue.description}", f"In {place}", *issue.evidence, f"It is bad because: {issue.impact}")
    return "\n".join(flatten(line) for line in lines if line)


def _edits(attempt: Attempt) -> str:
    edits = (f"In {e['file']} replace:\n{e['search']}\nby:\n{e['replace']}" for e in attempt.said["edits"])
    return "\n\n".join(edits)
