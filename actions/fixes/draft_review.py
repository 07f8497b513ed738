"""Have a fix reviewed by a model that sees the unit, the project around it, the text after the fix and the pattern.

A model's draft needs this review; a strategy's fix only if it removes the quote of a judge's finding.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from actions.case import Case
from actions.fixes.invariants.change import Change
from actions.fixes.passages import LONGEST, Passage, cut_passages
from actions.grouping import group_by_key
from actions.review.asking import Asking, build_question, describe_patterns, format_issue_line, render_skill
from actions.review.judge import Question
from actions.review.quotes import flatten
from actions.review.skill_view import view_skill
from actions.review.verdicts import is_open, list_vanished
from actions.skill import Skill
from schemas.issues import Issue
from schemas.records import Fix, Review
from schemas.vocabulary import FixSource, IssueSource

_PARTS = {
    "holds": "an instruction no longer holds",
    "merge": "a maintainer would not merge it",
    "sound": "something new is wrong",
}
NOT_REVIEWED = "it was not reviewed: a draft must be reviewed by a second model"


def list_still_quoted(issues: Sequence[Issue], fix: Fix, after: Skill) -> Iterator[str]:
    """Return a reason for each claimed finding of the judge whose quote is still there."""
    left = {issue.id for issue in list_vanished(issues, after)}
    own = (i for i in issues if i.fingerprint in fix.claims and i.source is IssueSource.MODEL and i.id not in left)
    yield from (f"{i.id}: its quote is still in {i.location.file}: {i.evidence[0][:80]}" for i in own if is_open(i))


def review_fix(
    fix: Fix, vanished: Sequence[Issue], case: Case, after: Skill, asking: Asking | None
) -> tuple[tuple[str, ...], Review | None]:
    """Return the reasons against a fix, and its review.

    `vanished` are the findings that must be gone, claimed or not. The same change is not reviewed twice. Without an
    answer, a draft is rejected, and a strategy's fix only if a quote is still there.
    """
    if fix.review:
        return (), fix.review
    alone = (NOT_REVIEWED,) if fix.source is FixSource.MODEL else tuple(list_still_quoted(vanished, fix, after))
    if asking is None or not vanished:
        return alone, None
    sides = _cut_changes(case.skill, after)
    if any(len(part.text) == LONGEST for parts in sides for part in parts):
        return ("it changes too much text for one review; make it smaller",), None
    (answer,) = asking.ask([_question(vanished, case, *sides)])
    if answer is None:
        return alone, None
    review = _review(answer.value, [issue.id for issue in vanished], asking.name)
    return tuple(f"{asking.name}: {one}" for one in review.objections), review


def _review(answer: Mapping[str, Any], ids: Sequence[str], by: str) -> Review:
    """Build the review from an answer. Every no is an objection, and any objection is a no."""
    verdicts = group_by_key((one["id"], (one["gone"], flatten(one["reason"]))) for one in answer["verdicts"])
    still = [why for id in ids if (why := _explain_present(id, verdicts.get(id, [])))]
    noes = [objection for part, objection in _PARTS.items() if not answer[part]]
    needed = flatten(answer.get("cannot_tell", ""))
    unsure = [f"the reviewer cannot decide without {needed}"] if needed else []
    objections = (*still, *noes, *unsure, *map(flatten, answer["objections"]))
    parts = {part: bool(answer[part]) for part in _PARTS}
    return Review(by, gone=not still, **parts, changes=bool(answer["changes"]), objections=objections)


def _explain_present(id: str, verdicts: Sequence[tuple[bool, str]]) -> str:
    if not verdicts:
        return f"the review does not say that {id} is gone"
    return next((f"{id} is still there: {why}" for is_gone, why in verdicts if not is_gone), "")


def _cut_changes(before: Skill, after: Skill) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
    """Return the text around all that a change removes, and around all that it adds."""
    change, first = Change(before, after), list(_first_changes(before, after))
    added = (new for hunk in change.hunks for new in hunk.added)
    was, now = ([*first, *((s.file, s.line, s.end) for s in side)] for side in (change.removed_statements, added))
    return cut_passages(before, was), cut_passages(after, now)


def _question(vanished: Sequence[Issue], case: Case, before: Sequence[Passage], after: Sequence[Passage]) -> Question:
    return build_question(
        f"review for {', '.join(issue.id for issue in vanished)}",
        "review",
        render_skill(case, view_skill(case.skill).text),
        ids=tuple(issue.id for issue in vanished),
        faults="\n".join(flatten(f"{format_issue_line(i, i.severity)} Quoted: {i.evidence[0]}") for i in vanished),
        patterns=describe_patterns(issue.pattern for issue in vanished),
        before=before,
        after=after,
    )


def _first_changes(before: Skill, after: Skill) -> Iterator[tuple[str, int, int]]:
    """Yield the first changed line of each changed file."""
    for path in sorted(before.by_path.keys() | after.by_path.keys()):
        old, new = before.by_path.get(path), after.by_path.get(path)
        if old != new:
            pairs = zip(old.doc.lines if old else (), new.doc.lines if new else (), strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            yield path, same + 1, same + 1
