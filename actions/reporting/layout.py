"""Determine which rules of SKILL.md survive a compaction."""

from actions.skill import Skill
from actions.skill.budget import last_surviving_line, lost_rules, rules, tokens_up_to
from schemas.layout import Layout, PlacedRule
from schemas.vocabulary import Fate, UnitKind

_MAX_RULES = 200
_TEXT = 200


def measure_layout(skill: Skill) -> Layout:
    """Return the binding rules of SKILL.md, with their positions and fates in a compaction. Other units have none."""
    if skill.kind is not UnitKind.SKILL:
        return Layout(0, ())
    last = last_surviving_line(skill)
    lost = {(rule.line, rule.text) for rule in lost_rules(skill)}
    place = tokens_up_to(skill)
    found = rules(skill)

    def fate(line: int, text: str) -> Fate:
        return Fate.SURVIVES if line <= last else Fate.LOST if (line, text) in lost else Fate.REPEATED

    placed = tuple(PlacedRule(r.line, place[r.line], r.text[:_TEXT], fate(r.line, r.text)) for r in found[:_MAX_RULES])
    return Layout(len(found), placed)
