"""Determine which rules of SKILL.md survive a compaction."""

from actions.skill import Skill
from actions.skill.budget import find_last_surviving_line, find_lost_rules, find_rules, map_tokens_by_line
from schemas.layout import Layout, PlacedRule
from schemas.vocabulary import Fate, UnitKind

_MAX_RULES = 200
_MAX_TEXT = 200


def measure_layout(skill: Skill) -> Layout:
    """Return the binding rules of SKILL.md, with their positions and fates in a compaction.

    Other units have no rules.
    """
    if skill.kind is not UnitKind.SKILL:
        return Layout(0, ())
    last = find_last_surviving_line(skill)
    lost_rules = {(rule.line, rule.text) for rule in find_lost_rules(skill)}
    place = map_tokens_by_line(skill)
    all_rules = find_rules(skill)

    def find_fate(line: int, text: str) -> Fate:
        return Fate.SURVIVES if line <= last else Fate.LOST if (line, text) in lost_rules else Fate.REPEATED

    rules = all_rules[:_MAX_RULES]
    placed = tuple(PlacedRule(r.line, place[r.line], r.text[:_MAX_TEXT], find_fate(r.line, r.text)) for r in rules)
    return Layout(len(all_rules), placed)
