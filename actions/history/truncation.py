"""Find commands of a text whose output was too large for the context, so that runs saw only its beginning."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from actions.grouping import group_by_key
from actions.history.facts import FactKind, Identity
from actions.history.matched_uses import MatchedUse
from actions.history.uses import Use
from actions.regex import regex
from actions.session.transcript import Quote

_TOO_LARGE = regex(r"<persisted-output>\s*(Output too large \([^)\n]{1,20}\))")
"""The words with which Claude Code 2.1 replaces an output of over 30,000 characters, before its first 2 KB."""
_END = "</persisted-output>"
_MAX_AROUND, _MAX_CANDIDATES = 300, 20
"""Maximum numbers of characters to compare before and after an output, and of commands that may have printed it."""
_LOAD_COMMAND = regex(r"!`[^`\n]+`")
"""A command that Claude Code runs when it loads the text, and replaces by its output."""


def find_truncations(
    matched: MatchedUse, lines: Mapping[Identity, int | None], current: str
) -> Iterator[tuple[int | None, Quote]]:
    """Yield (line, quote) for each command with a truncated output. The line is None if the command is gone.

    `lines` maps the facts of the loaded text to lines of the `current` text.
    """
    use = matched.use
    yield from _find_truncated_loads(use, current)
    commands = [match for match in matched.matches if match.fact.kind is FactKind.COMMAND]
    counts = Counter(id(match.step) for match in commands)
    for match in commands:
        note = _TOO_LARGE.match(match.step.result.text) if match.step.result else None
        if note and counts[id(match.step)] == 1:  # with several commands in a call, it is unclear which printed it
            yield lines.get(match.fact.identity), use.quote(match.step, note[1])


def _find_truncated_loads(use: Use, current: str) -> Iterator[tuple[int | None, Quote]]:
    """Yield the commands that Claude Code ran to load the text and whose output is truncated in it."""
    loaded = use.load.text
    note = _TOO_LARGE.search(loaded)
    while note:
        end = loaded.find(_END, note.end()) + len(_END)
        end = end if end >= note.end() else len(loaded)
        before, after = loaded[max(0, note.start() - _MAX_AROUND) : note.start()], loaded[end : end + _MAX_AROUND]
        yield _find_line(before, after, current), Quote(use.load.record, note[1], use.agent)
        note = _TOO_LARGE.search(loaded, end)


class _LoadCommand(NamedTuple):
    """A command that Claude Code runs when it loads a text: its line, and the text around it without other commands."""

    line: int
    above: str
    below: str


def _find_line(before: str, after: str, current: str) -> int | None:
    """Return the line of a command in the current text, given the loaded text before and after its output.

    Returns None unless exactly one command fits.
    """
    candidates = _index_load_commands(current).get(before.rpartition("\n")[2], ())
    if 1 < len(candidates) <= _MAX_CANDIDATES:
        above_fits = [command for command in candidates if _ends_similarly(command.above, before)]
        candidates = [command for command in above_fits if _ends_similarly(command.below[::-1], after[::-1])]
    return candidates[0].line if len(candidates) == 1 else None


@lru_cache(maxsize=16)
def _index_load_commands(text: str) -> Mapping[str, Sequence[_LoadCommand]]:
    """Map the text before a command on its line to the commands that Claude Code runs when it loads a text."""
    matches = list(_LOAD_COMMAND.finditer(text))
    starts, ends = [match.start() for match in matches], [match.end() for match in matches]
    commands: list[tuple[str, _LoadCommand]] = []
    line = 1
    for last_end, start, end, next_start in zip([0, *ends], starts, ends, [*starts[1:], len(text)], strict=False):
        line += text.count("\n", last_end, start)
        above = text[max(last_end, start - _MAX_AROUND) : start]
        label = text[max(text.rfind("\n", 0, start) + 1, start - _MAX_AROUND) : start]
        commands.append((label, _LoadCommand(line, above, text[end : min(next_start, end + _MAX_AROUND)])))
    return group_by_key(commands)


def _ends_similarly(text: str, loaded: str) -> bool:
    """Return whether a loaded text ends with `text`, or with its last line and a part of the lines above."""
    pairs = zip(reversed(text), reversed(loaded), strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared == len(text) or text[len(text) - shared :].rpartition("\n")[0].strip() != ""
