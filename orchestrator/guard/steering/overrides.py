"""Limits of power steering and of the compaction check that the environment may set otherwise, as PSC_<NAME>."""

import math
import os
from typing import NamedTuple

from orchestrator.guard.steering import log as power_log


class Limit(NamedTuple):
    """A limit: its value unless PSC_<name> gives another number above 0 and at most `most`."""

    name: str
    default: float
    most: float

    @property
    def value(self) -> float:
        """What holds now. What is no such number is told in the log, and changes nothing."""
        told = os.environ.get(f"PSC_{self.name}", "")
        try:
            number = float(told or self.default)
        except ValueError:
            number = math.nan
        if 0 < number <= self.most:
            return number
        power_log.warning(
            "PSC_%s=%.40r is no number above 0 and at most %g; %g holds", self.name, told, self.most, self.default
        )
        return self.default


CHECKER_TIMEOUT = Limit("CHECKER_TIMEOUT", 25, 100)
PARALLEL_TIMEOUT = Limit("PARALLEL_TIMEOUT", 60, 100)
"""Seconds for one question about a session, and for all of them together; the hook itself has 120."""

MAX_CONSECUTIVE_BLOCKS = Limit("MAX_CONSECUTIVE_BLOCKS", 5, 8)
"""Blocks in a row after which a session is let go; Claude Code itself stops at 9."""

STALE_HOURS = Limit("STALE_HOURS", 24, 8760)
"""Age from which a recorded compaction is stale."""
