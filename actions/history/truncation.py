"""Find commands of a text whose output was too large for the context, so that a run saw only the beginning of it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import takewhile

from actions.history.facts import FactKind, Identity
from actions.history.joins import JoinedUse
from actions.regex import regex
from actions.session.transcript import Quote

_TOO_LARGE = regex(r"<persisted-output>\s*(Output too large \([^)\n]{1,20}\))")
"""What Claude Code 2.1 puts in place of an output of over 30,000 characters, followed by its first 2 KB."""
_END = "</persisted-output>"
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
    for cut in _TOO_LARGE.finditer(loaded):
        before, _, after = loaded[: cut.start()], *loaded[cut.start() :].partition(_END)[1:]
        yield _find_line(before, after, today), Quote(use.load.record, cut[1], use.agent)
    commands = [hit for hit in one.hits if hit.fact.kind is FactKind.COMMAND]
    in_step = Counter(id(hit.step) for hit in commands)
    for hit in commands:
        found = _TOO_LARGE.match(hit.step.result.text) if hit.step.result else None
        if found and in_step[id(hit.step)] == 1:  # of several commands none is known to have printed so much
            yield lines.get(hit.fact.identity), use.quote(hit.step, found[1])


def _find_line(before: str, after: str, today: str) -> int | None:
    """Return the line of the current text whose command stood between two parts of the loaded text.

    If several commands have the same words before them on their lines, only one may stand between the same texts.
    """
    label = before.rpartition("\n")[2]
    runs = list(_RUN.finditer(today))
    ends, starts = [0, *(run.end() for run in runs)], [*(run.start() for run in runs), len(today)]
    texts = [today[end:start] for end, start in zip(ends, starts, strict=True)]
    same = [n for n, run in enumerate(runs) if today[: run.start()].rpartition("\n")[2] == label]
    if len(same) > 1:
        same = [n for n in same if _ends_alike(texts[n], before) and _ends_alike(texts[n + 1][::-1], after[::-1])]
    return today.count("\n", 0, runs[same[0]].start()) + 1 if len(same) == 1 else None


def _ends_alike(text: str, loaded: str) -> bool:
    """Return whether a loaded text ends with a text, or at least with words of a line above its last one."""
    pairs = zip(reversed(text), reversed(loaded), strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared == len(text) or text[len(text) - shared :].rpartition("\n")[0].strip() != ""
