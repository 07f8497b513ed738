"""Find lines that runs violated after a compaction had removed them from the context."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.facts import Fact, Identity
from actions.history.line_history import LineHistory, read_history
from actions.history.matched_uses import MatchedUse, match_uses
from actions.history.matches import Match
from actions.history.phrases import Phrase, find_phrases, parse_phrase
from actions.history.uses import Use
from actions.skill.budget import find_last_surviving_line
from actions.skill.skill import MAIN, Skill


class Loss(msgspec.Struct, frozen=True, eq=False):
    """A line that a compaction removed from the context. `matches` show how runs violated the line afterwards.

    A compaction keeps the beginning of a text, up to the cut. `is_moved` means that the line is above the cut in the
    current text, but was below it in each text that these runs had loaded.
    """

    history: LineHistory
    matches: tuple[Match, ...]
    is_moved: bool = False

    @property
    def sessions(self) -> int:
        """The number of sessions that violated the line."""
        return len({match.use.session for match in self.matches})

    @property
    def is_fixed(self) -> bool:
        """Whether the line is now above the cut, or runs of a newer text followed the line after a compaction."""
        compacted = [matched for matched in self.history.uses if matched.use.compactions]
        return self.is_moved or self.history.is_fixed(self.matches, compacted)


def find_losses(case: Case) -> Iterator[Loss]:
    """Yield the lines of the current text that runs violated after a compaction had removed them from the context.

    A run violates a line if it runs a command that the line forbids, or skips the line's step but carries out a later
    step. Text that Claude Code attached again after the compaction does not count as removed.
    """
    violations = group_by_key(pair for use in match_uses(case) for pair in _list_violations(use))
    for history in read_history(case):
        if history.line and history.fact.identity in violations:
            matches = tuple(violations[history.fact.identity])
            is_kept = history.line <= find_last_surviving_line(case.skill)
            yield Loss(history, matches, is_kept and all(_is_cut(match.use, history.fact) for match in matches))


def _is_cut(use: Use, fact: Fact) -> bool:
    """Return whether a fact is below the line at which a compaction cuts the text that a use loaded."""
    loaded_fact = next((other for other in use.facts if other.identity == fact.identity), fact)
    return loaded_fact.line > find_last_surviving_line(Skill("text", (replace(use.file, path=MAIN),)))


def find_forbidden_runs(case: Case) -> Iterator[tuple[LineHistory, Sequence[Match]]]:
    """Yield (history, matches) for each command that runs executed although a line in the context forbade it."""
    lost = {match for loss in find_losses(case) for match in loss.matches}
    for history in read_history(case):
        ran = (match for match in history.matches if match.step.result and not match.is_refused)
        matches = [match for match in ran if match not in lost]
        if history.fact.is_forbidden and history.line and matches:
            yield history, matches


def _list_violations(matched: MatchedUse) -> Iterator[tuple[Identity, Match]]:
    """Yield (identity, match) for each later step that violated a fact that the last compaction had removed."""
    if not matched.use.compactions:
        return
    end = matched.use.compactions[-1].record
    attached = (load for load in matched.use.transcript.loads if load.is_reattached and load.record > end)
    phrases = {_get_phrase(fact) for fact in matched.use.facts}
    still_in_context = find_phrases(phrases, ((load.record, load.text) for load in attached))
    last_step = max((match.fact.step for match in matched.matches if match.record < end), default=0)
    for fact in matched.use.facts:
        if _get_phrase(fact) not in still_in_context:
            matches = _find_violating_matches(matched, fact, last_step)
            yield from ((fact.identity, match) for match in matches if match.record > end)


def _find_violating_matches(matched: MatchedUse, fact: Fact, last_step: int) -> Iterator[Match]:
    """Yield the matches that show how a use violated a fact.

    For a forbidden command, these are its matches. For a skipped step after `last_step`, it is the match of a later
    step.
    """
    if fact.is_forbidden:
        matches = matched.by_fact.get(fact.identity, ())
        yield from (match for match in matches if match.step.result and not match.is_refused)
    elif fact.step > last_step and matched.find_omission(fact) and (later := matched.find_later_step(fact)):
        yield later


def _get_phrase(fact: Fact) -> Phrase:
    return parse_phrase(" ".join(fact.key))
