"""Define the limits of power steering and the compaction check, which environment variables (PSC_<NAME>) can change."""

import math
import os
from typing import NamedTuple


class Limit(NamedTuple):
    """A limit with a default.

    The environment variable PSC_<name> replaces it with a number above 0 and at most `maximum`.
    """

    name: str
    default: float
    maximum: float

    @property
    def value(self) -> float:
        """The effective limit. An invalid value in the environment is logged and ignored."""
        text = os.environ.get(f"PSC_{self.name}", "")
        try:
            number = float(text or self.default)
        except ValueError:
            number = math.nan
        if 0 < number <= self.maximum:
            return number
        import logging  # imported here because it takes 4 ms, and hooks must be fast

        logging.getLogger("amplihack.power_steering").warning(
            "PSC_%s=%.40r is not a number above 0 and at most %g; using %g", self.name, text, self.maximum, self.default
        )
        return self.default


CHECKER_TIMEOUT = Limit("CHECKER_TIMEOUT", 25, 100)
PARALLEL_TIMEOUT = Limit("PARALLEL_TIMEOUT", 60, 100)
"""Seconds for one question about a session, and for all of them. The hook itself has 120 s."""

MAX_CONSECUTIVE_BLOCKS = Limit("MAX_CONSECUTIVE_BLOCKS", 5, 8)
"""Number of consecutive blocks after which a session may stop. Claude Code itself stops it at 9."""

STALE_HOURS = Limit("STALE_HOURS", 24, 8760)
"""Age in hours at which a recorded compaction becomes stale."""
