"""Settings that two places of a skill give different values."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from actions.facts.docs.clashes import clashes
from actions.facts.docs.limits import limits
from actions.facts.docs.settings import Setting, settings
from actions.skill.skill import Role, Skill

_MOST_VALUES = 2
_RANKS = {Role.SPEC: 0, Role.SCRIPT: 1, Role.MAIN: 2, Role.PHASE: 3, Role.REFERENCE: 4}


@dataclass(frozen=True)
class Dispute:
    """`odd` gives its key another value than `usual`, which a script, more places, or a place of more authority hold.

    `odds` and `usuals` count the places of each.
    """

    odd: Setting
    usual: Setting
    odds: int
    usuals: int


def disputes(skill: Skill) -> tuple[Dispute, ...]:
    """Give each key that has two values in one scope; three and more are taken for a parameter of each call."""
    found = skill.memo.get("disputes")
    if found is None:
        labelled = tuple(_all(skill))
        told = {(s.file, s.line) for d in labelled for s in (d.odd, d.usual)}
        found = skill.memo["disputes"] = (*labelled, *_in_other_words(skill, told))
    return cast(tuple[Dispute, ...], found)


def _all(skill: Skill) -> Iterator[Dispute]:
    labelled = settings(skill)
    places = {(s.file, s.line) for s in labelled}
    shares = {s.key for s in labelled if s.unit == "share"}
    by_key: dict[tuple[frozenset[str], str], list[Setting]] = {}
    for setting in (*labelled, *(s for s in limits(skill) if (s.file, s.line) not in places)):
        unit = "share" if setting.key in shares and not setting.unit and setting.value <= 1 else setting.unit
        by_key.setdefault((setting.key, unit), []).append(setting)
    for group in by_key.values():
        values = {round(s.value, 6) for s in group}
        if 1 < len(values) <= _MOST_VALUES:
            yield from _dispute(skill, group)


def _in_other_words(skill: Skill, told: set[tuple[str, int]]) -> Iterator[Dispute]:
    """Give the quantities that differ though no two words need be the same; places that are told already are not."""
    for clash in clashes(skill):
        pair = (clash.one.setting, clash.other.setting)
        usual, odd = sorted(pair, key=lambda s: (_RANKS.get(skill.by_path[s.file].role, 9), s.file, s.line))
        if not {(odd.file, odd.line), (usual.file, usual.line)} & told:
            told.add((odd.file, odd.line))
            yield Dispute(odd, usual, 1, 1)


def _dispute(skill: Skill, group: list[Setting]) -> Iterator[Dispute]:
    def weight(value: float) -> tuple[bool, int, int]:
        same = [s for s in group if round(s.value, 6) == value]
        roles = [skill.by_path[s.file].role for s in same]
        return Role.SCRIPT not in roles, -len(same), min(_RANKS.get(role, 9) for role in roles)

    first, second = sorted({round(s.value, 6) for s in group}, key=weight)
    usual = [s for s in group if round(s.value, 6) == first]
    odds = [s for s in group if round(s.value, 6) == second]
    for odd in odds:
        partner = next((u for u in usual if _comparable(skill, odd, u)), None)
        if partner:
            yield Dispute(odd, partner, len(odds), len(usual))
            return


def _comparable(skill: Skill, one: Setting, other: Setting) -> bool:
    if one.scope != other.scope:
        return False
    if one.stage and other.stage and (one.stage, one.file) != (other.stage, other.file):
        return False
    phases = {s.file for s in (one, other) if skill.by_path[s.file].role is Role.PHASE}
    references = {s.file for s in (one, other) if skill.by_path[s.file].role is Role.REFERENCE}
    return len(phases) < 2 and len(references) < 2
