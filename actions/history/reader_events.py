"""List the events of sessions for a model to judge. Records prove that the events happened, but not at which line."""

from collections.abc import Iterator

from actions.case import Case
from actions.history.session_table import Event, Timeline, build_table

_LISTED_KINDS = ("said", "refused", "asked", "skipped", "late", "unchecked")
_MAX_EVENTS, _MAX_PER_RUN, _MAX_CHARS = 60, 12, 8_000
"""Maximum numbers of events, of events per run, and of characters of all events together."""


def describe_events(case: Case) -> str:
    """Return one line for each event, the newest runs first; "" if there are none. Secrets are hidden.

    Two kinds of event are not listed: the user's words before the first step of a run, because they are the task, and a
    model's observations, because they are not proven.
    """
    table = build_table(case)
    found = [line for timeline in reversed(table.timelines) for line in _describe_run(timeline)]
    found += [f"{one.uses} of {table.uses} runs ran {one.text}, for which there is no line" for one in table.habits]
    kept: list[str] = []
    chars_left = _MAX_CHARS
    for line in found[:_MAX_EVENTS]:
        chars_left -= len(line) + 1
        if chars_left >= 0:
            kept.append(line)
    return "\n".join(kept)


def _describe_run(run: Timeline) -> Iterator[str]:
    began = False
    events_left = _MAX_PER_RUN
    for event in (event for event in run.events if not event.is_read):
        began = began or event.kind not in ("loaded", "said")
        if events_left and event.kind in _LISTED_KINDS and (began or event.kind != "said"):
            events_left -= 1
            yield f"{run.name} record {event.record}{_format_line_number(event)}: {event.kind}: {event.text}"


def _format_line_number(event: Event) -> str:
    return f", line {event.line}" if event.line else ""
