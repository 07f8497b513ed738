"""Have a model review fixes, given the unit, its project, the diff of each fix, and the patterns.

Every draft by a model needs this review. A strategy's fix needs it only if it claims to fix a model's finding.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from actions.case import Case
from actions.fixes.passages import MAX_PASSAGE_CHARACTERS
from actions.grouping import group_by_key
from actions.review.asking import JudgeClient, build_question, describe_patterns, format_issue_line, render_skill
from actions.review.checking import find_library
from actions.review.judge import Question
from actions.review.quotes import flatten
from actions.review.skill_view import view_skill
from actions.review.verdicts import is_open, list_vanished_issues
from actions.skill import Skill
from schemas.issues import Issue
from schemas.records import Fix, Review
from schemas.vocabulary import FixSource, IssueSource
from templates.filters import visible

_PARTS = {
    "holds": "the fix changes or removes an instruction that must be kept",
    "merge": "a maintainer would not merge the fix",
    "sound": "the fix introduces a new fault",
}
_TOO_LONG = "the fix changes too much text for one review; make it smaller"
NOT_REVIEWED = "it was not reviewed, although every draft must be reviewed in a second reading"


def find_remaining_quotes(issues: Sequence[Issue], fix: Fix, after: Skill) -> Iterator[str]:
    """Yield an objection for each claimed finding of a model whose quote is still in the file."""
    vanished = {issue.id for issue in list_vanished_issues(issues, after)}
    own = (i for i in issues if i.fingerprint in fix.claims and i.source is IssueSource.MODEL and i.id not in vanished)
    yield from (f"{i.id}: its quote is still in {i.location.file}: {i.evidence[0][:80]}" for i in own if is_open(i))


class Candidate(msgspec.Struct, frozen=True):
    """A fix to review.

    `ended` are the findings that must be gone after the fix, and `after` is the unit with the fix. `near` are other
    findings whose quotes the fix changes; the review also decides whether they are gone.
    """

    fix: Fix
    ended: Sequence[Issue]
    after: Skill
    near: Sequence[Issue] = ()


Opinion = tuple[tuple[str, ...], Review | None]
"""The objections to a fix, and its review or None."""


def review_fixes(candidates: Sequence[Candidate], case: Case, client: JudgeClient | None) -> list[Opinion]:
    """Return an opinion on each fix, asking one question about all fixes that need a review.

    A fix that has a review is not reviewed again. Without an answer, a model's draft is rejected. A strategy's fix is
    then rejected only if the quote of a finding that it claims to fix is still in the file.
    """
    opinions = [_judge_without_question(candidate) for candidate in candidates]
    to_ask = [n for n, candidate in enumerate(candidates) if client and candidate.ended and not candidate.fix.review]
    for n in [n for n in to_ask if _count_characters(candidates[n].fix) > MAX_PASSAGE_CHARACTERS]:
        opinions[n] = (_TOO_LONG,), None
        to_ask.remove(n)
    if client is None or not to_ask:
        return opinions
    (answer,) = client.ask([_build_question([candidates[n] for n in to_ask], case)])
    reviews = {review["fix"]: review for review in answer["reviews"]} if answer else {}
    for label, n in enumerate(to_ask, 1):
        if label in reviews:
            review = _build_review(reviews[label], candidates[n], client.name)
            opinions[n] = tuple(f"{client.name}: {objection}" for objection in review.objections), review
    return opinions


def _judge_without_question(candidate: Candidate) -> Opinion:
    """Return the opinion on a fix without asking a model.

    The fix's own review counts, if it has one. Otherwise, a draft counts as not reviewed, and for a strategy's fix,
    each remaining quote is an objection.
    """
    if candidate.fix.review:
        return (), candidate.fix.review
    is_drafted = candidate.fix.source is FixSource.MODEL
    return (NOT_REVIEWED,) if is_drafted else tuple(
        find_remaining_quotes(candidate.ended, candidate.fix, candidate.after)
    ), None


def _count_characters(fix: Fix) -> int:
    return sum(len(change.diff) for change in fix.changes)


def _build_review(answer: Mapping[str, Any], asked: Candidate, by: str) -> Review:
    """Build the review from an answer. Each question that is answered with "no" becomes an objection."""
    verdicts = group_by_key((entry["id"], (entry["gone"], flatten(entry["reason"]))) for entry in answer["verdicts"])
    present = [why for entry in asked.ended if (why := _explain_present(entry.id, verdicts.get(entry.id, [])))]
    ended = tuple(entry.id for entry in asked.near if not _explain_present(entry.id, verdicts.get(entry.id, [])))
    failed = [objection for part, objection in _PARTS.items() if not answer[part]]
    missing = flatten(answer.get("cannot_tell", ""))
    unsure = [f"the reviewer cannot decide without {missing}"] if missing else []
    objections = (*present, *failed, *unsure, *map(flatten, answer["objections"]))
    parts = {part: bool(answer[part]) for part in _PARTS}
    return Review(by, gone=not present, **parts, changes=bool(answer["changes"]), objections=objections, ended=ended)


def _explain_present(id: str, verdicts: Sequence[tuple[bool, str]]) -> str:
    """Return why a finding does not count as gone, or "" if it counts as gone."""
    if not verdicts:
        return f"the review does not say whether {id} is gone"
    return next((f"{id} is still there: {why}" for is_gone, why in verdicts if not is_gone), "")


def _build_question(candidates: Sequence[Candidate], case: Case) -> Question:
    faults = {issue.id: issue for candidate in candidates for issue in candidate.ended}
    near = {issue.id: issue for candidate in candidates for issue in candidate.near}
    return build_question(
        f"review for {', '.join(faults)}",
        "review",
        render_skill(case, view_skill(case.skill).text),
        ids=tuple(faults | near),
        may_look=find_library(case) is not None,
        fixes=[_describe_candidate(number, candidate) for number, candidate in enumerate(candidates, 1)],
        patterns=describe_patterns(issue.pattern for issue in (faults | near).values()),
    )


def _describe_candidate(number: int, candidate: Candidate) -> dict[str, Any]:
    diff = "\n".join(visible(change.diff) for change in candidate.fix.changes)
    return {"number": number, "faults": _list_lines(candidate.ended), "near": _list_lines(candidate.near), "diff": diff}


def _list_lines(issues: Sequence[Issue]) -> str:
    formatted = (f"{format_issue_line(i, i.severity)} Quoted: {i.evidence[0]}{_format_dependencies(i)}" for i in issues)
    return "\n".join(map(flatten, formatted))


def _format_dependencies(issue: Issue) -> str:
    return f" Rests on: {', '.join(issue.read_by.looked_up)}" if issue.read_by and issue.read_by.looked_up else ""
