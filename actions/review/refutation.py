"""Ask the judge, in one question, to refute the findings that it has added.

A finding that is refuted with a quote from the skill or the project is rejected. Without an accepted answer it is kept,
and a note says so. The question has the same answer schema as a reading, because a provider's cache compares the
schema, too.
"""

from collections.abc import Collection, Iterator, Sequence

from actions.case import Case
from actions.review.accepting import AnswerFilter
from actions.review.asking import Answer, JudgeClient, build_question, describe_patterns, format_issue_line
from actions.review.judge import Question
from actions.review.quotes import flatten
from schemas.issues import Issue
from schemas.vocabulary import Ruling, Severity

_MAX_OTHERS = 60
"""Maximum number of other findings that the question lists after the findings to refute, most severe first."""


def refute_additions(
    added: Collection[str], issues: Sequence[Issue], case: Case, client: JudgeClient, shared_text: str
) -> tuple[Issue, ...]:
    """Return all issues, after the judge has tried to refute those in `added` (ids) of medium severity or worse.

    `shared_text` is the text with which all questions about the unit begin (see `render_skill`).
    """
    by_severity = sorted(issues, key=lambda issue: (issue.severity.rank, issue.id))
    tested = {i.id: i for i in by_severity if i.id in added and i.counts and i.severity is not Severity.LOW}
    if not tested:
        return tuple(issues)
    others = [issue for issue in by_severity if issue.id not in tested and issue.counts][:_MAX_OTHERS]
    judged: dict[str, Issue] = {}
    undecided: dict[str, str] = {}
    (answer,) = client.ask([_build_question(list(tested.values()), others, shared_text)])
    if answer is not None:
        filter = AnswerFilter(case, client.name)
        judged = filter.accept_verdicts(answer["verdicts"], tested, tuple(i.id for i in others), Ruling.REFUTED)
        filter.rejected["addition that was not asked for"] += len(answer["added"])
        client.notes += filter.describe_rejected_items("the second reading")
        undecided = {id: why for id, why in _list_undecided_ids(answer) if id in tested and id not in judged}
    client.notes += (f"the second reading cannot tell whether {id} is true: {why}" for id, why in undecided.items())
    if missing := [id for id in tested if id not in judged and id not in undecided]:
        client.notes.append(f"not confirmed, because the second reading gave no verdict: {', '.join(missing)}")
    return tuple(judged.get(i.id, i) for i in issues)


def _list_undecided_ids(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield the ids of findings that the second reading could not decide, each with the reason."""
    verdicts = (verdict for verdict in answer["verdicts"] if verdict["verdict"] == "cannot_tell")
    yield from {verdict["id"]: flatten(verdict["reason"]) for verdict in verdicts}.items()


def _build_question(tested: Sequence[Issue], others: Sequence[Issue], shared_text: str) -> Question:
    return build_question(
        "refutation",
        "refute",
        shared_text,
        "reading",
        ids=tuple(issue.id for issue in tested),
        known=tuple(issue.id for issue in others),
        patterns=describe_patterns(issue.pattern for issue in tested),
        findings="\n\n".join("\n".join(_describe_issue(issue)) for issue in tested),
        others="\n".join(format_issue_line(issue, issue.severity) for issue in others),
    )


def _describe_issue(issue: Issue) -> Iterator[str]:
    yield format_issue_line(issue, issue.severity)
    yield f"  quoted: {flatten(issue.evidence[0])}"
    yield f"  harm: {flatten(issue.impact)}"
    if issue.read_by and issue.read_by.looked_up:
        yield f"  rests on: {', '.join(issue.read_by.looked_up)}"
    if issue.read_by and issue.read_by.from_knowledge:
        yield "  rests on what its reader knows of a library or program, not on these files"
