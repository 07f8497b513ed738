"""Read a skill folder as frozen records: the input is bytes, the output is files with roles, documents and tokens."""

from actions.skill.open_fences import is_in_tail
from actions.skill.paths import Role, find_missing_folder
from actions.skill.skill import Opaque, Skill, SkillFile, parse_skill

__all__ = ["Opaque", "Role", "Skill", "SkillFile", "find_missing_folder", "is_in_tail", "parse_skill"]
