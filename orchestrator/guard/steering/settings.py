"""Define the settings of power steering that can be assigned at run time.

More settings are environment variables: AMPLIHACK_PS_DEBUG, AMPLIHACK_PS_MAX_RETRIES, AMPLIHACK_PS_STATE_DIR,
AMPLIHACK_PS_NO_FSYNC (do not sync: faster, but a power failure loses data), and the PSC_* in `orchestrator.limits`.
"""

RETRY_DELAYS: list[float] = [0.1, 0.2, 0.4]
"""Seconds before the second, third and fourth attempt to save the state."""

VERIFY_WRITES = True
"""Whether a saved state is read back and compared."""

DIAGNOSTIC_LOG_DIR: str | None = None
"""The folder of the diagnostic logs, which has a folder for each session. If None, the logs are next to the states."""
