"""What is looked at: a Case = one skill + its recorded sessions + its events, parsed once and frozen."""

from actions.model.case import Case
from actions.model.document import Document, Fence, Section
from actions.model.skill import Opaque, Role, Skill, SkillFile, parse_skill

__all__ = ["Case", "Document", "Fence", "Opaque", "Role", "Section", "Skill", "SkillFile", "parse_skill"]
