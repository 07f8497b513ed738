"""Add the evidence of recorded sessions to issues.

Faults of a recorded session do not lower the score, and no fix resolves them, because a recording cannot be changed.
Faults in the text that sessions reveal do lower the score. Later sessions show whether they are fixed.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile

from msgspec.structs import replace

from actions.case import Case
from actions.evidence.session_evidence import SessionEvidence
from actions.patterns import get_patterns
from actions.patterns.page import get_page
from actions.patterns.pattern import Finding, compute_fingerprint
from actions.regex import regex
from actions.secrets import withhold_values
from actions.session.names import name_sessions
from actions.session.redaction import redact
from actions.skill.text import normalize_text
from schemas.issues import Issue, Location, Place, ReadBy
from schemas.sessions import SessionRecord
from schemas.vocabulary import Family, Grade, IssueSource, IssueStatus

_MAX_QUOTED = 5
"""Maximum number of a finding's occurrences to quote."""
_QUOTE_LINE = regex(r"\S+ record \d+(?: of agent \S+)? \| ")


def collect_evidence(case: Case, families: Collection[Family], judge: str = "a model") -> SessionEvidence:
    """Check a case's sessions for some families. `judge` names the model whose answers are in `case.judged`."""
    if not case.sessions:
        return SessionEvidence()
    from actions.evidence.collect import check_sessions  # slow: as long as all other imports

    return check_sessions(case, families, judge)


def add_evidence(
    issues: Sequence[Issue], evidence: SessionEvidence, case: Case, known: Sequence[Issue]
) -> tuple[Issue, ...]:
    """Extend issues that sessions confirm, and add issues that only sessions reveal. Known issues keep their ids."""
    out = list(issues)
    ids = {issue.fingerprint: issue.id for issue in known if issue.is_from_session}
    number = max((int(issue.id.rpartition("-")[2]) for issue in (*known, *issues)), default=0)
    names = name_sessions(session.session_id for session in case.sessions)
    for finding in evidence.confirming:
        _extend_confirmed(out, finding, names)
    for finding in evidence.findings:
        if not _extend_confirmed(out, finding, names):
            finding = _add_fingerprint(finding, case)
            number += finding.fingerprint not in ids
            id = ids.get(finding.fingerprint, f"ISS-{number:03d}")
            out.append(_to_issue(finding, id, _format_lines(finding, names), case))
    return tuple(out)


def keep_evidence(fresh: Sequence[Issue], known: Sequence[Issue]) -> list[Issue]:
    """Copy the session evidence of known issues to the issues of a new scan, and add the open issues from sessions."""
    before = {issue.id: issue for issue in known if issue.sessions and not issue.is_from_session}
    extended = [
        _extend(i, before[i.id].sessions, _list_session_lines(before[i.id])) if i.id in before else i for i in fresh
    ]
    return [*extended, *(i for i in known if i.is_from_session and i.status is IssueStatus.OPEN)]


def merge_sessions(rows: Sequence[SessionRecord], more: Sequence[SessionRecord]) -> tuple[SessionRecord, ...]:
    """Merge the session rows of two diagnoses into one row per session."""
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


def format_unknown_rate(rows: Sequence[SessionRecord]) -> str:
    """Return a clause with the number and the percentage of unknown answers."""
    asked, unknown = sum(row.asked for row in rows), sum(row.unknown for row in rows)
    return f"{unknown} of {asked} answers are unknown ({unknown / asked:.0%})" if asked else "no question applied"


def list_open_session_issues(issues: Sequence[Issue]) -> list[Issue]:
    """Return the open issues about the behavior of agents in sessions."""
    return [issue for issue in issues if issue.is_about_session and issue.status is IssueStatus.OPEN]


def list_line_faults(issues: Sequence[Issue]) -> list[Issue]:
    """Return the open and resolved faults in the text that only sessions can reveal, sorted by file and line."""
    in_text = (i for i in issues if i.is_from_session and not i.is_about_session)
    listed = (i for i in in_text if i.status in (IssueStatus.OPEN, IssueStatus.RESOLVED))
    return sorted(listed, key=lambda issue: (issue.location.file, issue.location.line_start or 0))


def _extend_confirmed(issues: list[Issue], finding: Finding, names: Mapping[str, str]) -> bool:
    """Add a finding to the evidence of the issues that it confirms, in place. Return whether it confirms any."""
    confirmed = [n for n, issue in enumerate(issues) if _confirms(finding, issue)]
    for n in confirmed:
        issues[n] = _extend(issues[n], len(finding.sessions), _format_lines(finding, names))
    return bool(confirmed)


def _add_fingerprint(finding: Finding, case: Case) -> Finding:
    file = case.skill.by_path.get(finding.file)
    quote = file.doc.line(finding.line).strip()[:300] if file and finding.line else ""
    parts = ("session", finding.pattern.id, finding.file, normalize_text(quote), finding.cause or finding.message)
    return replace(finding, quote=quote, fingerprint=compute_fingerprint(*parts))


def _confirms(finding: Finding, issue: Issue) -> bool:
    line = finding.line
    if not line or issue.is_from_session or issue.pattern != finding.pattern.id:
        return False
    return any(at.file == finding.file and at.overlaps(line, line) for at in issue.places)


def _extend(issue: Issue, sessions: int, lines: Sequence[str]) -> Issue:
    return replace(issue, sessions=sessions, evidence=(*issue.evidence, *lines))


def _list_session_lines(issue: Issue) -> tuple[str, ...]:
    """Return the lines of an issue's evidence that come from sessions: the quotes and the number of sessions."""
    *lines, last = issue.evidence
    return (*reversed(tuple(takewhile(_QUOTE_LINE.match, reversed(lines)))), last)


def _format_lines(finding: Finding, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return a line for each quote and a line with the number of sessions. Records are numbered from 1."""
    return (*_format_quotes(finding, names), _format_count(finding, names))


def _format_quotes(finding: Finding, names: Mapping[str, str]) -> tuple[str, ...]:
    shown = (occurrence for occurrence in finding.occurrences[:_MAX_QUOTED] if occurrence.quote.quote)
    quotes = ((names.get(occurrence.session, occurrence.session), occurrence.quote) for occurrence in shown)
    agents = ((name, quote, f" of agent {quote.agent}" if quote.agent else "") for name, quote in quotes)
    return tuple(f"{name} record {quote.record + 1}{agent} | {redact(quote.quote)}" for name, quote, agent in agents)


def _format_count(finding: Finding, names: Mapping[str, str]) -> str:
    firsts = {occurrence.session: occurrence.quote for occurrence in reversed(finding.occurrences)}
    places = [f"{names.get(id, id)} record {firsts[id].record + 1}" for id in finding.sessions[:_MAX_QUOTED]]
    more = len(finding.sessions) - len(places)
    rest = f" and {more} more" if more else ""
    total = len(names)
    return f"seen in {len(finding.sessions)} of {total} session{'s' * (total != 1)} ({', '.join(places)}{rest})"


def _to_issue(finding: Finding, id: str, lines: Sequence[str], case: Case) -> Issue:
    root_cause, impact = _explain(finding, case)
    line, read_by = finding.line or None, _get_reader(finding)
    message, quote = withhold_values(finding.message), withhold_values(finding.quote)
    return Issue(
        id=id,
        type=finding.pattern.family,
        severity=finding.severity,
        priority=1,
        location=Location(finding.file, line, line),
        locations=(Place(finding.file, line, line, None, quote, finding.fingerprint),),
        description=message,
        evidence=(*([quote] if quote else []), *lines),
        root_cause=root_cause,
        impact=impact,
        suggested_fix="custom",
        pattern=finding.pattern.id,
        grade=Grade.READ if read_by else Grade.PROVEN,
        fingerprint=finding.fingerprint,
        source=IssueSource.SESSION,
        sessions=len(finding.sessions),
        read_by=read_by,
    )


def _explain(finding: Finding, case: Case) -> tuple[str, str]:
    """Return the root cause and the impact of a finding, from its consideration or else from its pattern's page."""
    for consideration in case.considerations:
        if consideration.id == finding.pattern.id:
            return consideration.description, consideration.recovery
    page: Mapping[str, str] = get_page(get_patterns()[finding.pattern.id])
    return page["It is"], page["Why it is bad"]


def _get_reader(finding: Finding) -> ReadBy | None:
    """Return the model that judged a finding, or None if a checker proved it in at least one session."""
    readers = [occurrence.read_by for occurrence in finding.occurrences]
    return None if None in readers else readers[0]
