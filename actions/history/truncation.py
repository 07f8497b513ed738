"""Find commands of a text whose output was too large for the context, so that a run saw only the beginning of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from actions.grouping import group_by_key
from actions.history.facts import FactKind, Identity
from actions.history.joins import JoinedUse
from actions.regex import regex
from actions.session.transcript import Quote

_TOO_LARGE = regex(r"<persisted-output>\s*(Output too large \([^)\n]{1,20}\))")
"""What Claude Code 2.1 puts in place of an output of over 30,000 characters, followed by its first 2 KB."""
_END = "</persisted-output>"
_MAX_AROUND, _MAX_ALIKE = 300, 20
"""Maximum number of characters to compare on each side of an output, and of commands that an output may belong to."""
_RUN = regex(r"!`[^`\n]+`")
"""A command that Claude Code runs when it loads the text, and replaces by its output."""


def find_truncations(
    one: JoinedUse, lines: Mapping[Identity, int | None], today: str
) -> Iterator[tuple[int | None, Quote]]:
    """Yield the line of each command with a truncated output, and the quote that proves it.

    `lines` maps the facts of the loaded text to lines of `today`, the current text.
    """
    use = one.use
    loaded = use.load.text
    cut = _TOO_LARGE.search(loaded)
    while cut:
        end = loaded.find(_END, cut.end()) + len(_END)
        end = end if end >= cut.end() else len(loaded)
        before, after = loaded[max(0, cut.start() - _MAX_AROUND) : cut.start()], loaded[end : end + _MAX_AROUND]
        yield _find_line(before, after, today), Quote(use.load.record, cut[1], use.agent)
        cut = _TOO_LARGE.search(loaded, end)
    commands = [hit for hit in one.hits if hit.fact.kind is FactKind.COMMAND]
    in_step = Counter(id(hit.step) for hit in commands)
    for hit in commands:
        found = _TOO_LARGE.match(hit.step.result.text) if hit.step.result else None
        if found and in_step[id(hit.step)] == 1:  # of several commands none is known to have printed so much
            yield lines.get(hit.fact.identity), use.quote(hit.step, found[1])


class _Run(NamedTuple):
    """A command that Claude Code runs when it loads a text: its line, and the text up to the commands around it."""

    line: int
    above: str
    below: str


def _find_line(before: str, after: str, today: str) -> int | None:
    """Return the line of the current text whose command stood between two parts of the loaded text.

    If several commands have the same words before them on their lines, only one may stand between the same texts.
    """
    same = _list_runs(today).get(before.rpartition("\n")[2], ())
    if 1 < len(same) <= _MAX_ALIKE:
        same = [run for run in same if _ends_alike(run.above, before) and _ends_alike(run.below[::-1], after[::-1])]
    return same[0].line if len(same) == 1 else None


@lru_cache(maxsize=16)
def _list_runs(text: str) -> Mapping[str, Sequence[_Run]]:
    """Return the commands of a text that Claude Code runs when it loads it, by the words before them on their lines."""
    runs = list(_RUN.finditer(text))
    starts, ends = [run.start() for run in runs], [run.end() for run in runs]
    found: list[tuple[str, _Run]] = []
    line = 1
    for last, start, end, following in zip([0, *ends], starts, ends, [*starts[1:], len(text)], strict=False):
        line += text.count("\n", last, start)
        above = text[max(last, start - _MAX_AROUND) : start]
        label = text[max(text.rfind("\n", 0, start) + 1, start - _MAX_AROUND) : start]
        found.append((label, _Run(line, above, text[end : min(following, end + _MAX_AROUND)])))
    return group_by_key(found)


def _ends_alike(text: str, loaded: str) -> bool:
    """Return whether a loaded text ends with a text, or at least with words of a line above its last one."""
    pairs = zip(reversed(text), reversed(loaded), strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared == len(text) or text[len(text) - shared :].rpartition("\n")[0].strip() != ""
