"""Offer power steering under the names that its reference documents ask for.

The settings that may be changed at run time (RETRY_DELAYS, VERIFY_WRITES, DIAGNOSTIC_LOG_DIR) are attributes of
`orchestrator.guard.steering`.
"""

from orchestrator.guard.steering.checker import PowerSteeringChecker, analyze_consideration
from orchestrator.guard.steering.considerations import load_considerations
from orchestrator.guard.steering.results import Analysis, CheckerResult, PowerSteeringResult, ReturnCode
from orchestrator.guard.steering.state import PowerSteeringState

__all__ = [
    "Analysis",
    "CheckerResult",
    "PowerSteeringChecker",
    "PowerSteeringResult",
    "PowerSteeringState",
    "ReturnCode",
    "analyze_consideration",
    "load_considerations",
]
