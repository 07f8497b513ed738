"""Define the records of the sessions that serve as evidence."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CompactionSeen:
    """A compaction of a session, at record `record`.

    `at` is a timestamp or "", `tokens` the size of the context before it (0: not recorded), `rules` the number of
    rules of the skill that it cut off, `lost` the work that no later record repeats.
    """

    record: int
    at: str
    trigger: str
    tokens: int
    rules: int = 0
    lost: tuple[str, ...] = ()


@dataclass(frozen=True)
class SessionSeen:
    """A recorded session that serves as evidence.

    `date` is YYYY-MM-DD or "", `began` and `ended` are timestamps or "", `found` are considerations and patterns. Of
    the `asked` questions, `unknown` have no answer. `tokens` are those paid in full: input, output and cache writes,
    with sub-agents. `used` is the record from which the skill was in use, if it was. `moments` are the last of its
    compactions; empty if their losses were not checked.
    """

    id: str
    date: str
    type: str
    compactions: int
    found: tuple[str, ...] = ()
    asked: int = 0
    unknown: int = 0
    tokens: int = 0
    began: str = ""
    ended: str = ""
    records: int = 0
    used: int | None = None
    moments: tuple[CompactionSeen, ...] = ()

    @property
    def kind(self) -> str:
        """The effect of its compactions: lossy, compacted (nothing lost) or whole (no compaction)."""
        if any(moment.lost or moment.rules for moment in self.moments):
            return "lossy"
        return "compacted" if self.compactions else "whole"
