"""Book a query in the cost of its run with the most that it may cost, until its real cost is known.

A process can end at any time: by Ctrl-C, with its client, or killed. What is booked then is right without its help.
"""

from orchestrator.model.memory import Memory
from orchestrator.model.query import Usage
from schemas.issues import Cost


class Booking:
    """The cost of one query in the cost of all queries of a run."""

    def __init__(self, memory: Memory) -> None:
        self._memory, self._usd = memory, 0.0

    def begin(self, usd: float) -> None:
        """Book the most that the query costs in its first turn, before it is sent. Raises TuneSkillError or OSError."""
        self._memory.reserve_cost(Cost(usd, 0, 1))
        self._usd = usd

    def raise_to(self, usd: float) -> None:
        """Book more, if the query may now cost more."""
        self._memory.add_cost(Cost(max(0.0, usd - self._usd)))
        self._usd = max(usd, self._usd)

    def settle(self, usd: float, usage: Usage) -> None:
        """Book what the query cost. If that is nothing, it was not sent and does not count."""
        count = 0 if usd or usage.total else -1
        self._memory.add_cost(Cost(usd - self._usd, usage.total, count, usage.prompt, usage.cached))
