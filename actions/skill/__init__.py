"""What is looked at: a Case = one skill + its recorded sessions + its events, parsed once and frozen."""

from actions.skill.case import Case
from actions.skill.paths import Role
from actions.skill.skill import Opaque, Skill, SkillFile, parse_skill

__all__ = ["Case", "Opaque", "Role", "Skill", "SkillFile", "parse_skill"]
