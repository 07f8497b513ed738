"""Find lines that a compaction removed from the context, and that runs broke afterwards."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.facts import Fact, Identity
from actions.history.hits import Hit
from actions.history.joins import JoinedUse, join_uses
from actions.history.line_history import LineHistory, read_history
from actions.history.phrases import Phrase, find_phrases, parse_phrase
from actions.history.uses import Use
from actions.skill.budget import find_last_surviving_line
from actions.skill.skill import MAIN, Skill


class Loss(msgspec.Struct, frozen=True, eq=False):
    """A line that a compaction removed from the context, and the hits that show that runs broke it afterwards.

    A compaction keeps a text only up to a line, the cut. `is_moved` means that the line was below the cut in each text
    that these hits followed, but is above the cut in the current text.
    """

    history: LineHistory
    hits: tuple[Hit, ...]
    is_moved: bool = False

    @property
    def sessions(self) -> int:
        """The number of sessions that broke the line."""
        return len({hit.use.session for hit in self.hits})

    @property
    def is_fixed(self) -> bool:
        """Whether the line is now above the cut, or compacted runs have followed it since the text changed."""
        compacted = [joined for joined in self.history.uses if joined.use.compactions]
        return self.is_moved or self.history.is_fixed(self.hits, compacted)


def find_losses(case: Case) -> Iterator[Loss]:
    """Yield the lines of the current text that a compaction removed from the context and that runs broke afterwards.

    A run breaks a line by a command that the line forbids, or if it skips the line's step but carries out a later step.
    Text that Claude Code attached again after the compaction does not count as removed.
    """
    broken = group_by_key(pair for use in join_uses(case) for pair in _list_broken(use))
    for history in read_history(case):
        if history.line and history.fact.identity in broken:
            hits = tuple(broken[history.fact.identity])
            is_kept = history.line <= find_last_surviving_line(case.skill)
            yield Loss(history, hits, is_kept and all(_is_cut(hit.use, history.fact) for hit in hits))


def _is_cut(use: Use, fact: Fact) -> bool:
    """Return whether a fact is below the line at which a compaction cuts the text that a use loaded."""
    own = next((other for other in use.facts if other.identity == fact.identity), fact)
    return own.line > find_last_surviving_line(Skill("text", (replace(use.file, path=MAIN),)))


def find_forbidden_runs(case: Case) -> Iterator[tuple[LineHistory, Sequence[Hit]]]:
    """Yield the forbidden commands of the text, each with the steps that ran it while its line was in the context."""
    lost = {hit for loss in find_losses(case) for hit in loss.hits}
    for history in read_history(case):
        hits = [hit for hit in history.hits if hit.step.result and not hit.is_refused and hit not in lost]
        if history.fact.is_forbidden and history.line and hits:
            yield history, hits


def _list_broken(joined: JoinedUse) -> Iterator[tuple[Identity, Hit]]:
    """Yield the facts that a use's last compaction removed, each with a later step that broke it."""
    if not joined.use.compactions:
        return
    end = joined.use.compactions[-1].record
    attached = (load for load in joined.use.transcript.loads if load.is_reattached and load.record > end)
    phrases = {_get_phrase(fact) for fact in joined.use.facts}
    kept = find_phrases(phrases, ((load.record, load.text) for load in attached))
    last_step = max((hit.fact.step for hit in joined.hits if hit.record < end), default=0)
    for fact in joined.use.facts:
        if _get_phrase(fact) not in kept:
            yield from ((fact.identity, hit) for hit in _find_broken(joined, fact, last_step) if hit.record > end)


def _find_broken(joined: JoinedUse, fact: Fact, last_step: int) -> Iterator[Hit]:
    """Yield the hits of a forbidden command, or the hit of a later step if a step after `last_step` was skipped."""
    if fact.is_forbidden:
        hits = joined.by_fact.get(fact.identity, ())
        yield from (hit for hit in hits if hit.step.result and not hit.is_refused)
    elif fact.step > last_step and joined.find_omission(fact) and (later := joined.find_later_step(fact)):
        yield later


def _get_phrase(fact: Fact) -> Phrase:
    return parse_phrase(" ".join(fact.key))
