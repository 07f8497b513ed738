"""Quantities that two places of a skill give different values, whatever the words."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from actions.facts.docs.quantities import Quantity, quantities
from actions.facts.docs.settings import Setting, as_unit
from actions.skill.skill import Role, Skill
from actions.skill.text import plain

_MOST = 300


@dataclass(frozen=True)
class Clash:
    """Two quantities that mean one thing and differ."""

    one: Quantity
    other: Quantity


def clashes(skill: Skill) -> Iterator[Clash]:
    """Give each pair of quantities about one thing that differ, where neither stands elsewhere as the other has it."""
    groups: dict[str, list[Quantity]] = defaultdict(list)
    for found in quantities(skill):
        groups[found.kind].append(found)
    for group in groups.values():
        if len(group) <= _MOST:
            yield from _within(skill, group)


def _within(skill: Skill, group: list[Quantity]) -> Iterator[Clash]:
    agreed: set[int] = set()
    differ: list[tuple[int, int]] = []
    for b, two in enumerate(group):
        for a, one in enumerate(group[:b]):
            if _apart(skill, one, two) and means_one(one, two):
                if one.setting.value == two.setting.value:
                    agreed |= {a, b}
                else:
                    differ.append((a, b))
    for a, b in differ:
        values = {group[k].setting.value for pair in differ for k in pair if {a, b} & {*pair}}
        if len(values) == 2 and not {a, b} <= agreed:
            yield Clash(group[a], group[b])


def _apart(skill: Skill, one: Quantity, two: Quantity) -> bool:
    mine, theirs = one.setting, two.setting
    if mine.file == theirs.file and _side_by_side(skill, mine, theirs):
        return False
    if mine.scope != theirs.scope or (
        mine.stage and theirs.stage and (mine.stage, mine.file) != (theirs.stage, theirs.file)
    ):
        return False
    return mine.file == theirs.file or not any(
        all(skill.by_path[s.file].role is role for s in (mine, theirs)) for role in (Role.PHASE, Role.REFERENCE)
    )


def _side_by_side(skill: Skill, one: Setting, other: Setting) -> bool:
    """Tell whether two places of a file stand in one section, or under one label in two that describe two things."""
    doc = skill.by_path[one.file].doc
    return doc.section_at(one.line) == doc.section_at(other.line) or _label(one.text) == _label(other.text) != ""


def _label(text: str) -> str:
    head, mark, _ = text.replace("：", ":").partition(":")
    return plain(head) if mark else ""


def means_one(one: Quantity, two: Quantity) -> bool:
    """Tell whether two quantities measure the same thing in the same case."""
    if one.bound * two.bound < 0:
        return False
    if one.key and one.key == two.key and "_" in one.key:
        return one.unit >= 0 or two.unit >= 0
    if one.case != two.case or not one.near & two.near:
        return False
    if one.near == two.near and one.bound == two.bound != 0:
        return True
    held = one.near <= two.wide or two.near <= one.wide
    alike = one.bound == two.bound != 0 or (one.unit < 0) != (two.unit < 0)
    counted = alike and bool(one.kind) and not as_unit(one.kind)[0]
    return held and len(one.wide & two.wide) + counted >= 2
