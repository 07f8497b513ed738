"""Follow each fact of a text through the uses that loaded it: where it was reached, carried out, or failed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.commands import is_check
from actions.history.facts import Fact, FactKind
from actions.history.hits import Hit
from actions.history.joins import JoinedUse, LateHit, get_skill, join_uses
from actions.history.uses import Use, find_current
from actions.history.versions import number_texts
from actions.memo import memoize
from actions.regex import regex

_ERROR_CODE = regex(r"(?<![\w-])[a-z]{2,}(?:[_-][a-z]{2,})+(?![\w-]|\W{0,2}:)")
_MIN_RUNS, _MAX_CHANCE = 2, 0.05
"""Minimum number of runs of a new text without a fault, and maximum probability of that by chance, to call it fixed."""


class LineHistory(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A fact and the uses whose text contains it. `current` is the fact in the current text, or None if it is gone.

    `texts` maps each use to the number of the text version that it loaded.
    """

    fact: Fact
    current: Fact | None
    uses: Sequence[JoinedUse]
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
        """The text of the fact as the current text has it or, if the fact is gone, as the sessions loaded it."""
        return (self.current or self.fact).text

    @cached_property
    def reached_uses(self) -> tuple[JoinedUse, ...]:
        """The uses that reached the fact."""
        return tuple(use for use in self.uses if use.reaches(self.fact))

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """The steps that carried out the fact, including failed and refused ones."""
        return tuple(hit for use in self.uses for hit in use.by_fact.get(self.fact.identity, ()))

    @cached_property
    def tried_uses(self) -> tuple[JoinedUse, ...]:
        """The uses in which the fact was carried out, or attempted and refused."""
        if self.kind in (FactKind.WORDS, FactKind.HEADING):
            return tuple(use for use in self.uses if use.is_done(self.fact))
        return tuple(use for use in self.uses if self.fact.identity in use.by_fact)

    @cached_property
    def ran_uses(self) -> tuple[JoinedUse, ...]:
        """The uses in which the fact was carried out at least once without being refused."""
        hits = ((use, use.by_fact.get(self.fact.identity, ())) for use in self.tried_uses)
        return tuple(use for use, own in hits if not own or not all(hit.is_refused for hit in own))

    @cached_property
    def is_used(self) -> bool:
        """Whether any use carried out the fact or mentions its name."""
        return any(use.is_done(self.fact) for use in self.uses)

    @property
    def is_check(self) -> bool:
        """Whether the fact is a command whose failure may be a valid result: a test, a linter, a build."""
        return self.fact.kind is FactKind.COMMAND and is_check(self.fact.key)

    @cached_property
    def failures(self) -> tuple[Hit, ...]:
        """The hits that failed."""
        return tuple(hit for hit in self.hits if hit.failure)

    @cached_property
    def failed_uses(self) -> tuple[JoinedUse, ...]:
        """The uses in which the fact failed."""
        own = ((use, use.by_fact.get(self.fact.identity, ())) for use in self.ran_uses)
        return tuple(use for use, hits in own if any(hit.failure for hit in hits))

    def is_fixed(self, faulty: Iterable[Hit], tried: Sequence[JoinedUse]) -> bool:
        """Return whether a fault is fixed: so many uses of the newest text version lack it that chance is unlikely.

        `faulty` are the hits that show the fault. `tried` are the uses in which it could have occurred, oldest first.
        """
        faulty_uses = {hit.use for hit in faulty}
        groups = group_by_key((self.texts[joined.use], joined.use) for joined in tried)
        newest = groups.pop(self.texts[tried[-1].use]) if tried else []
        older = [use for same in groups.values() for use in same]
        if not older or len(newest) < _MIN_RUNS or not faulty_uses.isdisjoint(newest):
            return False
        success_rate = sum(use not in faulty_uses for use in older) / len(older)
        return bool(success_rate ** len(newest) <= _MAX_CHANCE)


def list_other_names(history: LineHistory) -> Sequence[str]:
    """Return the other names under which uses loaded a skill. They differ from its name only in the version."""
    steps = (use.renamed.get(history.fact.identity) for use in history.uses)
    return sorted({get_skill(step) for step in steps if step})


def is_handled(hit: Hit) -> bool:
    """Return whether the text says what to do after a failure: it quotes the error code, such as `"no_plan_found"`."""
    codes = _ERROR_CODE.findall(hit.failure.words) if hit.failure else ()
    text = hit.use.load.text
    return any(f'"{code}"' in text or f"`{code}`" in text for code in codes if code not in hit.fact.key)


@memoize
def read_history(case: Case) -> tuple[LineHistory, ...]:
    """Return the history of each fact in the texts that sessions loaded, in the order of the current text's lines.

    Facts that are no longer in the current text come last.
    """
    uses = join_uses(case)
    facts = {fact.identity: fact for joined in uses for fact in joined.use.facts}
    uses_by_fact = group_by_key((fact.identity, joined) for joined in uses for fact in joined.use.facts)
    current = {
        id: find_current(fact, uses_by_fact[id][-1].use.load.text, case.skill.main) for id, fact in facts.items()
    }
    histories = [
        LineHistory(fact, current[id], tuple(uses_by_fact[id]), number_texts(case)) for id, fact in facts.items()
    ]
    return tuple(sorted(histories, key=lambda h: (h.line is None, h.line or h.fact.line, h.fact.kind)))


def find_late_commands(case: Case) -> Iterator[tuple[LineHistory, Sequence[LateHit]]]:
    """Yield the commands that uses first ran after a command of a later step, each with the late hits.

    The line of the later step must be below the line of the command in the current text, too.
    """
    histories = read_history(case)
    lines = {history.fact.identity: history.line or 0 for history in histories}
    late_hits = [late for joined in join_uses(case) for late in joined.find_late()]
    in_order = (h for h in late_hits if 0 < lines[h.hit.fact.identity] < lines[h.later_step.fact.identity])
    by_fact = group_by_key((late.hit.fact.identity, late) for late in in_order)
    yield from ((history, by_fact[history.fact.identity]) for history in histories if history.fact.identity in by_fact)


def find_unchecked_reads(case: Case) -> Iterator[tuple[LineHistory, Sequence[Hit]]]:
    """Yield each check that uses skipped, with the reads of files that are named below the check."""
    histories = read_history(case)
    reads = group_by_key((check.identity, hit) for use in join_uses(case) for check, hit in use.find_unchecked())
    yield from ((history, reads[history.fact.identity]) for history in histories if history.fact.identity in reads)
