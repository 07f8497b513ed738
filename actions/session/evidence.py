"""Recorded sessions as evidence: what they show raises a finding of the skill, or is told beside the findings.

A recorded session does not change, so what it shows deducts nothing and no fix claims it.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import takewhile

from actions.case import Case
from actions.regex import regex
from actions.scoring.finding import fingerprint_of
from actions.session.shown import Evidence, Shown
from actions.skill.text import plain
from schemas.issues import Issue
from schemas.sessions import SessionSeen
from schemas.vocabulary import Family, Grade, IssueStatus

_QUOTED = 5
"""Sightings of one finding that are quoted."""
_TOLD = regex(r"\S{1,8} record \d+(?: of agent \S+)? \| ")


def evidence_of(case: Case, families: Collection[Family], judge: str = "a model") -> Evidence:
    """Return what the sessions of a case show for some families; `judge` names who answers in `case.judged`."""
    if not case.sessions:
        return Evidence()
    from actions.session.look import look  # the checkers cost as much time to load as all the rest

    return look(case, families, judge)


def with_evidence(issues: Sequence[Issue], evidence: Evidence, case: Case, known: Sequence[Issue]) -> tuple[Issue, ...]:
    """Mark the findings that sessions confirm, and add what they show beside them. `known` keeps its ids."""
    out = list(issues)
    ids = {issue.fingerprint: issue.id for issue in known if issue.source == "session"}
    number = max((int(issue.id.rpartition("-")[2]) for issue in (*known, *issues)), default=0)
    for shown in evidence.shown:
        told = (*_quotes(shown), _seen_line(shown, len(case.sessions)))
        twins = [n for n, issue in enumerate(out) if _confirms(shown, issue)]
        for n in twins:
            out[n] = _raised(out[n], len(shown.sessions), told)
        if shown.alone and not twins:
            at = shown.location.file, plain(_line_of(shown, case))
            fingerprint = fingerprint_of("session", shown.pattern, *at, shown.message)
            number += fingerprint not in ids
            out.append(_issue(shown, ids.get(fingerprint, f"ISS-{number:03d}"), fingerprint, told, case))
    return tuple(out)


def carried(fresh: Sequence[Issue], known: Sequence[Issue]) -> list[Issue]:
    """Return findings of a new look at the skill with what sessions showed before: sessions do not change."""
    before = {issue.id: issue for issue in known if issue.sessions and issue.source != "session"}
    raised = [_raised(i, before[i.id].sessions, _told_before(before[i.id])) if i.id in before else i for i in fresh]
    return [*raised, *(issue for issue in known if issue.source == "session" and issue.status == "open")]


def merged(rows: Sequence[SessionSeen], more: Sequence[SessionSeen]) -> tuple[SessionSeen, ...]:
    """Join what several diagnoses saw in the same sessions."""
    known = {row.id: row for row in rows}
    for row in more:
        old = known.get(row.id)
        known[row.id] = row if old is None else replace(
            row,
            found=tuple(dict.fromkeys((*old.found, *row.found))),
            asked=old.asked + row.asked,
            unknown=old.unknown + row.unknown,
            moments=old.moments or row.moments,
        )  # fmt: skip
    return tuple(known.values())


def _confirms(shown: Shown, issue: Issue) -> bool:
    at, line = issue.location, shown.location.line_start
    is_same = issue.source != "session" and (issue.pattern, at.file) == (shown.pattern, shown.location.file)
    return is_same and line is not None and at.meets(line, line)


def _raised(issue: Issue, sessions: int, told: Sequence[str]) -> Issue:
    return replace(issue, sessions=sessions, evidence=(*issue.evidence, *told))


def _told_before(issue: Issue) -> tuple[str, ...]:
    """Return what sessions added to the evidence of a raised finding: quotes, and how many sessions show it."""
    *lines, last = issue.evidence
    return (*reversed(tuple(takewhile(_TOLD.match, reversed(lines)))), last)


def _quotes(shown: Shown) -> tuple[str, ...]:
    quotes = ((session[:8], quote) for session, quote, _ in shown.sightings[:_QUOTED] if quote.quote)
    agents = ((id, quote, f" of agent {quote.agent}" if quote.agent else "") for id, quote in quotes)
    return tuple(f"{id} record {quote.record}{agent} | {quote.quote}" for id, quote, agent in agents)


def _seen_line(shown: Shown, total: int) -> str:
    firsts = {sighting.session: sighting.quote for sighting in reversed(shown.sightings)}
    places = [f"{id[:8]} record {firsts[id].record}" for id in shown.sessions[:_QUOTED]]
    more = len(shown.sessions) - len(places)
    rest = f" and {more} more" if more else ""
    return f"seen in {len(shown.sessions)} of {total} session{'s' * (total != 1)} ({', '.join(places)}{rest})"


def _issue(shown: Shown, id: str, fingerprint: str, told: Sequence[str], case: Case) -> Issue:
    text = _line_of(shown, case)
    return Issue(
        id=id,
        type=shown.family,
        severity=shown.severity,
        priority=1,
        location=shown.location,
        description=shown.message,
        evidence=(*([text] if text else []), *told),
        root_cause=shown.root_cause,
        impact=shown.impact,
        suggested_fix="custom",
        pattern=shown.pattern,
        grade=Grade.READ if shown.read_by else Grade.PROVEN,
        fingerprint=fingerprint,
        source="session",
        sessions=len(shown.sessions),
        read_by=shown.read_by,
    )


def _line_of(shown: Shown, case: Case) -> str:
    file, line = case.skill.by_path.get(shown.location.file), shown.location.line_start
    return file.doc.line(line).strip()[:300] if file and line else ""


def unknown_rate(rows: Sequence[SessionSeen]) -> str:
    """Say how many of the answers are unknown."""
    asked, lacking = sum(row.asked for row in rows), sum(row.unknown for row in rows)
    return f"{lacking} of {asked} answers are unknown ({lacking / asked:.0%})" if asked else "no question applied"


def seen_only(issues: Sequence[Issue]) -> list[Issue]:
    """Return the open issues that only sessions show."""
    return [issue for issue in issues if issue.source == "session" and issue.status is IssueStatus.OPEN]
