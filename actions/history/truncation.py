"""Find commands of a text whose output was too large for the context, so that a run saw only the beginning of it."""

from collections import Counter
from collections.abc import Iterator, Mapping

from actions.history.facts import FactKind, Identity
from actions.history.joins import JoinedUse
from actions.regex import regex
from actions.session.transcript import Quote

_TOO_LARGE = regex(r"<persisted-output>\s*(Output too large \([^)\n]{1,20}\))")
"""What Claude Code 2.1 puts in place of an output of over 30,000 characters, followed by its first 2 KB."""
_RUN = "!`"
"""What begins a command that Claude Code runs when it loads the text."""


def find_truncations(
    one: JoinedUse, lines: Mapping[Identity, int | None], today: str
) -> Iterator[tuple[int | None, Quote]]:
    """Yield the line of each command with a truncated output, and the quote that proves it.

    `lines` maps the facts of the loaded text to lines of `today`, the current text.
    """
    use = one.use
    loaded = use.load.text
    for cut in _TOO_LARGE.finditer(loaded):
        label = loaded[loaded.rfind("\n", 0, cut.start()) + 1 : cut.start()]
        yield _find_line(label, today), Quote(use.load.record, cut[1], use.agent)
    commands = [hit for hit in one.hits if hit.fact.kind is FactKind.COMMAND]
    in_step = Counter(id(hit.step) for hit in commands)
    for hit in commands:
        found = _TOO_LARGE.match(hit.step.result.text) if hit.step.result else None
        if found and in_step[id(hit.step)] == 1:  # of several commands none is known to have printed so much
            yield lines.get(hit.fact.identity), use.quote(hit.step, found[1])


def _find_line(label: str, today: str) -> int | None:
    """Return the line of the current text with a command after the same words; None if there is none."""
    texts = enumerate(today.split("\n"), 1)
    return next((number for number, text in texts if text.startswith(f"{label}{_RUN}")), None)
