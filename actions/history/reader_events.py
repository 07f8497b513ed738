"""List events of sessions for a model, which decides which line of the text caused them."""

from collections.abc import Iterator

from actions.case import Case
from actions.history.session_table import Event, Timeline, build_table

_LISTED_KINDS = ("said", "refused", "asked", "skipped", "late", "unchecked")
_MAX_EVENTS, _MAX_PER_RUN, _MAX_CHARS = 60, 12, 8_000
"""Maximum numbers of events, of events per run, and of characters of all events together."""


def describe_events(case: Case) -> str:
    """Return one line for each event, newest runs first, with secrets hidden.

    The user's messages before the first step of a run are left out, because they are the task. Observations of a model
    are left out, because they are not proven.
    """
    table = build_table(case)
    lines = [line for timeline in reversed(table.timelines) for line in _describe_run(timeline)]
    lines += [f"{h.uses} of {table.uses} runs ran {h.text}, for which there is no line" for h in table.habits]
    shown: list[str] = []
    chars_left = _MAX_CHARS
    for line in lines[:_MAX_EVENTS]:
        chars_left -= len(line) + 1
        if chars_left >= 0:
            shown.append(line)
    return "\n".join(shown)


def _describe_run(run: Timeline) -> Iterator[str]:
    has_begun = False
    events_left = _MAX_PER_RUN
    for event in (event for event in run.events if not event.is_read):
        has_begun = has_begun or event.kind not in ("loaded", "said")
        if events_left and event.kind in _LISTED_KINDS and (has_begun or event.kind != "said"):
            events_left -= 1
            yield f"{run.name} record {event.record}{_format_line_number(event)}: {event.kind}: {event.text}"


def _format_line_number(event: Event) -> str:
    return f", line {event.line}" if event.line else ""
