"""Compare which rules of SKILL.md survive a compaction before and after a run."""

from collections import defaultdict
from itertools import zip_longest

import msgspec

from actions.skill.text import list_words
from schemas.layout import Layout, PlacedRule
from schemas.vocabulary import Fate

CHANGES = ("same", "saved", "lost", "out", "new")
"""What can happen to a rule in a run: same fate, saved from the cut, lost to the cut, removed (`out`), or added."""


class RuleRow(msgspec.Struct, frozen=True):
    """A rule with its position before and now. A position is None if SKILL.md does not contain the rule."""

    before: PlacedRule | None
    now: PlacedRule | None

    @property
    def text(self) -> str:
        """The rule's words."""
        place = self.now or self.before
        return place.text if place else ""

    @property
    def fates(self) -> tuple[Fate | None, Fate | None]:
        """The rule's fates in a compaction before and now, or None if SKILL.md does not contain the rule."""
        before, now = (place.fate if place else None for place in (self.before, self.now))
        return before, now

    @property
    def change(self) -> str:
        """What happened to the rule in the run: one of CHANGES."""
        before, now = self.fates
        if now is None:
            return "out"
        if before is None:
            return "new"
        return "same" if (before is Fate.LOST) == (now is Fate.LOST) else "saved" if before is Fate.LOST else "lost"


def compare_rules(before: Layout, now: Layout) -> tuple[RuleRow, ...]:
    """Return each rule once, in the order of SKILL.md. Rules with the same words count as the same rule."""
    places: dict[tuple[str, ...], tuple[list[PlacedRule], list[PlacedRule]]] = defaultdict(lambda: ([], []))
    for side, layout in enumerate((before, now)):
        for rule in layout.rules:
            places[list_words(rule.text)][side].append(rule)
    rows = (RuleRow(old, new) for sides in places.values() for old, new in zip_longest(*sides))
    return tuple(sorted(rows, key=_get_line))


def _get_line(row: RuleRow) -> int:
    place = row.before or row.now
    return place.line if place else 0
