"""The second question about a mend: a fresh reader sees the text before, the text after and the pattern, nothing else.

Every draft needs its yes. Any other fix is read so where the words of a finding go that a model has read.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from actions.fixes.invariants.change import Change
from actions.fixes.passages import LONGEST, Passage, cut_passages
from actions.grouping import group_by_key
from actions.review.asking import Asking, build_question, describe_patterns, format_issue_line
from actions.review.judge import Question
from actions.review.quotes import flatten
from actions.review.verdicts import is_open, list_vanished
from actions.skill import Skill
from schemas.issues import Issue
from schemas.records import Fix, Review
from schemas.vocabulary import FixSource, IssueSource

_PARTS = {
    "holds": "not every instruction still holds",
    "merge": "a maintainer would not merge it",
    "sound": "something new is wrong",
}
NOT_REVIEWED = "nobody has read it: a draft counts when a fresh reader confirms it"


def list_still_quoted(issues: Sequence[Issue], fix: Fix, after: Skill) -> Iterator[str]:
    """Return the judge's findings that a fix claims and whose words stand where they stood."""
    left = {issue.id for issue in list_vanished(issues, after)}
    own = (i for i in issues if i.fingerprint in fix.claims and i.source is IssueSource.MODEL and i.id not in left)
    yield from (f"{i.id} still stands in {i.location.file}: {i.evidence[0][:80]}" for i in own if is_open(i))


def review_fix(
    fix: Fix, vanished: Sequence[Issue], before: Skill, after: Skill, asking: Asking | None
) -> tuple[tuple[str, ...], Review | None]:
    """Return what speaks against a fix, in sentences for the user, and what a fresh reader said of it.

    `vanished` are the findings that are to be gone, claimed or not. Nobody is asked twice about the same change. A
    draft without an answer is not confirmed; of another fix the words decide then.
    """
    if fix.review:
        return (), fix.review
    alone = (NOT_REVIEWED,) if fix.source is FixSource.MODEL else tuple(list_still_quoted(vanished, fix, after))
    if asking is None or not vanished:
        return alone, None
    shown = _shown(before, after)
    if any(len(part.text) == LONGEST for parts in shown for part in parts):
        return ("it changes more than a reader can be shown in one question",), None
    (answer,) = asking.ask([_question(vanished, *shown)])
    if answer is None:
        return alone, None
    review = _review(answer, [issue.id for issue in vanished], asking.name)
    return tuple(f"{asking.name}: {one}" for one in review.objections), review


def _review(answer: Mapping[str, Any], ids: Sequence[str], by: str) -> Review:
    """Return what was said. Every no is an objection, and an objection is a no, whatever else was said."""
    said = group_by_key((one["id"], (one["gone"], flatten(one["reason"]))) for one in answer["verdicts"])
    still = [told for id in ids if (told := _still(id, said.get(id, [])))]
    noes = [told for part, told in _PARTS.items() if not answer[part]]
    objections = (*still, *noes, *map(flatten, answer["objections"]))
    parts = {part: bool(answer[part]) for part in _PARTS}
    return Review(by, gone=not still, **parts, changes=bool(answer["changes"]), objections=objections)


def _still(id: str, said: Sequence[tuple[bool, str]]) -> str:
    if not said:
        return f"it is not said that {id} is gone"
    return next((f"{id} is still there: {why}" for is_gone, why in said if not is_gone), "")


def _shown(before: Skill, after: Skill) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
    """Return all that a change takes from its place and all that it puts there, with what stands around it."""
    change, first = Change(before, after), list(_changes(before, after))
    came = (new for hunk in change.hunks for new in hunk.new)
    was, now = ([*first, *((s.file, s.line, s.end) for s in said)] for said in (change.gone, came))
    return cut_passages(before, was), cut_passages(after, now)


def _question(vanished: Sequence[Issue], before: Sequence[Passage], after: Sequence[Passage]) -> Question:
    return build_question(
        f"review for {', '.join(issue.id for issue in vanished)}",
        "review",
        ids=tuple(issue.id for issue in vanished),
        faults="\n".join(flatten(f"{format_issue_line(i, i.severity)} Quoted: {i.evidence[0]}") for i in vanished),
        patterns=describe_patterns(issue.pattern for issue in vanished),
        before=before,
        after=after,
    )


def _changes(before: Skill, after: Skill) -> Iterator[tuple[str, int, int]]:
    """Return the first line that is another, file by file."""
    for path in sorted(before.by_path.keys() | after.by_path.keys()):
        old, new = before.by_path.get(path), after.by_path.get(path)
        if old != new:
            pairs = zip(old.doc.lines if old else (), new.doc.lines if new else (), strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            yield path, same + 1, same + 1
