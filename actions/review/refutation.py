"""A second look at what a judge has added: one question for all of it, whose order is to refute.

It has the schema of a diagnosis, for a provider's cache compares that too before it finds the skill. What is refuted
with words of the skill is rejected, and shown as refuted. Without an answer that counts it stands, and the notes say
that nobody looked again.
"""

from collections.abc import Collection, Iterator, Sequence

from actions.case import Case
from actions.review.accepting import AnswerFilter
from actions.review.asking import Asking, build_question, describe_patterns, format_issue_line
from actions.review.judge import Question
from actions.review.quotes import flatten
from schemas.issues import Issue
from schemas.vocabulary import Ruling, Severity

_MOST = 60
"""Findings put to one second look, and other findings named beside them, the worst first."""


def refute_additions(
    added: Collection[str], issues: Sequence[Issue], case: Case, asking: Asking, about: str
) -> tuple[Issue, ...]:
    """Return all issues after the added ones of medium severity or worse, by their ids, were put to a fresh look."""
    worst = sorted(issues, key=lambda issue: (issue.severity.rank, issue.id))
    put = {i.id: i for i in worst if i.id in added and i.counts and i.severity is not Severity.LOW}
    put = dict(list(put.items())[:_MOST])
    if not put:
        return tuple(issues)
    others = [issue for issue in worst if issue.id not in put and issue.counts][:_MOST]
    told: dict[str, Issue] = {}
    (answer,) = asking.ask([_question(list(put.values()), others, about)])
    if answer is not None:
        hearing = AnswerFilter(case, asking.name)
        told = hearing.verdicts(answer["verdicts"], put, tuple(i.id for i in others), Ruling.REFUTED)
        hearing.dropped["addition where none was asked for"] += len(answer["added"])
        asking.notes += hearing.note("the second look")
    if unseen := [id for id in put if id not in told]:
        asking.notes.append(f"read once and not put to a second look: {', '.join(unseen)}")
    return tuple(told.get(i.id, i) for i in issues)


def _question(put: Sequence[Issue], others: Sequence[Issue], about: str) -> Question:
    ids = tuple(issue.id for issue in put)
    return build_question(
        "refutation",
        "refute",
        about,
        "diagnosis",
        ids=ids,
        looks=ids,
        known=tuple(issue.id for issue in others),
        patterns=describe_patterns(issue.pattern for issue in put),
        findings="\n\n".join("\n".join(_lines(issue)) for issue in put),
        others="\n".join(format_issue_line(issue, issue.severity) for issue in others),
    )


def _lines(issue: Issue) -> Iterator[str]:
    yield format_issue_line(issue, issue.severity)
    yield f"  quoted: {flatten(issue.evidence[0])}"
    yield f"  harm: {flatten(issue.impact)}"
