"""Summarize the recorded uses of a text: a row per line, a timeline per use, and the commands that no line mentions."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.commit_rules import NO_MODEL, find_broken_rules
from actions.history.facts import FactKind, Identity
from actions.history.habits import Habit, find_habits
from actions.history.hits import Hit
from actions.history.joins import JoinedUse, LineHistory, join_uses, read_history
from actions.history.observations import list_observations
from actions.history.truncation import find_truncations
from actions.history.uses import Use
from actions.history.versions import list_texts, number_texts
from actions.session.failures import get_refusal
from actions.session.redaction import redact
from actions.session.transcript import Kind
from templates.filters import visible

QUOTE = 160
"""Maximum number of characters of a quote."""
READ_KINDS = ("otherwise", "overruled", "detour", "wasted", "conflict", "waited")
"""The kinds of events that a model observes. Records do not prove them, except for commit rules and renamed skills."""
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


class Counts(msgspec.Struct, frozen=True):
    """The numbers of uses that reached a line, carried it out, and failed at it."""

    reached: int = 0
    ran: int = 0
    failed: int = 0

    @property
    def never(self) -> int:
        """The number of uses that reached the line but did not carry it out."""
        return self.reached - self.ran


class Place(msgspec.Struct, frozen=True):
    """A record of a session, counted from 1, and a quote. `agent` is the sub-agent in whose transcript it is."""

    session: str
    record: int
    quote: str = ""
    agent: str = ""


class LineRow(msgspec.Struct, frozen=True):
    """The uses of one line. `line` is its number in the current text, or None if it is gone.

    `loaded_line` is its number in the newest loaded text that has it, and `text` is its text. `versions` has the counts
    for each version of Claude Code, `by_text` the counts for each version of the text, by number. `first` is the place
    of the first failure, or else of the first time that the line was carried out; None if it never was.
    """

    line: int | None
    loaded_line: int
    kind: str
    text: str
    counts: Counts
    versions: Mapping[str, Counts]
    by_text: Mapping[str, Counts]
    first: Place | None = None
    is_conditional: bool = False
    is_forbidden: bool = False

    @property
    def place(self) -> str:
        """The line number in the current text or, if the line is gone, a note with its number in the newest text."""
        return str(self.line) if self.line else f"gone, was {self.loaded_line}"

    @property
    def split_counts(self) -> Sequence[tuple[str, Counts]]:
        """The labelled counts, by version of Claude Code and by version of the text.

        Either part is left out if the line was carried out with only one version.
        """
        ran = [{name: one for name, one in counts.items() if one.ran} for counts in (self.versions, self.by_text)]
        named = [
            (kind, name, one)
            for kind, known in zip(("Claude Code", "text"), ran, strict=True)
            if len(known) > 1
            for name, one in known.items()
        ]
        return [(f"{kind} {name}", one) for kind, name, one in named]


class Fault(msgspec.Struct, frozen=True):
    """A fault at a line of the current text that sessions show. `message` names the runs that show it."""

    line: int
    pattern: str
    severity: str
    message: str
    grade: str


class Event(msgspec.Struct, frozen=True):
    """An event in a use: its record, counted from 1, and the line of the current text that it belongs to, if any.

    `kind` is loaded, done, failed, repaired, forbidden, refused, said (by the user), compacted, attached, asked, ended,
    skipped (a later step began without the line), late (the line first ran after a later step), unchecked (a file was
    read without the check that should choose it), or truncated (the output of the line's command was too large, so that
    the run saw only the beginning of it). The line of `said` is the line of the last step before it. `is_read` means
    that a model observed the event (see `ObservedKind`).
    """

    kind: str
    record: int
    text: str
    line: int | None = None
    agent: str = ""
    is_read: bool = False


class LoadedText(msgspec.Struct, frozen=True):
    """A version of the text that sessions loaded: its number (1 is the oldest), first and last date, and use count."""

    number: int
    first: str
    last: str
    uses: int
    is_today: bool

    @property
    def dates(self) -> str:
        """The date of its use, or its first and last date; "" if unknown."""
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
    """The recorded uses of one unit. `path` is relative to the project; `texts` counts `loaded_texts`.

    `faults` are the faults that count in the score, the worst first.
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
    faults: Sequence[Fault] = ()


def build_table(case: Case) -> SessionTable:
    """Build the table of the case's text. Without uses it has no rows."""
    joined = join_uses(case)
    lines = {history.fact.identity: history.line for history in read_history(case)}
    return SessionTable(
        unit=case.unit.name,
        kind=case.skill.kind.value,
        path=case.unit.path,
        uses=len(joined),
        sessions=len({one.use.session for one in joined}),
        texts=len(list_texts(case)),
        loaded_texts=[LoadedText(t.number, t.first, t.last, len(t.uses), t.is_today) for t in list_texts(case)],
        rows=tuple(_to_row(one, number_texts(case)) for one in read_history(case) if _has_row(one)),
        timelines=tuple(_to_timeline(one, case, lines) for one in joined),
        habits=find_habits(case),
    )


def _has_row(one: LineHistory) -> bool:
    """Return whether a fact has a row: a run carried it out, or every run should and at least one reached it.

    No run needs to read an import, because Claude Code inserts the file into the text.
    """
    is_needed = one.kind is not FactKind.IMPORT and any(use.needs(one.fact) for use in one.reached_uses)
    return one.kind in _ACTION_KINDS and bool(one.hits or is_needed)


def _to_row(one: LineHistory, texts: Mapping[Use, int]) -> LineRow:
    fact = one.fact
    ran, failed = set(map(id, one.ran_uses)), set(map(id, one.failed_uses))
    by_text = group_by_key((str(texts[use.use]), use) for use in one.reached_uses)
    by_version = group_by_key((use.use.version or "unknown", use) for use in one.reached_uses)
    return LineRow(
        line=one.line,
        loaded_line=fact.line,
        kind=fact.kind.value,
        text=_shorten(one.text),
        counts=_count(one.reached_uses, ran, failed),
        versions={version: _count(uses, ran, failed) for version, uses in by_version.items()},
        by_text={number: _count(uses, ran, failed) for number, uses in by_text.items()},
        first=next(map(locate, one.failures or one.hits), None),
        is_conditional=fact.is_conditional,
        is_forbidden=fact.is_forbidden,
    )


def _count(uses: Sequence[JoinedUse], ran: Collection[int], failed: Collection[int]) -> Counts:
    """Count the uses of a line. `ran` and `failed` are the ids of uses that carried it out, and that failed at it."""
    return Counts(len(uses), sum(id(use) in ran for use in uses), sum(id(use) in failed for use in uses))


def locate(hit: Hit) -> Place:
    """Return the place of a hit in its session: the result if the step failed, else the call."""
    quote = hit.quote
    return Place(hit.use.name, quote.record + 1, _shorten(quote.quote), quote.agent)


def _shorten(text: str) -> str:
    line = " ".join(visible(redact(text[: 2 * QUOTE])).split())
    return line if len(line) <= QUOTE else f"{line[: QUOTE - 1]}…"


def _to_timeline(one: JoinedUse, case: Case, lines: Mapping[Identity, int | None]) -> Timeline:
    use = one.use
    truncated = (
        Event("truncated", quote.record + 1, _shorten(quote.quote), line, quote.agent)
        for line, quote in find_truncations(one, lines, case.skill.main.text)
    )
    proven = dict.fromkeys((*_list_events(one, lines), *truncated))
    read = [event for event in _list_observed(use, case) if not any(_is_same(event, other) for other in proven)]
    shown = sorted(proven, key=lambda event: event.record)[:_MAX_EVENTS]
    return Timeline(
        session=use.session,
        name=use.name,
        date=use.transcript.date,
        version=use.version,
        text=number_texts(case)[use],
        records=use.transcript.records,
        tokens=use.transcript.tokens,
        is_headless=use.transcript.is_headless,
        events=tuple(sorted((*shown, *read), key=lambda event: event.record)),
    )


def _list_observed(use: Use, case: Case) -> Iterator[Event]:
    for line, one in list_observations(use, case):
        what = " ".join(visible(one.what).split())
        what += "" if line else f" (line {one.line} of the loaded text, which is gone now)"
        yield Event(one.kind.value, one.quote.record + 1, what, line, one.quote.agent, is_read=True)


def _is_same(one: Event, other: Event) -> bool:
    """Return whether two events are the same: same line and kind, or an observation of a truncated output."""
    is_truncation = other.kind == "truncated" and one.kind in ("failed", "detour")
    return one.line is not None and one.line == other.line and (one.kind == other.kind or is_truncation)


def _list_events(one: JoinedUse, lines: Mapping[Identity, int | None]) -> Iterator[Event]:
    use, transcript = one.use, one.use.transcript
    yield Event("loaded", use.load.record + 1, _shorten(use.load.name or use.load.folder))
    tools: set[Identity] = set()
    for hit in one.hits:
        is_repeated = hit.fact.kind is FactKind.TOOL and hit.fact.identity in tools and not hit.is_refused
        if hit.fact.kind is FactKind.PROMPT or (is_repeated and not hit.failure):
            continue
        tools.add(hit.fact.identity)
        yield _to_event(hit, lines.get(hit.fact.identity))
        if hit.repaired is not None:
            quote = use.quote(hit.repaired)
            yield Event("repaired", quote.record + 1, _shorten(quote.quote), lines.get(hit.fact.identity), quote.agent)
    for fact in use.facts:
        if fact.kind in _ACTION_KINDS and (shown := one.find_omission(fact)):
            yield Event("skipped", shown.record + 1, _shorten(fact.text), lines.get(fact.identity), shown.agent)
    for identity, step in one.renamed.items():
        quote = use.quote(step)
        words = f"loaded {quote.quote} instead of {identity[1]}"
        yield Event("otherwise", quote.record + 1, _shorten(words), lines.get(identity), quote.agent)
    for check, hit in one.find_unchecked():
        yield Event("unchecked", hit.quote.record + 1, hit.quote.quote, lines.get(check.identity), hit.quote.agent)
    for fact, quote in find_broken_rules(use):
        kind = "forbidden" if fact.key[0] == NO_MODEL else "otherwise"
        yield Event(kind, quote.record + 1, _shorten(quote.quote), lines.get(fact.identity), quote.agent)
    for hit in dict.fromkeys(late for late, _ in one.find_late()):
        quote = hit.quote
        yield Event("late", quote.record + 1, _shorten(hit.fact.text), lines.get(hit.fact.identity), quote.agent)
    refused = {id(hit.step) for hit in one.hits if hit.is_refused and not hit.fact.is_forbidden}
    for step in use.steps:
        said = "" if id(step) in refused else get_refusal(step.result)
        if step.result and said:  # about a step that is not in the text
            yield Event("said", step.result.record + 1, _shorten(said), agent=step.call.agent)
    inside = range(0 if use.load.agent else use.load.record + 1, 0 if use.load.agent else use.end)
    own = sorted((hit for hit in one.hits if not hit.step.call.agent), key=lambda hit: hit.record)
    for message in transcript.messages:
        if message.kind in (Kind.PROMPT, Kind.INTERRUPT) and message.record in inside:
            before = _find_line_before(message.record, own, lines)
            yield Event("said", message.record + 1, _shorten(message.text), before)
    prompts = {message.text for message in transcript.prompts}
    for queued in transcript.queued:
        if queued.record in inside and queued.text not in prompts and not queued.text.startswith("/"):
            yield Event("said", queued.record + 1, _shorten(queued.text), _find_line_before(queued.record, own, lines))
    yield from (Event("compacted", c.record + 1, _shorten(c.trigger)) for c in use.compactions)
    yield from (
        Event("attached", a.record + 1, _shorten(a.name)) for a in transcript.loads if a.is_again and a.record in inside
    )
    last = one.last_question
    asked = next(line for line in reversed(last.text.splitlines()) if "?" in line) if last else ""
    yield Event("asked", last.record + 1, _shorten(asked)) if last else Event("ended", use.end, "")


def _to_event(hit: Hit, line: int | None) -> Event:
    """Return the event of a hit, a refused one with what the user said."""
    place = locate(hit)
    if hit.is_refused and not hit.fact.is_forbidden:
        words = ": ".join(filter(None, (place.quote, get_refusal(hit.step.result))))
        return Event("refused", hit.refusal.record + 1, _shorten(words), line, place.agent)
    kind = "forbidden" if hit.fact.is_forbidden else "failed" if hit.failure else "done"
    return Event(kind, place.record, place.quote, line, place.agent)


def _find_line_before(record: int, steps: Sequence[Hit], lines: Mapping[Identity, int | None]) -> int | None:
    """Return the line of the last step before a record; None if there is none or the line is gone."""
    place = bisect_left(steps, record, key=lambda hit: hit.record)
    return lines.get(steps[place - 1].fact.identity) if place else None
