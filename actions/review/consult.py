"""Ask the judge about a diagnosis: one question per dimension, asked together, then have its additions refuted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from actions.case import Case
from actions.patterns import all_patterns
from actions.patterns.page import CUSTOM, find_page
from actions.patterns.pattern import Pattern
from actions.review.accepting import AnswerFilter
from actions.review.asking import Asking, build_question, describe_patterns, format_issue_line, render_skill
from actions.review.judge import Question
from actions.review.refutation import refute_additions
from actions.review.skill_view import View, note_hidden, view_skill
from actions.review.verdicts import is_open
from actions.scoring.issues import update_issues
from schemas.concerns import CONCERNS
from schemas.issues import Issue
from schemas.vocabulary import FOCUS, Family, IssueStatus

_ASKED = 60
"""Findings per question at most, the worst first."""
_CATCH_ALL = "dataflow"
"""The dimension that also takes faults of no other dimension, such as a bug in a script."""


@dataclass(frozen=True)
class _Dimension:
    """One of the six diagnoses as a question: its patterns and the findings to judge, by id."""

    name: str
    patterns: Mapping[str, Pattern]
    asked: Mapping[str, Issue]


def consult_judge(
    issues: Sequence[Issue], case: Case, asking: Asking, focus: Iterable[str] = tuple(FOCUS), wish: str = ""
) -> tuple[Issue, ...]:
    """Return the issues after a judge answered about the dimensions in `focus` and a second reading of its additions.

    `wish` is the user's description. Without an accepted answer the findings stay as they are.
    """
    seen = view_skill(case.skill)
    dimensions = [d for d in (_dimension(name, issues, case, seen) for name in focus) if d.patterns or d.asked]
    about = render_skill(seen.text)
    answers = asking.ask([_question(one, about, wish) for one in dimensions])
    answered = [(d, answer) for d, answer in zip(dimensions, answers, strict=True) if answer is not None]
    found = {issue.id: issue for issue in issues}
    for dimension, answer in answered:
        checked = AnswerFilter(case, asking.name)
        found.update(checked.accept_verdicts(answer["verdicts"], dimension.asked))
        found |= {
            issue.id: issue
            for issue in checked.accept_additions(answer["added"], dimension.patterns, list(found.values()))
        }
        asking.notes += checked.describe_rejected(dimension.name)
    asking.notes += note_hidden(asking.name, seen) if answered else ()
    new = found.keys() - {issue.id for issue in issues}
    return update_issues((), refute_additions(new, tuple(found.values()), case, asking, about), ())


def _dimension(name: str, issues: Sequence[Issue], case: Case, seen: View) -> _Dimension:
    judged = (issue for issue in issues if is_open(issue) or issue.status is IssueStatus.REJECTED)
    mine = [issue for issue in judged if issue.type in FOCUS[name] and not issue.is_from_session]
    asked = [issue for issue in mine if seen.shows(issue.location.file, issue.location.line_start)]
    return _Dimension(name, list_askable_patterns(name, case), {issue.id: issue for issue in asked[:_ASKED]})


def list_askable_patterns(name: str, case: Case) -> dict[str, Pattern]:
    """Return by id the patterns that a judge may report in a dimension, with `custom` for a fault of no pattern."""
    families = FOCUS[name]
    patterns = [module.PATTERN for module in all_patterns().values() if module.PATTERN.family in families]
    own = Pattern(CUSTOM, (), of=families[0])
    return {p.id: p for p in (*patterns, own) if p.asked and case.settings.wants(p.id, p.family)}


def _question(dimension: _Dimension, about: str, wish: str) -> Question:
    pages = describe_patterns((*dimension.patterns, *(issue.pattern for issue in dimension.asked.values())))
    families = (family for family in FOCUS[dimension.name] if family is not Family.SPEC)
    return build_question(
        f"diagnosis of {dimension.name}",
        "diagnosis",
        about,
        ids=tuple(dimension.asked),
        kinds=tuple(dimension.patterns),
        looks=tuple(id for id in dimension.patterns if id != CUSTOM),
        wish=wish,
        concern="; ".join(CONCERNS[family].label for family in families),
        elsewhere=_elsewhere(dimension),
        patterns=[{**page, "proven": page["id"] not in dimension.patterns} for page in pages],
        own=CUSTOM in dimension.patterns,
        catches_all=dimension.name == _CATCH_ALL,
        candidates="\n".join(
            format_issue_line(issue, f"{issue.grade} {issue.severity}") for issue in dimension.asked.values()
        ),
    )


def _elsewhere(dimension: _Dimension) -> str:
    """Return the titles of the patterns that the other questions ask about."""
    mine = FOCUS[dimension.name]
    others = (m.PATTERN.id for m in all_patterns().values() if m.PATTERN.asked and m.PATTERN.family not in mine)
    return "; ".join(find_page(id)["title"] for id in others)
