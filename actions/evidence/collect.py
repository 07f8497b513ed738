"""Find faults in recorded sessions, and the lines of the skill that explain these faults."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.evidence.session_evidence import SessionEvidence
from actions.evidence.skill_lines import CONFIRMING, find_first_use, find_skill_lines
from actions.grouping import group_by_key
from actions.history.observations import find_repeated_observations
from actions.patterns import find_session_pattern, get_patterns
from actions.patterns.pattern import Check, Finding, Occurrence, Pattern, get_check
from actions.patterns.session.ses_014_observed_fault import PATTERN as OBSERVED
from actions.patterns.session_pattern import check_consideration
from actions.session.answer import Verdict
from actions.session.judge import choose_answer
from actions.session.session import Session
from actions.session.session_type import classify_session
from actions.session.transcript import Transcript
from actions.skill.budget import find_lost_rules
from schemas.considerations import Consideration
from schemas.issues import ReadBy
from schemas.sessions import CompactionRecord, SessionRecord
from schemas.vocabulary import Family, Severity, UnitKind
from templates.filters import counted

_MAX_WARNING, _MAX_TRIGGER = 300, 20
"""Maximum numbers of characters to keep of a warning, and of a trigger."""


def select_considerations(transcript: Transcript, considerations: Iterable[Consideration]) -> list[Consideration]:
    """Return the considerations that apply to a recorded session and can be put to a judge."""
    kind = classify_session(Session(transcript))
    return [
        consideration
        for consideration in considerations
        if consideration.enabled and _get_family(consideration) and consideration.applies_to(kind)
    ]


class _SessionCheck(msgspec.Struct):
    session: Session
    kind: str
    found: list[str] = msgspec.field(default_factory=list)
    asked: int = 0
    unknown: int = 0

    @property
    def id(self) -> str:
        return self.session.transcript.session_id


def check_sessions(case: Case, families: Collection[Family], judge: str) -> SessionEvidence:
    """Check a case's sessions for some families. `judge` names the model whose answers are in `case.judged`."""
    checked = [_SessionCheck(session, classify_session(session).value) for session in map(Session, case.sessions)]
    asked = [
        consideration
        for consideration in case.considerations
        if consideration.enabled and _get_family(consideration) in families
    ]
    failed: list[str] = []
    findings: list[Finding] = []
    for consideration in asked:
        occurrences = [
            occurrence for check in checked for occurrence in _check_session(consideration, check, judge, case, failed)
        ]
        if occurrences:
            findings.append(_to_finding(consideration, occurrences, case))
    findings += _find_skill_faults(case, [check.session for check in checked], families)
    findings += (*_find_history_faults(case, families, failed), *_find_observed_faults(case, families))
    lost = len(find_lost_rules(case.skill)) if Family.MEMORY in families else None
    return SessionEvidence(
        findings=tuple(finding for finding in findings if finding.pattern.id not in CONFIRMING),
        confirming=tuple(finding for finding in findings if finding.pattern.id in CONFIRMING),
        rows=tuple(_build_row(check, case, findings, lost) for check in checked),
        asked=frozenset(consideration.id for consideration in asked),
        failed=tuple(failed),
    )


def check_lines(case: Case) -> SessionEvidence:
    """Find the faults in a case's text that only its sessions reveal."""
    failed: list[str] = []
    proven = _find_history_faults(case, frozenset(Family), failed)
    return SessionEvidence((*proven, *_find_observed_faults(case, frozenset(Family))), failed=tuple(failed))


def _get_family(consideration: Consideration) -> Family | None:
    module = find_session_pattern(consideration.id)
    return module.PATTERN.family if module else None


def _check_session(
    consideration: Consideration, checked: _SessionCheck, judge: str, case: Case, failed: list[str]
) -> Iterator[Occurrence]:
    if not consideration.applies_to(checked.kind):
        return
    own, error = check_consideration(consideration.checker, checked.session)
    if error:
        failed.append(f"{consideration.id} could not check session {checked.id}: {type(error).__name__}")
    answer, is_judged = choose_answer(case.judged.get(checked.id, {}).get(consideration.id), own)
    checked.asked += 1
    checked.unknown += answer.verdict is Verdict.UNKNOWN
    if answer.verdict is Verdict.VIOLATED:
        checked.found.append(consideration.id)
        read_by = None if (not is_judged or own.verdict is Verdict.VIOLATED) else ReadBy(judge, answer.why)
        yield from (Occurrence(checked.id, quote, read_by) for quote in answer.quotes[:1])


def _build_row(checked: _SessionCheck, case: Case, findings: Sequence[Finding], lost: int | None) -> SessionRecord:
    """Build the row of a session. `lost` is the number of rules that a compaction cuts off, or None if not counted."""
    transcript = checked.session.transcript
    used = find_first_use(transcript, case.skill)
    in_text = (finding.pattern.id for finding in findings if checked.id in finding.sessions)
    return SessionRecord(
        id=checked.id,
        date=transcript.date,
        type=checked.kind,
        compactions=len(transcript.compactions),
        found=tuple(dict.fromkeys((*checked.found, *in_text))),
        asked=checked.asked,
        unknown=checked.unknown,
        tokens=transcript.tokens,
        began=transcript.began,
        ended=transcript.ended,
        records=transcript.records,
        used=used,
        moments=() if lost is None else tuple(_list_compactions(checked.session, used, lost)),
    )


def _list_compactions(session: Session, used: int | None, cut_off: int) -> Iterator[CompactionRecord]:
    """Yield the last compactions of a session, with warnings about lost work and the number of lost rules.

    A compaction loses `cut_off` rules of the skill if the skill was already in use.
    """
    for compaction, losses in session.losses:
        warnings = tuple(loss.warning[:_MAX_WARNING] for loss in losses)
        rules = cut_off if used is not None and used < compaction.record else 0
        trigger = compaction.trigger[:_MAX_TRIGGER]
        yield CompactionRecord(compaction.record, compaction.at, trigger, compaction.pre_tokens, rules, warnings)


def _to_finding(consideration: Consideration, occurrences: Iterable[Occurrence], case: Case) -> Finding:
    return Finding(
        file=case.skill.main_path,
        line=0,
        message=f"{consideration.question} No, according to recorded sessions.",
        severity=Severity.HIGH if consideration.is_blocker else Severity.LOW,
        pattern=Pattern(consideration.id, other_family=_get_family(consideration)),
        occurrences=tuple(occurrences),
    )


def _find_history_faults(case: Case, families: Collection[Family], failed: list[str]) -> Iterator[Finding]:
    """Yield the faults in the text that only sessions reveal. If a check fails, the other checks still run."""
    for id, module in get_patterns().items():
        pattern, check = module.PATTERN, get_check(module)
        if not (pattern.from_sessions and check and pattern.family in families):
            continue
        if case.skill.kind not in pattern.kinds or not case.settings.may_report(id, pattern.family):
            continue
        findings: list[Finding] = []
        try:
            case.limited(partial(_collect, check, case, findings))
        except Exception as error:  # noqa: BLE001 - reported as a failed check
            failed.append(f"{id} could not check the sessions: {type(error).__name__}")
        chosen = case.settings.severity_of(id, pattern.family)
        for finding in findings:
            worst = max(finding.severity, pattern.severity, key=lambda severity: severity.rank)
            yield replace(finding, pattern=pattern, severity=chosen or worst)


def _collect(check: Check, case: Case, findings: list[Finding]) -> None:
    findings.extend(check(case))


def _find_observed_faults(case: Case, families: Collection[Family]) -> Iterator[Finding]:
    """Yield a finding for each line at which a model observed a failure.

    If the model made the same observation at a line in several runs, also yield a finding for this line.
    """
    is_wanted = OBSERVED.family in families and case.settings.may_report(OBSERVED.id, OBSERVED.family)
    for line, observations in find_repeated_observations(case) if is_wanted else ():
        first, runs = observations[0], counted(len({(seen.session, seen.load) for seen in observations}), "run")
        occurrences = (Occurrence(seen.session, seen.quote, ReadBy(seen.read_by, seen.what)) for seen in observations)
        severity = case.settings.severity_of(OBSERVED.id, OBSERVED.family) or first.severity
        message = f"{first.kind.group.capitalize()} in {runs}: {first.what}"
        yield Finding(
            case.skill.main_path,
            line,
            message,
            severity=severity,
            cause=first.kind.group,
            pattern=OBSERVED,
            occurrences=tuple(occurrences),
        )


def _find_skill_faults(case: Case, sessions: Sequence[Session], families: Collection[Family]) -> Iterator[Finding]:
    """Yield a finding for each line of the skill that explains faults in sessions, with all their occurrences."""
    if case.skill.kind is not UnitKind.SKILL:
        return
    lines = ((id, finding) for id, finding in find_skill_lines(case.skill, sessions) if id in get_patterns())
    patterns = ((get_patterns()[id].PATTERN, finding) for id, finding in lines)
    wanted = ((p, f) for p, f in patterns if p.family in families and case.settings.may_report(p.id, p.family))
    for (pattern, _, _), findings in group_by_key(((p, f.file, f.line), f) for p, f in wanted).items():
        yield replace(
            findings[0], pattern=pattern, occurrences=tuple(place for f in findings for place in f.occurrences)
        )
