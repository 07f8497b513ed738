"""Looks through recorded sessions: what their checkers say for a family, and which lines of the skill they point to."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from actions.case import Case
from actions.grouping import grouped
from actions.patterns import all_patterns
from actions.patterns.session import Session, Verdict, looked_at
from actions.scoring.issues import page
from actions.session.judging import joined
from actions.session.pointers import in_use_since, pointers
from actions.session.shown import Evidence, Shown, Sighting
from actions.session.transcript import Transcript
from actions.session.types import session_type
from actions.skill.budget import lost_rules
from actions.skill.paths import MAIN
from schemas.considerations import Consideration
from schemas.issues import Location, ReadBy
from schemas.sessions import CompactionSeen, SessionSeen
from schemas.vocabulary import Family, Severity

SPEAKS: Mapping[str, Family] = {
    "compaction_handling": Family.MEMORY,
    "todos_complete": Family.MEMORY,
    "local_testing": Family.AGENT,
    "philosophy_compliance": Family.AGENT,
    "shortcuts": Family.AGENT,
    "dev_workflow_complete": Family.AGENT,
    "workflow_invocation": Family.AGENT,
    "skill_invocation": Family.AGENT,
    "no_direct_main_commit": Family.AGENT,
}
"""The considerations that speak for a family of findings. The others tell of the session alone: `check` shows them."""
_WARNING, _TRIGGER = 300, 20
"""Characters of a warning and of a trigger that are kept."""


def to_ask(transcript: Transcript, considerations: Iterable[Consideration]) -> list[Consideration]:
    """Return what a judge may be asked of a session that serves as evidence."""
    kind = session_type(Session(transcript))
    return [one for one in considerations if one.enabled and one.id in SPEAKS and one.applies_to(kind)]


@dataclass
class _Seen:
    """A session that is looked through, its type, and what was counted in it."""

    session: Session
    kind: str
    found: list[str] = field(default_factory=list)
    asked: int = 0
    unknown: int = 0

    @property
    def id(self) -> str:
        return self.session.transcript.session_id


def look(case: Case, families: Collection[Family], judge: str) -> Evidence:
    """Return what the sessions of a case show for some families; `judge` names who answers in `case.judged`."""
    seen = [_Seen(session, session_type(session).value) for session in map(Session, case.sessions)]
    asked = [one for one in case.considerations if one.enabled and SPEAKS.get(one.id) in families]
    failed: list[str] = []
    shown: list[Shown] = []
    for one in asked:
        sightings = [sighting for each in seen for sighting in _sightings(one, each, judge, case, failed)]
        if sightings:
            shown.append(_of_consideration(one, sightings))
    shown += _pointed(case, [each.session for each in seen], families)
    lost = len(lost_rules(case.skill)) if Family.MEMORY in families else None
    rows = tuple(_row(each, case, shown, lost) for each in seen)
    return Evidence(tuple(shown), rows, frozenset(one.id for one in asked), tuple(failed))


def _sightings(one: Consideration, seen: _Seen, judge: str, case: Case, failed: list[str]) -> Iterator[Sighting]:
    if not one.applies_to(seen.kind):
        return
    own, error = looked_at(one.checker, seen.session)
    if error:
        failed.append(f"{one.id} could not look at session {seen.id}: {type(error).__name__}")
    answer, is_judged = joined(case.judged.get(seen.id, {}).get(one.id), own)
    seen.asked += 1
    seen.unknown += answer.verdict is Verdict.UNKNOWN
    if answer.verdict is Verdict.FOUND:
        seen.found.append(one.id)
        read_by = None if (not is_judged or own.verdict is Verdict.FOUND) else ReadBy(judge, answer.why)
        yield from (Sighting(seen.id, quote, read_by) for quote in answer.quotes[:1])


def _row(seen: _Seen, case: Case, shown: Sequence[Shown], lost: int | None) -> SessionSeen:
    """Return the row of a session; `lost` is how many rules a compaction cuts off, None where nobody asked."""
    transcript = seen.session.transcript
    used = in_use_since(transcript, case.skill)
    return SessionSeen(
        id=seen.id,
        date=transcript.date,
        type=seen.kind,
        compactions=len(transcript.compactions),
        found=tuple(dict.fromkeys((*seen.found, *(one.pattern for one in shown if seen.id in one.sessions)))),
        asked=seen.asked,
        unknown=seen.unknown,
        tokens=transcript.tokens,
        began=transcript.began,
        ended=transcript.ended,
        records=transcript.records,
        used=used,
        moments=() if lost is None else tuple(_moments(seen.session, used, lost)),
    )


def _moments(session: Session, used: int | None, cut_off: int) -> Iterator[CompactionSeen]:
    """Return the last compactions with what each lost: of the skill, when it was in use by then, and of the work."""
    for at, losses in session.losses:
        warnings = tuple(loss.warning[:_WARNING] for loss in losses)
        rules = cut_off if used is not None and used < at.record else 0
        yield CompactionSeen(at.record, at.at, at.trigger[:_TRIGGER], at.pre_tokens, rules, warnings)


def _of_consideration(one: Consideration, sightings: Iterable[Sighting]) -> Shown:
    return Shown(
        pattern=one.id,
        family=SPEAKS[one.id],
        severity=Severity.HIGH if one.is_blocker else Severity.LOW,
        message=f"{one.question} Sessions say no.",
        location=Location(MAIN),
        root_cause=one.description,
        impact=one.recovery,
        sightings=tuple(sightings),
    )


def _pointed(case: Case, sessions: Sequence[Session], families: Collection[Family]) -> Iterator[Shown]:
    modules = all_patterns()
    known = ((p, modules[p.pattern].PATTERN.family) for p in pointers(case.skill, sessions) if p.pattern in modules)
    wanted = (p for p, family in known if family in families and case.settings.wants(p.pattern, family))
    for (id, file, line), group in grouped(((p.pattern, p.file, p.line), p) for p in wanted).items():
        told = page(modules[id])
        yield Shown(
            pattern=id,
            family=modules[id].PATTERN.family,
            severity=group[0].severity,
            message=group[0].message,
            location=Location(file, line, line),
            root_cause=told["It is"],
            impact=told["Why it is bad"],
            sightings=tuple(pointer.sighting for pointer in group),
            alone=group[0].alone,
        )
