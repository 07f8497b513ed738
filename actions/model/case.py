"""The one noun that joins all parts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from actions.model.skill import Skill
from actions.settings import Settings

_NOTHING_SET = Settings()


@dataclass(frozen=True)
class Case:
    """A skill and what is known of its use.

    `contents` holds the bytes of drafted changes by their sha256, so that a fix can be tried in memory.
    `settings` say which patterns look and what is suppressed.
    """

    skill: Skill
    contents: Mapping[str, bytes] = field(default_factory=dict)
    settings: Settings = _NOTHING_SET

    def with_skill(self, skill: Skill) -> "Case":
        """Give the same case with another text of the skill."""
        return replace(self, skill=skill)
