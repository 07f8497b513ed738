"""Power steering: the decision on a Stop, from what a session shows.

The settings below may be set at run time; the environment has AMPLIHACK_PS_DEBUG, AMPLIHACK_PS_MAX_RETRIES,
AMPLIHACK_PS_STATE_DIR and AMPLIHACK_PS_NO_FSYNC (saves are not synced to the disk: faster, and lost at a power cut). It
sets limits otherwise: PSC_CHECKER_TIMEOUT, PSC_PARALLEL_TIMEOUT, PSC_MAX_CONSECUTIVE_BLOCKS and PSC_STALE_HOURS.
"""

RETRY_DELAYS: list[float] = [0.1, 0.2, 0.4]
"""Seconds before the second, third and fourth attempt to save the state: a pause that no attempt follows is none."""

VERIFY_WRITES = True
"""Whether a saved state is read back and compared."""

DIAGNOSTIC_LOG_DIR: str | None = None
"""A folder for the diagnostic logs, one folder a session in it; None: beside the states."""
