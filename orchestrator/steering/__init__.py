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

from orchestrator.steering.checker import PowerSteeringChecker, analyze_consideration  # noqa: E402
from orchestrator.steering.considerations import load_considerations  # noqa: E402
from orchestrator.steering.results import Analysis, CheckerResult, PowerSteeringResult, ReturnCode  # noqa: E402
from orchestrator.steering.state import PowerSteeringState  # noqa: E402

__all__ = [
    "DIAGNOSTIC_LOG_DIR",
    "RETRY_DELAYS",
    "VERIFY_WRITES",
    "Analysis",
    "CheckerResult",
    "PowerSteeringChecker",
    "PowerSteeringResult",
    "PowerSteeringState",
    "ReturnCode",
    "analyze_consideration",
    "load_considerations",
]
