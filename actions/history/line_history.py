"""Follow each fact of a text through the uses that loaded it: where it was reached, carried out, or failed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.commands import is_check
from actions.history.facts import Fact, FactKind
from actions.history.matched_uses import LateMatch, MatchedUse, get_skill, match_uses
from actions.history.matches import Match
from actions.history.uses import Use, find_current_fact
from actions.history.versions import map_version_numbers
from actions.memo import memoize
from actions.regex import regex

_ERROR_CODE = regex(r"(?<![\w-])[a-z]{2,}(?:[_-][a-z]{2,})+(?![\w-]|\W{0,2}:)")
_MIN_RUNS, _MAX_CHANCE = 2, 0.05
"""Minimum number of runs of a new text without a fault, and maximum probability of that by chance, to call it fixed."""


class LineHistory(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A fact, and the uses whose texts contain it.

    `current` is the fact in the current text, or None if the current text lacks it. `texts` maps each use to the number
    of the text version that the use loaded.
    """

    fact: Fact
    current: Fact | None
    uses: Sequence[MatchedUse]
    texts: Mapping[Use, int]

    @property
    def kind(self) -> FactKind:
        """The kind of the fact."""
        return self.fact.kind

    @property
    def line(self) -> int | None:
        """The line in the current text, or None if the fact is gone."""
        return self.current.line if self.current else None

    @property
    def text(self) -> str:
        """The text of the fact in the current text or, if it is gone, in the text that the sessions loaded."""
        return (self.current or self.fact).text

    @cached_property
    def reached_uses(self) -> tuple[MatchedUse, ...]:
        """The uses that reached the fact."""
        return tuple(use for use in self.uses if use.reaches(self.fact))

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """The steps that carried out the fact, including failed and refused ones."""
        return tuple(match for use in self.uses for match in use.by_fact.get(self.fact.identity, ()))

    @cached_property
    def attempted_uses(self) -> tuple[MatchedUse, ...]:
        """The uses in which the fact was carried out, or in which the attempt was refused."""
        if self.kind in (FactKind.WORDS, FactKind.HEADING):
            return tuple(use for use in self.uses if use.is_done(self.fact))
        return tuple(use for use in self.uses if self.fact.identity in use.by_fact)

    @cached_property
    def executed_uses(self) -> tuple[MatchedUse, ...]:
        """The uses in which the fact was carried out at least once without being refused."""
        matches = ((use, use.by_fact.get(self.fact.identity, ())) for use in self.attempted_uses)
        return tuple(
            use for use, use_matches in matches if not use_matches or not all(match.is_refused for match in use_matches)
        )

    @cached_property
    def is_used(self) -> bool:
        """Whether any use carried out the fact or mentions its name."""
        return any(use.is_done(self.fact) for use in self.uses)

    @property
    def is_check(self) -> bool:
        """Whether the fact is a command that may fail as a valid result: a test, a linter, a build."""
        return self.fact.kind is FactKind.COMMAND and is_check(self.fact.key)

    @cached_property
    def failures(self) -> tuple[Match, ...]:
        """The matches that failed."""
        return tuple(match for match in self.matches if match.failure)

    @cached_property
    def failed_uses(self) -> tuple[MatchedUse, ...]:
        """The uses in which the fact failed."""
        own = ((use, use.by_fact.get(self.fact.identity, ())) for use in self.executed_uses)
        return tuple(use for use, matches in own if any(match.failure for match in matches))

    def is_fixed(self, faulty: Iterable[Match], tried: Sequence[MatchedUse]) -> bool:
        """Return whether a fault is absent from more uses of the newest text version than chance explains.

        `faulty` are the matches that show the fault. `tried` are the uses in which it could have occurred, oldest
        first.
        """
        faulty_uses = {match.use for match in faulty}
        groups = group_by_key((self.texts[matched.use], matched.use) for matched in tried)
        newest = groups.pop(self.texts[tried[-1].use]) if tried else []
        older = [use for group in groups.values() for use in group]
        if not older or len(newest) < _MIN_RUNS or not faulty_uses.isdisjoint(newest):
            return False
        success_rate = sum(use not in faulty_uses for use in older) / len(older)
        return bool(success_rate ** len(newest) <= _MAX_CHANCE)


def list_other_names(history: LineHistory) -> Sequence[str]:
    """Return the names of the skills that were loaded in place of another version that the text names."""
    steps = (use.renamed_skills.get(history.fact.identity) for use in history.uses)
    return sorted({get_skill(step) for step in steps if step})


def is_handled(match: Match) -> bool:
    """Return whether the text handles a failure, which it does if it quotes the error code (`"no_plan_found"`)."""
    codes = _ERROR_CODE.findall(match.failure.words) if match.failure else ()
    text = match.use.load.text
    return any(f'"{code}"' in text or f"`{code}`" in text for code in codes if code not in match.fact.key)


@memoize
def read_history(case: Case) -> tuple[LineHistory, ...]:
    """Return the history of each fact in the loaded texts, in the order of the current text's lines.

    Facts that are no longer in the current text come last.
    """
    uses = match_uses(case)
    facts = {fact.identity: fact for matched in uses for fact in matched.use.facts}
    uses_by_fact = group_by_key((fact.identity, matched) for matched in uses for fact in matched.use.facts)
    current = {
        id: find_current_fact(fact, uses_by_fact[id][-1].use.load.text, case.skill.main) for id, fact in facts.items()
    }
    histories = [
        LineHistory(fact, current[id], tuple(uses_by_fact[id]), map_version_numbers(case)) for id, fact in facts.items()
    ]
    return tuple(sorted(histories, key=lambda h: (h.line is None, h.line or h.fact.line, h.fact.kind)))


def find_late_commands(case: Case) -> Iterator[tuple[LineHistory, Sequence[LateMatch]]]:
    """Yield (history, late matches) for each command that uses first ran after a command of a later step.

    The later step must also be below the command in the current text.
    """
    histories = read_history(case)
    lines = {history.fact.identity: history.line or 0 for history in histories}
    late_matches = [late for matched in match_uses(case) for late in matched.find_late_matches()]
    in_order = (h for h in late_matches if 0 < lines[h.match.fact.identity] < lines[h.later_step.fact.identity])
    by_fact = group_by_key((late.match.fact.identity, late) for late in in_order)
    yield from ((history, by_fact[history.fact.identity]) for history in histories if history.fact.identity in by_fact)


def find_unchecked_reads(case: Case) -> Iterator[tuple[LineHistory, Sequence[Match]]]:
    """Yield (history, matches) for each check that uses skipped, with the reads that should have depended on it."""
    histories = read_history(case)
    reads = group_by_key(
        (check.identity, match) for use in match_uses(case) for check, match in use.find_unchecked_reads()
    )
    yield from ((history, reads[history.fact.identity]) for history in histories if history.fact.identity in reads)
