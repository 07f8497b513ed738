"""What a run keeps of the recorded sessions that served as evidence."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CompactionSeen:
    """A compaction of a session, at record `record`.

    `at` is a timestamp or "", `tokens` what the context held before (0: not recorded), `rules` how many rules of the
    skill it cut off, `lost` what of the work nothing after it carries.
    """

    record: int
    at: str
    trigger: str
    tokens: int
    rules: int = 0
    lost: tuple[str, ...] = ()


@dataclass(frozen=True)
class SessionSeen:
    """A recorded session that served as evidence.

    `date` is YYYY-MM-DD or "", `began` and `ended` are timestamps or "", `found` are considerations and patterns. Of
    the `asked` questions, `unknown` had no answer. `tokens` are those that were paid anew: input, output and what went
    into the cache, sub-agents' included. `used` is the record from which on the skill was in use, if it was.
    `moments` are the last of its compactions; none when nobody looked what they lost.
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
        """Whether it lost something at a compaction: lossy, compacted or whole."""
        if any(moment.lost or moment.rules for moment in self.moments):
            return "lossy"
        return "compacted" if self.compactions else "whole"
