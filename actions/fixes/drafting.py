"""Have a model draft fixes for findings without a strategy, and rehearse each fix in memory.

One question asks for the drafts of one file, and one review covers all drafts. For a draft that fails the invariants or
the review, the model gets the reasons and a second attempt. If that fails too, or the model declines, the fix is
recorded as refused with the reason, and this run does not ask for it again.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.fixes.author_choices import get_chosen, is_reopened, read_choice
from actions.fixes.draft_groups import group_for_drafts
from actions.fixes.draft_review import NOT_REVIEWED, Candidate, review_fixes
from actions.fixes.frontmatter_faults import find_author_only_findings, is_about_description
from actions.fixes.invariants.change import Change
from actions.fixes.passages import MAX_PASSAGES, cut_passages, list_line_ranges
from actions.fixes.records import add_review, build_fix, describe_removals
from actions.fixes.rehearsal import check_by_parsers, make_candidate
from actions.fixes.strategies import Draft
from actions.grouping import group_by_key
from actions.patterns import get_patterns
from actions.patterns.page import CUSTOM, find_page
from actions.review.asking import JudgeClient, build_question, describe_patterns, format_issue_line, render_skill
from actions.review.judge import Judge, Question
from actions.review.quotes import flatten
from actions.review.refitting import list_changed_lines, list_replacements
from actions.review.replacements import InvalidDraft, apply_replacements
from actions.review.skill_view import view_skill
from actions.scoring.scan import Scan, scan
from actions.skill.harmful import HARMFUL_KINDS
from schemas.issues import Issue
from schemas.records import Fix, Review, State
from schemas.vocabulary import Family, FixSource, FixStatus, IssueStatus, Risk, UnitKind
from templates.filters import visible

_MAX_GROUPS = 4
"""Maximum number of groups of findings per round, most severe first, unless the user has chosen the findings."""
_BATCH_SIZE = 8
"""Maximum number of groups of findings in one question, so that its answer stays short."""
_MAX_ADDED_TOKENS = 300
"""Maximum growth of the instructions by one draft, in estimated tokens."""
_MAX_EVIDENCE = 40
"""Maximum number of evidence texts of one finding in a question."""


class DraftedFixes(msgspec.Struct, frozen=True):
    """The fixes by id, the file contents that they write, and the state with updated costs and notes."""

    state: State
    fixes: Mapping[str, Fix] = msgspec.field(default_factory=dict)
    contents: tuple[bytes, ...] = ()


class Attempt(msgspec.Struct, frozen=True):
    """A model's draft for a group of findings, and the fix made of it.

    `answer` is the draft as received. `reasons` are the objections to the fix. `after` is the scan after the fix.
    """

    issues: tuple[Issue, ...]
    answer: Mapping[str, Any]
    fix: Fix
    writes: Mapping[str, bytes] = msgspec.field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    after: Scan | None = None

    @property
    def is_declined(self) -> bool:
        """Whether the draft has no edits, because the judge declined."""
        return not self.answer["edits"]

    def to_fix(self, id: str) -> Fix:
        """Return the fix with this id, refused if there are objections and proposed otherwise."""
        why = "" if self.is_declined else "the draft failed its check: "
        reason = f"{why}{'; '.join(self.reasons)}" if self.reasons else None
        choice = read_choice(self.answer) if self.is_declined else None
        status = FixStatus.REFUSED if reason else FixStatus.PROPOSED
        return replace(self.fix, id=id, reason=reason, status=status, choice=choice)


def draft_fixes(state: State, case: Case, judge: Judge | None, unfixed: Sequence[Issue], number: int) -> DraftedFixes:
    """Draft fixes for findings without a strategy. The ids of new fixes begin with `number + 1`.

    Drafts of earlier rounds that the user has not decided on are kept if they still fit the text.
    """
    undecided = _refit_undecided_drafts(state, case, unfixed)
    fixes = {fix.id: fix for fix, _ in undecided}
    contents = [data for _, writes in undecided for data in writes.values()]
    fixed = {id for fix in fixes.values() for id in fix.issue_ids}
    unfixed = [issue for issue in unfixed if issue.id not in fixed]
    if judge is None or not (groups := list_groups_to_draft(state, case, unfixed)):
        return DraftedFixes(state, fixes, tuple(contents))
    drafting = _Round(state, case, scan(case, known=state.issues), judge)
    for n, attempt in enumerate(drafting.draft_all(groups), number + 1):
        fixes[f"FIX-{n:03d}"] = attempt.to_fix(f"FIX-{n:03d}")
        contents += attempt.writes.values()
    return DraftedFixes(drafting.client.record_in(state), fixes, tuple(contents))


def refit_draft(fix: Fix, issues: Sequence[Issue], case: Case, number: int) -> tuple[Fix, dict[str, bytes]] | None:
    """Adapt a model's draft to the current text. Return the fix and the contents to write.

    Returns None if another fix has changed the text that the draft replaces, or a statement that the draft names. The
    review is kept if the diff is the same as before, or if a fix of the same round (`number`) changed only the text
    around the edit. The risk never decreases.
    """
    try:
        writes = apply_replacements(list_replacements(fix.changes, case.skill), case.skill)
    except InvalidDraft:
        return None
    texts = [flatten(file.text) for file in case.skill.files]
    if not all(any(flatten(name) in text for text in texts) for name in (*fix.rewrites, *fix.drops)):
        return None
    limit = _MAX_ADDED_TOKENS if fix.token_limit is None else fix.token_limit
    why = fix.rationale.removesuffix(describe_removals(fix.takes_out))
    draft = Draft(writes, fix.description, why, fix.estimated_impact, limit, fix.drops, fix.rewrites)
    new = build_fix(fix.id, CUSTOM, draft, issues, case, fix.iteration, fix.risk, FixSource.MODEL)
    is_same_edit = list_changed_lines(new.changes) == list_changed_lines(fix.changes)
    if new.changes == fix.changes or (is_same_edit and fix.iteration == number):
        new = add_review(new, fix.review)
    return replace(new, status=fix.status, siblings=fix.siblings), writes


def _refit_undecided_drafts(state: State, case: Case, unfixed: Sequence[Issue]) -> list[tuple[Fix, dict[str, bytes]]]:
    undecided = (f for f in state.proposed_fixes if f.source is FixSource.MODEL and f.status is FixStatus.PROPOSED)
    claimed = ((fix, [issue for issue in unfixed if issue.id in fix.issue_ids]) for fix in undecided)
    return [
        fitted
        for fix, issues in claimed
        if issues and (fitted := refit_draft(fix, issues, case, state.iteration_count))
    ]


def list_groups_to_draft(state: State, case: Case, unfixed: Sequence[Issue]) -> list[tuple[Issue, ...]]:
    """Return the groups of findings that still need a draft, most severe first."""
    drafts = (f for f in state.proposed_fixes if f.source is FixSource.MODEL and f.status is not FixStatus.PROPOSED)
    decided = {id for fix in drafts if not is_reopened(fix) for id in fix.issue_ids}
    author_only = find_author_only_findings((issue for issue in unfixed if issue.type is Family.SPEC), case.skill)
    undrafted = [issue for issue in unfixed if issue.id not in decided and issue.id not in author_only]
    groups = group_for_drafts(sorted(undrafted, key=lambda issue: issue.priority), case.skill)
    return groups if state.rounds and state.rounds[-1].chosen is not None else groups[:_MAX_GROUPS]


def _get_first_strategy(issues: Sequence[Issue]) -> str:
    pattern = get_patterns().get(issues[0].pattern)
    return next(iter(pattern.PATTERN.strategies), "") if pattern else ""


class _Round:
    """One round of drafting: asks for all drafts, checks each in memory, and asks again for those that fail."""

    def __init__(self, state: State, case: Case, scan_before: Scan, judge: Judge) -> None:
        self._state, self._case, self.client = state, case, JudgeClient(judge, case)
        self._tester = DraftTester(case, state.issues, scan_before, state.iteration_count)
        self._about = render_skill(case, view_skill(case.skill).text)

    def draft_all(self, groups: Sequence[tuple[Issue, ...]]) -> list[Attempt]:
        """Return the last attempt for each group of findings, except groups without an answer of the judge."""
        first = self._test_drafts([(issues, None) for issues in groups])
        again = [(a.issues, a) for a in first if a.reasons and not a.is_declined and a.reasons != (NOT_REVIEWED,)]
        return list(({a.issues: a for a in first} | {a.issues: a for a in self._test_drafts(again)}).values())

    def _test_drafts(self, groups: Sequence[tuple[tuple[Issue, ...], Attempt | None]]) -> list[Attempt]:
        """Ask for drafts, check each draft, and have all drafts that pass reviewed in one question."""
        batches = [batch for files in _group_by_file(groups) for batch in files]
        answers = self.client.ask([self._build_question(batch) for batch in batches])
        pairs = zip(batches, answers, strict=True)
        attempts = [
            self._tester.try_draft(issues, draft)
            for batch, answer in pairs
            if answer is not None
            for issues, draft in match_drafts([issues for issues, _ in batch], answer.value)
        ]
        return self._review_attempts(attempts)

    def _review_attempts(self, attempts: Sequence[Attempt]) -> list[Attempt]:
        passed = [attempt for attempt in attempts if not attempt.reasons]
        candidates = [self._tester.make_candidate(attempt) for attempt in passed]
        reviewed = zip(passed, review_fixes(candidates, self._case, self.client), strict=True)
        opinions = {id(attempt): opinion for attempt, opinion in reviewed}
        return [_add_review(a, *opinions[id(a)]) if id(a) in opinions else a for a in attempts]

    def _build_question(self, batch: "_Batch") -> Question:
        all_issues = [issue for issues, _ in batch for issue in issues]
        ranges = [lines for issue in all_issues for lines in list_line_ranges(issue, self._case.skill)]
        files = {lines.file for lines in ranges}
        others = (i for i in self._state.issues if i not in all_issues and i.status is IssueStatus.OPEN)
        is_second = any(earlier for _, earlier in batch)
        return build_question(
            f"{'second ' if is_second else ''}draft for {', '.join(issue.id for issue in all_issues)}",
            "draft",
            self._about,
            drafts=tuple(tuple(issue.id for issue in issues) for issues, _ in batch),
            faults=[describe_fault(issues, earlier, self._state.proposed_fixes) for issues, earlier in batch],
            patterns=describe_patterns(issues[0].pattern for issues, _ in batch),
            others="\n".join(
                format_issue_line(issue, issue.severity)
                for issue in others
                if any(lines.file in files for lines in list_line_ranges(issue, self._case.skill))
            ),
            parts=cut_passages(self._case.skill, ranges, view_skill(self._case.skill))[:MAX_PASSAGES],
            describes=any(is_about_description(issues[0], self._case.skill) for issues, _ in batch),
            is_second=is_second,
            harmful=HARMFUL_KINDS,
        )


_Batch = Sequence[tuple[tuple[Issue, ...], "Attempt | None"]]


def _group_by_file(groups: _Batch) -> Iterator[list[_Batch]]:
    """Yield the batches of each file, one batch per question."""
    for same_file in group_by_key((issues[0].location.file, (issues, earlier)) for issues, earlier in groups).values():
        yield [same_file[n : n + _BATCH_SIZE] for n in range(0, len(same_file), _BATCH_SIZE)]


def describe_fault(issues: Sequence[Issue], earlier: Attempt | None, fixes: Sequence[Fix] = ()) -> dict[str, Any]:
    """Return the template variables for one group of findings. `fixes` are the run's fixes so far.

    `chosen` is the reading that the skill's author chose. `misfit` is the diff of an earlier fix that no longer fits.
    """
    page, ids = find_page(issues[0].pattern), {issue.id for issue in issues}
    misfits = [change.diff for fix in fixes if fix.is_misfit and ids & {*fix.issue_ids} for change in fix.changes]
    return {
        "id": issues[0].id,
        "text": "\n\n".join(map(_format_fault, issues)),
        "advice": "" if issues[0].pattern == CUSTOM else page["Instead"],
        "tokens": _get_token_limit(issues),
        "chosen": get_chosen(fixes, issues[0].id),
        "misfit": "\n".join(map(visible, misfits)),
        "earlier": _format_edits(earlier) if earlier else "",
        "objections": "\n".join(map(flatten, earlier.reasons)) if earlier else "",
    }


def match_drafts(
    groups: Sequence[tuple[Issue, ...]], answer: Mapping[str, Any]
) -> Iterator[tuple[tuple[Issue, ...], Mapping[str, Any]]]:
    """Yield (findings, draft) for each draft in an answer.

    A finding belongs to the first draft that names it or, if none does, to the first draft that names another finding
    of its group.
    """
    drafts: Sequence[Mapping[str, Any]] = answer["drafts"]
    named = {id: n for n, draft in reversed([*enumerate(drafts)]) for id in draft["faults"]}
    matched: dict[int, list[Issue]] = {n: [] for n in range(len(drafts))}
    for issues in groups:
        numbers = [named[issue.id] for issue in issues if issue.id in named]
        for issue in issues if numbers else ():
            matched[named.get(issue.id, min(numbers))].append(issue)
    yield from ((tuple(issues), drafts[n]) for n, issues in matched.items() if issues)


def _add_review(attempt: Attempt, reasons: tuple[str, ...], review: Review | None) -> Attempt:
    return replace(attempt, fix=add_review(attempt.fix, review), reasons=reasons)


class DraftTester(msgspec.Struct, frozen=True):
    """Checks drafts in memory.

    `scan_before` is the scan of the unchanged text, and `issues` are all findings of the run.
    """

    case: Case
    issues: Sequence[Issue]
    scan_before: Scan
    round: int = 1

    def try_draft(self, issues: tuple[Issue, ...], answer: Mapping[str, Any]) -> Attempt:
        """Check a draft with the parsers. Return it as an attempt with their objections."""
        empty = Attempt(issues, answer, self._build_fix(issues, answer, {}))
        if empty.is_declined:
            return replace(empty, reasons=(_explain_missing_edit(answer),))
        try:
            writes = apply_replacements(answer["edits"], self.case.skill)
        except InvalidDraft as error:
            return replace(empty, reasons=(str(error),))
        fix, after = self._build_fix(issues, answer, writes), self.case.with_files(writes)
        is_same = repr(after.skill.frontmatter) == repr(self.case.skill.frontmatter)
        if not is_same and not is_about_description(issues[0], self.case.skill):
            return replace(empty, reasons=("do not change the frontmatter, because the fault is not in it",))
        proof = check_by_parsers(self.case, after, self.scan_before, fix, self.issues)
        return Attempt(issues, answer, fix, writes, proof.reasons, proof.after)

    def make_candidate(self, attempt: Attempt) -> Candidate:
        """Make the candidate for the review of an attempt that the parsers accept."""
        assert attempt.after is not None, "a draft that passes has been scanned"
        after = self.case.with_files(attempt.writes).skill
        return make_candidate(self.issues, attempt.fix, self.scan_before, attempt.after, self.case.skill, after)

    def _build_fix(self, issues: Sequence[Issue], answer: Mapping[str, Any], writes: Mapping[str, bytes]) -> Fix:
        change = Change(self.case.skill, self.case.skill.with_files(writes))
        draft = Draft(
            writes,
            flatten(answer["description"]) or "An edit drafted by the judge.",
            flatten(answer["rationale"]) or issues[0].description,
            _describe_impact(issues, change),
            _get_token_limit(issues),
            tuple(answer["removes"]),
            tuple(answer["rewords"]),
        )
        fix = build_fix("FIX-000", CUSTOM, draft, issues, self.case, self.round, Risk.MEDIUM, FixSource.MODEL)
        return replace(fix, siblings=self._list_siblings(answer))

    def _list_siblings(self, answer: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the project files outside the unit that, according to a draft, contain the same fault."""
        unit, known = self.case.unit, self.case.project.files
        unit_prefix = f"{unit.folder}/" if unit.kind is UnitKind.SKILL else unit.path
        paths = dict.fromkeys(answer.get("siblings", ()))
        return tuple(path for path in paths if path in known and not path.startswith(unit_prefix))


def _explain_missing_edit(answer: Mapping[str, Any]) -> str:
    """Return why the model drafted no edit: the author must choose, the fix belongs elsewhere, or no fix is needed."""
    if choice := read_choice(answer):
        return f"the author of the skill must choose: {choice.question} ({' | '.join(choice.readings)})"
    if place := flatten(answer.get("elsewhere", "")):
        return f"the fix belongs elsewhere: {place}"
    return f"the model drafted no fix: {flatten(answer['declined']) or 'no reason given'}"


def _get_token_limit(issues: Sequence[Issue]) -> int:
    """Return the number of tokens by which the instructions may grow, or a negative number if they must shrink."""
    return -1 if _get_first_strategy(issues) == "prompt_compression" else _MAX_ADDED_TOKENS


def _describe_impact(issues: Sequence[Issue], change: Change) -> str:
    impact = "Drafted by the judge, checked by parsers and reviewed in a second reading."
    return impact if _get_token_limit(issues) >= 0 else f"{impact} {change.summary}"


def _format_fault(issue: Issue) -> str:
    at = issue.location
    place = f"{at.file}, lines {at.line_start} to {at.line_end}" if at.line_start else at.file
    evidence = issue.evidence[:_MAX_EVIDENCE]
    rests = f"It rests on {', '.join(issue.read_by.looked_up)}" if issue.read_by and issue.read_by.looked_up else ""
    lines = (f"{issue.id} {issue.description}", f"It is bad because: {issue.impact}", f"In {place}", *evidence, rests)
    return "\n".join(flatten(line) for line in lines if line)


def _format_edits(attempt: Attempt) -> str:
    edits = (f"In {e['file']} replace:\n{e['search']}\nwith:\n{e['replace']}" for e in attempt.answer["edits"])
    return "\n\n".join(edits)
