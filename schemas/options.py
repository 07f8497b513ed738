"""Define the options of a run."""

import msgspec

MAX_COST_USD = 2.00
"""The default cost limit of one command. A skill of 400,000 characters uses most of it."""
REQUIRED_JUDGE = "sdk"
"""The value of --judge with which a model must read the unit. `auto` needs none."""


class TrialOptions(msgspec.Struct, frozen=True):
    """The options of the trial at the end of a run. If `tasks` is None, the tasks in `evals/` are used."""

    tasks: str | None = None
    runs: int = 5
    max_cost_usd: float = 5.0


class Options(msgspec.Struct, frozen=True):
    """The options of `tune-skill run`, which `resume` uses again.

    `finding` is the fingerprint of the only finding to fix, which an editor chooses, or None for all findings.
    """

    sessions: str = "discover"
    session_paths: tuple[str, ...] = ()
    judge: str = "auto"
    apply: str = "ask"
    max_cost_usd: float | None = None
    deep: bool = False
    yes: bool = False
    format: str = "text"
    trial: TrialOptions | None = None
    finding: str | None = None
