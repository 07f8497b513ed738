"""A second look at what a judge has added: one question for all of it, whose order is to refute.

It has the schema of a diagnosis, for a provider's cache compares that too before it finds the skill. What is refuted
with words of the skill is rejected, and shown as refuted. Without an answer that counts it stands, and the notes say
that nobody looked again.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from actions.issues import CUSTOM, clauses_of, told_of
from actions.judging.asking import ask, question
from actions.judging.hearing import Hearing, left_out_note
from actions.judging.judge import Judge, Question
from actions.judging.quotes import bare
from actions.skill import Case
from schemas.issues import Cost, Issue
from schemas.vocabulary import IssueStatus, Ruling, Severity

_MOST = 60
"""Findings put to one second look, and other findings named beside them, the worst first."""
_NOTHING = Cost()


@dataclass(frozen=True)
class SecondLook:
    """All issues as they are after it, what it cost, and what is to be told."""

    issues: tuple[Issue, ...]
    cost: Cost = _NOTHING
    notes: tuple[str, ...] = ()


def second_look(added: Collection[str], issues: Sequence[Issue], case: Case, judge: Judge, about: str) -> SecondLook:
    """Put the added findings of medium severity or worse, by their ids, before a fresh look."""
    worst = sorted(issues, key=lambda issue: (issue.severity.rank, issue.id))
    put = {i.id: i for i in worst if i.id in added and _counts(i) and i.severity is not Severity.LOW}
    put = dict(list(put.items())[:_MOST])
    if not put:
        return SecondLook(tuple(issues))
    others = [issue for issue in worst if issue.id not in put and _counts(issue)][:_MOST]
    heard = ask(judge, [_question(list(put.values()), others, about)], "diagnosis")
    (answer,) = heard.answers
    if answer is None:
        return SecondLook(tuple(issues), heard.cost, (*heard.notes, _unseen(put)))
    hearing = Hearing(case, judge.name, Counter())
    told = hearing.verdicts(answer["verdicts"], put, tuple(i.id for i in others), Ruling.REFUTED)
    hearing.dropped["addition where none was asked for"] += len(answer["added"])
    notes = [left_out_note(judge.name, "the second look", hearing.left_out)] if hearing.left_out else []
    left = [id for id in put if id not in told]
    notes += [_unseen(left)] if left else []
    return SecondLook(tuple(told.get(i.id, i) for i in issues), heard.cost, (*heard.notes, *notes))


def _counts(issue: Issue) -> bool:
    return issue.status is IssueStatus.OPEN and issue.source != "session"


def _unseen(ids: Collection[str]) -> str:
    return f"read once and not put to a second look: {', '.join(ids)}"


def _question(put: Sequence[Issue], others: Sequence[Issue], about: str) -> Question:
    told = [(id, told_of(id)) for id in dict.fromkeys(issue.pattern for issue in put) if id != CUSTOM]
    return question(
        "refutation",
        "refute",
        about,
        "diagnosis",
        ids=tuple(issue.id for issue in put),
        known=tuple(issue.id for issue in others),
        patterns=[{"id": id, "title": page["title"], "parts": clauses_of(page)} for id, page in told],
        findings="\n\n".join("\n".join(_lines(issue)) for issue in put),
        others="\n".join(_line(issue) for issue in others),
    )


def _lines(issue: Issue) -> Iterator[str]:
    yield _line(issue)
    yield f"  quoted: {bare(issue.evidence[0])}"
    yield f"  harm: {bare(issue.impact)}"


def _line(issue: Issue) -> str:
    at = issue.location
    return bare(f"{issue.id} {issue.pattern} {issue.severity} {at.file}:{at.line_start or 1} {issue.description}")
