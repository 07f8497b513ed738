"""Read a skill folder as frozen records: the input is bytes, the output is files with roles, documents and tokens."""

from actions.skill.paths import Role
from actions.skill.skill import Opaque, Skill, SkillFile, parse_skill

__all__ = ["Opaque", "Role", "Skill", "SkillFile", "parse_skill"]
