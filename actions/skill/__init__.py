"""What is looked at: a Case = one skill + its recorded sessions + its events, parsed once and frozen."""

from actions.skill.case import Case
from actions.skill.document import Document, Fence, Section
from actions.skill.skill import Opaque, Role, Skill, SkillFile, parse_skill

__all__ = ["Case", "Document", "Fence", "Opaque", "Role", "Section", "Skill", "SkillFile", "parse_skill"]
