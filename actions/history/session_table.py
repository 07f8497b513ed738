"""Summarize the recorded uses of a text: a row per line, a timeline per use, and commands that the text lacks."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.commit_rules import NO_MODEL, find_broken_rules
from actions.history.facts import FactKind, Identity
from actions.history.habits import Habit, find_habits
from actions.history.line_history import LineHistory, read_history
from actions.history.matched_uses import MatchedUse, match_uses
from actions.history.matches import Match
from actions.history.observations import list_observations
from actions.history.truncation import find_truncations
from actions.history.uses import Use
from actions.history.versions import list_versions, map_version_numbers
from actions.session.failures import get_refusal
from actions.session.redaction import redact
from actions.session.transcript import Kind, Quote
from templates.filters import visible

MAX_QUOTE = 160
"""Maximum number of characters of a quote."""
OBSERVED_KINDS = ("otherwise", "overruled", "detour", "wasted", "conflict", "waited")
"""The kinds of events that a model observes. Records prove only `otherwise`: broken commit rules, renamed skills."""
_MAX_EVENTS = 200
_ACTION_KINDS = (
    FactKind.COMMAND,
    FactKind.SKILL,
    FactKind.AGENT,
    FactKind.TOOL,
    FactKind.FILE,
    FactKind.IMPORT,
    FactKind.FIELD,
    FactKind.WORDS,
    FactKind.HEADING,
)
_Lines = Mapping[Identity, int | None]
"""The lines of facts in the current text; None for facts that are gone."""


class Counts(msgspec.Struct, frozen=True):
    """The numbers of uses that reached a line, carried it out, and failed at it."""

    reached: int = 0
    ran: int = 0
    failed: int = 0

    @property
    def never(self) -> int:
        """The number of uses that reached the line but did not carry it out."""
        return self.reached - self.ran


class SessionPlace(msgspec.Struct, frozen=True):
    """A record of a session, counted from 1, with a quote. `agent` is the sub-agent whose transcript contains it."""

    session: str
    record: int
    quote: str = ""
    agent: str = ""


class LineRow(msgspec.Struct, frozen=True):
    """The uses of one line. `line` is its number in the current text, or None if it is gone.

    `loaded_line` is its number in the newest loaded text that contains it. `versions` has the counts by version of
    Claude Code, and `by_text` by number of the text version. `first` is the place of the first failure or, without
    one, of the first match.
    """

    line: int | None
    loaded_line: int
    kind: str
    text: str
    counts: Counts
    versions: Mapping[str, Counts]
    by_text: Mapping[str, Counts]
    first: SessionPlace | None = None
    is_conditional: bool = False
    is_forbidden: bool = False

    @property
    def place(self) -> str:
        """The line number in the current text or, if the line is gone, a note with its last number."""
        return str(self.line) if self.line else f"gone, was {self.loaded_line}"

    @property
    def split_counts(self) -> Sequence[tuple[str, Counts]]:
        """The labelled counts by version of Claude Code, and by version of the text, if there are several versions.

        Only versions with which the line was carried out count.
        """
        labelled: list[tuple[str, Counts]] = []
        for label, parts in (("Claude Code", self.versions), ("text", self.by_text)):
            carried_out = [(f"{label} {name}", counts) for name, counts in parts.items() if counts.ran]
            labelled += carried_out if len(carried_out) > 1 else []
        return labelled


class LineFault(msgspec.Struct, frozen=True):
    """A fault that sessions show at a line of the current text. `message` includes the runs in which it occurred."""

    line: int
    pattern: str
    severity: str
    message: str
    grade: str


class Event(msgspec.Struct, frozen=True):
    """An event in a use.

    `record` is counted from 1. `line` is the line of the event in the current text, or None.

    `kind` is loaded, done, failed, repaired, forbidden, refused, said (by the user), compacted, attached, asked, ended,
    skipped (a later step began without the line), late (the line first ran after a later step), unchecked (a file was
    read without the check that should choose it), or truncated (the run saw only the beginning of a command's large
    output). The line of `said` is that of the last step before it. `is_read` means that a model observed the event (see
    `ObservedKind`).
    """

    kind: str
    record: int
    text: str
    line: int | None = None
    agent: str = ""
    is_read: bool = False


class LoadedText(msgspec.Struct, frozen=True):
    """A version of the text that sessions loaded: its number, first and last date of use, and number of uses.

    The oldest version has the number 1. `is_today` means that the version is the current text.
    """

    number: int
    first: str
    last: str
    uses: int
    is_today: bool

    @property
    def dates(self) -> str:
        """The date of use, or the first and last date, or "" if they are unknown."""
        return self.first if self.first == self.last else f"{self.first} to {self.last}"


class Timeline(msgspec.Struct, frozen=True):
    """One use of the text in a session, from loading to end. `text` is the number of the loaded version."""

    session: str
    name: str
    date: str
    version: str
    text: int
    records: int
    tokens: int
    is_headless: bool
    events: Sequence[Event]


class SessionTable(msgspec.Struct, frozen=True):
    """The recorded uses of one unit. `path` is relative to the project.

    `texts` is the number of versions of the unit's text (`loaded_texts`) that sessions loaded. `faults` are the faults
    that count in the score, worst first.
    """

    unit: str
    kind: str
    path: str
    uses: int
    sessions: int
    texts: int
    loaded_texts: Sequence[LoadedText]
    rows: Sequence[LineRow]
    timelines: Sequence[Timeline]
    habits: Sequence[Habit]
    faults: Sequence[LineFault] = ()


def build_table(case: Case) -> SessionTable:
    """Build the table of a case's text. Without uses, the table has no rows."""
    uses = match_uses(case)
    lines = {history.fact.identity: history.line for history in read_history(case)}
    return SessionTable(
        unit=case.unit.name,
        kind=case.skill.kind.value,
        path=case.unit.path,
        uses=len(uses),
        sessions=len({matched.use.session for matched in uses}),
        texts=len(list_versions(case)),
        loaded_texts=[LoadedText(t.number, t.first, t.last, len(t.uses), t.is_today) for t in list_versions(case)],
        rows=tuple(
            _build_row(history, map_version_numbers(case)) for history in read_history(case) if _has_row(history)
        ),
        timelines=tuple(_build_timeline(matched, case, lines) for matched in uses),
        habits=find_habits(case),
    )


def _has_row(history: LineHistory) -> bool:
    """Return whether a run carried out a fact, or reached a fact that every run should carry out.

    No run needs to read an import, because Claude Code inserts the imported file into the text.
    """
    is_needed = history.kind is not FactKind.IMPORT and any(use.needs(history.fact) for use in history.reached_uses)
    return history.kind in _ACTION_KINDS and bool(history.matches or is_needed)


def _build_row(history: LineHistory, texts: Mapping[Use, int]) -> LineRow:
    fact = history.fact
    ran, failed = set(map(id, history.executed_uses)), set(map(id, history.failed_uses))
    by_text = group_by_key((str(texts[use.use]), use) for use in history.reached_uses)
    by_version = group_by_key((use.use.version or "unknown", use) for use in history.reached_uses)
    return LineRow(
        line=history.line,
        loaded_line=fact.line,
        kind=fact.kind.value,
        text=_shorten(history.text),
        counts=_count_uses(history.reached_uses, ran, failed),
        versions={version: _count_uses(uses, ran, failed) for version, uses in by_version.items()},
        by_text={number: _count_uses(uses, ran, failed) for number, uses in by_text.items()},
        first=next(map(locate, history.failures or history.matches), None),
        is_conditional=fact.is_conditional,
        is_forbidden=fact.is_forbidden,
    )


def _count_uses(uses: Sequence[MatchedUse], ran: Collection[int], failed: Collection[int]) -> Counts:
    return Counts(len(uses), sum(id(use) in ran for use in uses), sum(id(use) in failed for use in uses))


def locate(match: Match) -> SessionPlace:
    """Return the place of a match: the result if the step failed, else the call."""
    quote = match.quote
    return SessionPlace(match.use.name, quote.record + 1, _shorten(quote.quote), quote.agent)


def _shorten(text: str) -> str:
    """Return a text on one line of at most `MAX_QUOTE` characters, with redacted secrets."""
    line = " ".join(visible(redact(text[: 2 * MAX_QUOTE])).split())
    return line if len(line) <= MAX_QUOTE else f"{line[: MAX_QUOTE - 1]}…"


def _build_timeline(matched: MatchedUse, case: Case, lines: _Lines) -> Timeline:
    use = matched.use
    truncated = (
        Event("truncated", quote.record + 1, _shorten(quote.quote), line, quote.agent)
        for line, quote in find_truncations(matched, lines, case.skill.main.text)
    )
    proven = dict.fromkeys((*_list_events(matched, lines), *truncated))
    observed = [e for e in _list_observed_events(use, case) if not any(_is_same_event(e, other) for other in proven)]
    listed = sorted(proven, key=lambda event: event.record)[:_MAX_EVENTS]
    return Timeline(
        session=use.session,
        name=use.name,
        date=use.transcript.date,
        version=use.version,
        text=map_version_numbers(case)[use],
        records=use.transcript.records,
        tokens=use.transcript.tokens,
        is_headless=use.transcript.is_headless,
        events=tuple(sorted((*listed, *observed), key=lambda event: event.record)),
    )


def _list_observed_events(use: Use, case: Case) -> Iterator[Event]:
    for line, observation in list_observations(use, case):
        quote, text = observation.quote, " ".join(visible(observation.what).split())
        text += "" if line else f" (line {observation.line} of the loaded text, which is gone now)"
        yield Event(observation.kind.value, quote.record + 1, text, line, quote.agent, is_read=True)


def _is_same_event(event: Event, other: Event) -> bool:
    """Return whether an event has the line and kind of another, or is an observation of its truncated output."""
    is_truncation = other.kind == "truncated" and event.kind in ("failed", "detour")
    return event.line is not None and event.line == other.line and (event.kind == other.kind or is_truncation)


def _list_events(matched: MatchedUse, lines: _Lines) -> Iterator[Event]:
    """Yield the events that records prove, except truncated outputs. Events of one kind are in order."""
    use = matched.use
    yield Event("loaded", use.load.record + 1, _shorten(use.load.name or use.load.folder))
    yield from _list_match_events(matched, lines)
    yield from _list_deviations(matched, lines)
    yield from _list_refusals(matched)
    yield from _list_messages(matched, lines)
    yield from (Event("compacted", c.record + 1, _shorten(c.trigger)) for c in use.compactions)
    inside = _list_own_records(use)
    attached = (load for load in use.transcript.loads if load.is_reattached and load.record in inside)
    yield from (Event("attached", load.record + 1, _shorten(load.name)) for load in attached)
    last = matched.last_question
    question = next(line for line in reversed(last.text.splitlines()) if "?" in line) if last else ""
    yield Event("asked", last.record + 1, _shorten(question)) if last else Event("ended", use.end, "")


def _list_match_events(matched: MatchedUse, lines: _Lines) -> Iterator[Event]:
    """Yield the events of matches. Of a tool's calls, only the first, failed and refused calls are included."""
    tools: set[Identity] = set()
    for match in matched.matches:
        is_repeated = match.fact.kind is FactKind.TOOL and match.fact.identity in tools and not match.is_refused
        if match.fact.kind is FactKind.PROMPT or (is_repeated and not match.failure):
            continue
        tools.add(match.fact.identity)
        yield _build_event(match, lines.get(match.fact.identity))
        if match.repaired is not None:
            yield _build_quote_event("repaired", matched.use.quote(match.repaired), lines.get(match.fact.identity))


def _list_deviations(matched: MatchedUse, lines: _Lines) -> Iterator[Event]:
    """Yield the events in which a use skipped a line or carried it out in another way or order."""
    use = matched.use
    for fact in use.facts:
        if fact.kind in _ACTION_KINDS and (quote := matched.find_omission(fact)):
            yield _build_quote_event("skipped", quote, lines.get(fact.identity), fact.text)
    for identity, step in matched.renamed_skills.items():
        quote = use.quote(step)
        text = f"loaded {quote.quote} instead of {identity[1]}"
        yield _build_quote_event("otherwise", quote, lines.get(identity), text)
    for check, match in matched.find_unchecked_reads():
        yield Event(
            "unchecked", match.quote.record + 1, match.quote.quote, lines.get(check.identity), match.quote.agent
        )
    for fact, quote in find_broken_rules(use):
        kind = "forbidden" if fact.key[0] == NO_MODEL else "otherwise"
        yield _build_quote_event(kind, quote, lines.get(fact.identity))
    for match in dict.fromkeys(late.match for late in matched.find_late_matches()):
        yield _build_quote_event("late", match.quote, lines.get(match.fact.identity), match.fact.text)


def _list_refusals(matched: MatchedUse) -> Iterator[Event]:
    """Yield the user's words when refusing steps that the text does not ask for."""
    refused = {id(match.step) for match in matched.matches if match.is_refused and not match.fact.is_forbidden}
    for step in matched.use.steps:
        words = "" if id(step) in refused else get_refusal(step.result)
        if step.result and words:
            yield Event("said", step.result.record + 1, _shorten(words), agent=step.call.agent)


def _list_messages(matched: MatchedUse, lines: _Lines) -> Iterator[Event]:
    """Yield the user's messages, including those that were queued while the agent was working."""
    transcript, inside = matched.use.transcript, _list_own_records(matched.use)
    matches = sorted((match for match in matched.matches if not match.step.call.agent), key=lambda match: match.record)
    prompts = {message.text for message in transcript.prompts}
    messages = [m for m in transcript.messages if m.kind in (Kind.PROMPT, Kind.INTERRUPT)]
    queued = [q for q in transcript.queued if q.text not in prompts and not q.text.startswith("/")]
    for record, text in (*((m.record, m.text) for m in messages), *((q.record, q.text) for q in queued)):
        if record in inside:
            yield Event("said", record + 1, _shorten(text), _find_line_before(record, matches, lines))


def _list_own_records(use: Use) -> range:
    """Return the records after the text was loaded, or an empty range if a sub-agent loaded it."""
    return range(0) if use.load.agent else range(use.load.record + 1, use.end)


def _build_quote_event(kind: str, quote: Quote, line: int | None, text: str = "") -> Event:
    """Build an event whose text is the given text or, without one, the quote."""
    return Event(kind, quote.record + 1, _shorten(text or quote.quote), line, quote.agent)


def _build_event(match: Match, line: int | None) -> Event:
    """Build the event of a match. If the user refused the step, the event includes the user's words."""
    place = locate(match)
    if match.is_refused and not match.fact.is_forbidden:
        words = ": ".join(filter(None, (place.quote, get_refusal(match.step.result))))
        return Event("refused", match.refusal.record + 1, _shorten(words), line, place.agent)
    kind = "forbidden" if match.fact.is_forbidden else "failed" if match.failure else "done"
    return Event(kind, place.record, place.quote, line, place.agent)


def _find_line_before(record: int, matches: Sequence[Match], lines: _Lines) -> int | None:
    """Return the line of the last match before a record, or None if there is none or its line is gone."""
    index = bisect_left(matches, record, key=lambda match: match.record)
    return lines.get(matches[index - 1].fact.identity) if index else None
