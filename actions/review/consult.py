"""Ask the judge to read a unit, in one question or one per part, and then to try to refute its own findings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from actions.case import Case
from actions.history.reader_events import describe_events
from actions.patterns import get_patterns
from actions.patterns.page import CUSTOM, find_page
from actions.patterns.pattern import Pattern
from actions.review.accepting import AnswerFilter
from actions.review.asking import JudgeClient, build_question, format_issue_line, render_skill
from actions.review.judge import Question
from actions.review.refutation import refute_additions
from actions.review.skill_view import Part, SkillView, note_hidden, split_skill, view_main, view_skill
from actions.review.verdicts import is_open
from actions.scoring.issues import update_issues
from schemas.concerns import CONCERNS
from schemas.issues import Issue
from schemas.vocabulary import FOCUS, Family, IssueStatus

_MAX_KNOWN = 60
"""Maximum number of known findings that a question lists, the most severe first."""
WHOLE_READING, SEAMS_READING, REPEATED_READING = "reading", "reading of the seams", "deep analysis"
"""Names of readings: of a whole unit, of how the parts of a large skill fit together, and of a unit read before."""


class _Reading(msgspec.Struct, frozen=True):
    """A question about a unit: its name, the text at its beginning, the part of the unit, and the findings to judge."""

    name: str
    shared_text: str
    part: Part | None = None
    issues_to_judge: Mapping[str, Issue] | None = None


def consult_judge(
    issues: Sequence[Issue],
    case: Case,
    client: JudgeClient,
    focus: Iterable[str] = tuple(FOCUS),
    description: str = "",
    *,
    again: bool = False,
) -> tuple[Issue, ...]:
    """Return the issues after a judge has read the unit and has tried to refute the findings that it added.

    `focus` limits the patterns. `description` is the user's description of the problem. `again` means that the unit was
    read before and the judge looks for faults that were missed. Without an accepted answer, the findings do not change.
    """
    areas = tuple(focus)
    patterns, view = list_askable_patterns(areas, case), view_skill(case.skill)
    if not patterns:
        return tuple(issues)
    shared_text = render_skill(case, view.text)
    issues_to_judge = _select_known_findings(issues, areas, view)
    if again:
        readings = [_Reading(REPEATED_READING, shared_text, issues_to_judge=issues_to_judge)]
    else:
        readings = list(_plan_readings(case, shared_text, issues_to_judge))
    known = [issue for issue in issues if issue.status is not IssueStatus.RESOLVED][:_MAX_KNOWN]
    answers = client.ask([_build_question(reading, patterns, areas, description, case, known) for reading in readings])
    if not again:
        client.unread = [reading.name for reading, answer in zip(readings, answers, strict=True) if answer is None]
    by_id = {issue.id: issue for issue in issues}
    for reading, answer in zip(readings, answers, strict=True):
        if answer is not None:
            filter = AnswerFilter(case, client.name)
            by_id |= filter.accept_verdicts(answer["verdicts"], reading.issues_to_judge or {})
            added = filter.accept_additions(answer["added"], patterns, list(by_id.values()), answer.looked_up)
            by_id |= {issue.id: issue for issue in added}
            client.notes += filter.describe_rejected_items(f"the {reading.name}")
    client.notes += note_hidden(client.name, view) if any(answers) else ()
    new = by_id.keys() - {issue.id for issue in issues}
    return update_issues((), refute_additions(new, tuple(by_id.values()), case, client, shared_text), ())


def _plan_readings(case: Case, shared_text: str, issues_to_judge: Mapping[str, Issue]) -> Iterator[_Reading]:
    """Yield one reading of a small unit; for a large skill, one of each part and one of how the parts fit together."""
    parts = split_skill(case.skill)
    main = render_skill(case, view_main(case.skill).text) if parts else ""
    for number, part in enumerate(parts, 1):
        yield _Reading(f"reading of part {number} of {len(parts)}", main, part)
    yield _Reading(SEAMS_READING if parts else WHOLE_READING, shared_text, issues_to_judge=issues_to_judge)


def _select_known_findings(issues: Sequence[Issue], areas: Sequence[str], view: SkillView) -> dict[str, Issue]:
    """Return the findings of the focus that the judge must rule on, by id, most severe first.

    The judge is not asked about findings whose lines it is not shown.
    """
    families = {family for name in areas for family in FOCUS[name]}
    judgeable = (issue for issue in issues if is_open(issue) or issue.status is IssueStatus.REJECTED)
    in_focus = (issue for issue in judgeable if issue.type in families and not issue.is_from_session)
    shown = [issue for issue in in_focus if view.shows(issue.location.file, issue.location.line_start)]
    return {issue.id: issue for issue in shown[:_MAX_KNOWN]}


def list_askable_patterns(areas: Iterable[str], case: Case) -> dict[str, Pattern]:
    """Return the patterns that a judge may report, by id. `custom` is for a fault that no pattern describes."""
    families = {family for name in areas for family in FOCUS[name]}
    known = (module.PATTERN for module in get_patterns().values())
    patterns = [p for p in known if p.family in families and not p.from_sessions]
    custom = Pattern(CUSTOM, (), other_family=Family.CUSTOM)
    return {p.id: p for p in (*patterns, custom) if p.asks_model and case.settings.may_report(p.id, p.family)}


def _build_question(
    reading: _Reading,
    patterns: Mapping[str, Pattern],
    areas: Sequence[str],
    description: str,
    case: Case,
    known: Sequence[Issue],
) -> Question:
    issues_to_judge, families = reading.issues_to_judge or {}, (family for name in areas for family in FOCUS[name])
    return build_question(
        reading.name,
        "reading",
        reading.shared_text,
        ids=tuple(issues_to_judge),
        pattern_ids=tuple(patterns),
        kind=case.skill.kind,
        part=reading.part,
        main=case.skill.main.path,
        is_seams=reading.name == SEAMS_READING,
        is_again=reading.name == REPEATED_READING,
        concern="" if len(areas) == len(FOCUS) else "; ".join(CONCERNS[f].label for f in families if f in CONCERNS),
        wish=description,
        events="" if reading.part else describe_events(case),
        index=[f"{id} {find_page(id)['title']}" for id in patterns if id != CUSTOM],
        has_custom=CUSTOM in patterns,
        findings="\n".join(format_issue_line(issue, f"{issue.grade} {issue.severity}") for issue in known),
        judged=bool(issues_to_judge),
    )
