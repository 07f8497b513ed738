"""The one noun that joins all parts."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from actions.skill.settings import Settings
from actions.skill.skill import Skill

if TYPE_CHECKING:
    from actions.session.answer import Answer
    from actions.session.transcript import Transcript
    from schemas.considerations import Consideration

_NOTHING_SET = Settings()


@dataclass(frozen=True)
class Case:
    """A skill and what is known of its use.

    `contents` holds the bytes of drafted changes by their sha256, so that a fix can be tried in memory.
    `settings` say which patterns look and what is suppressed. `sessions` are recorded ones in which the skill was
    used, `considerations` what is asked of them, `session_notes` what could not be learnt of them; `judged` is what a
    judge answers, by the ids of the session and the consideration. `limited` is entered around each pattern: whoever
    has a clock lets it raise TimeoutError in one that takes too long.
    """

    skill: Skill
    contents: Mapping[str, bytes] = field(default_factory=dict)
    settings: Settings = _NOTHING_SET
    sessions: tuple["Transcript", ...] = ()
    considerations: tuple["Consideration", ...] = ()
    session_notes: tuple[str, ...] = ()
    judged: Mapping[str, Mapping[str, "Answer"]] = field(default_factory=dict)
    limited: Callable[[], AbstractContextManager[None]] = nullcontext

    def with_skill(self, skill: Skill) -> "Case":
        """Return the same case with another text of the skill."""
        return replace(self, skill=skill)
