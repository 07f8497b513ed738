"""Find what a compaction took out of the context, and what runs then did wrong."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.case import Case
from actions.history.facts import Fact
from actions.history.joins import Hit, JoinedUse, LineHistory, read_history


@dataclass(frozen=True, eq=False)
class Loss:
    """A line of which a compaction left nothing in the context, and the steps that then broke it."""

    history: LineHistory
    hits: tuple[Hit, ...]

    @property
    def sessions(self) -> int:
        """The number of sessions that broke it."""
        return len({hit.use.session for hit in self.hits})


def find_losses(case: Case) -> Iterator[Loss]:
    """Yield the lines of today's text that compactions took out of the context and that were then broken.

    A forbidden command ran, or an ordered step was left out although a later one was done. What Claude Code attached
    again after the compaction was not lost.
    """
    for history in read_history(case):
        broken = (hit for use in history.uses if history.line for hit in _find_broken(use, history.fact))
        hits = tuple(broken)
        if hits:
            yield Loss(history, hits)


def _find_broken(use: JoinedUse, fact: Fact) -> Iterator[Hit]:
    """Yield the steps after the last compaction of a use that show that a fact was lost and broken."""
    if not use.use.compactions:
        return
    end = use.use.compactions[-1].record
    kept = "\n".join(one.text for one in use.use.transcript.loads if one.is_again and one.record > end)
    if " ".join(fact.key) in kept or fact.text in kept:
        return
    if fact.is_forbidden:
        hits = use.by_fact.get(fact.identity, ())
        yield from (hit for hit in hits if _at(hit) > end and hit.step.result and not hit.is_refused)
        return
    before = max((hit.fact.step for hit in use.hits if _at(hit) < end), default=0)
    later = use.find_later_step(fact) if fact.step > before and use.is_skipped(fact) else None
    if later and _at(later) > end:
        yield later


def _at(hit: Hit) -> int:
    return hit.step.call.record
