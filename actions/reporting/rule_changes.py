"""Compare which rules of SKILL.md survive a compaction before and after a run."""

from collections import defaultdict
from itertools import zip_longest

import msgspec

from actions.skill.text import list_words
from schemas.layout import Layout, PlacedRule
from schemas.vocabulary import Fate

CHANGES = ("same", "saved", "lost", "out", "new")
"""What a run can do to a rule: leave its fate as it was, save it from the cut, lose it to the cut, remove or add it."""


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
        was, now = (place.fate if place else None for place in (self.before, self.now))
        return was, now

    @property
    def change(self) -> str:
        """What the run did to the rule: one of CHANGES."""
        was, now = self.fates
        if now is None:
            return "out"
        if was is None:
            return "new"
        return "same" if (was is Fate.LOST) == (now is Fate.LOST) else "saved" if was is Fate.LOST else "lost"


def compare_rules(before: Layout, now: Layout) -> tuple[RuleRow, ...]:
    """Return each rule once, in the order of SKILL.md. Rules with the same words count as the same rule."""
    places: dict[tuple[str, ...], tuple[list[PlacedRule], list[PlacedRule]]] = defaultdict(lambda: ([], []))
    for side, layout in enumerate((before, now)):
        for rule in layout.rules:
            places[list_words(rule.text)][side].append(rule)
    rows = (RuleRow(was, now) for old, new in places.values() for was, now in zip_longest(old, new))
    return tuple(sorted(rows, key=_get_line))


def _get_line(row: RuleRow) -> int:
    place = row.before or row.now
    return place.line if place else 0
