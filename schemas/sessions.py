"""Define the records of the sessions that serve as evidence."""

import msgspec


class CompactionRecord(msgspec.Struct, frozen=True):
    """A compaction of a session, at record `record`.

    `at` is a timestamp or "". `tokens` is the size of the context before the compaction, or 0 if it was not recorded.
    `rules` is the number of the skill's rules that the compaction cut off. `lost` has a warning for each loss of work
    in progress.
    """

    record: int
    at: str
    trigger: str
    tokens: int
    rules: int = 0
    lost: tuple[str, ...] = ()


class SessionRecord(msgspec.Struct, frozen=True):
    """A recorded session that serves as evidence.

    `date` is YYYY-MM-DD or "". `began` and `ended` are timestamps or "". `found` has the ids of violated considerations
    and of patterns. `asked` is the number of questions, and `unknown` the number of questions without an answer.
    `tokens` counts the uncached tokens (input, output and cache writes), including sub-agents. `used` is the first
    record in which the skill was used, or None. `moments` are the last compactions, or empty if their losses were not
    checked.
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
    moments: tuple[CompactionRecord, ...] = ()

    @property
    def kind(self) -> str:
        """The effect of the compactions: lossy, compacted (nothing was lost), or whole (no compaction)."""
        if any(moment.lost or moment.rules for moment in self.moments):
            return "lossy"
        return "compacted" if self.compactions else "whole"
