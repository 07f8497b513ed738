"""Define a query to Claude Code and its result."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

import msgspec

from actions.project.lookup import Library
from actions.project.lookup_log import NOTHING_SHOWN, LookupLog
from actions.skill.text import estimate_tokens
from orchestrator.model.budget import FAMILIES, estimate_cost, find_family

PROSE = "the model answered in prose"
"""The reason why a query has no answer, before the quoted words of the model."""
OVER_LIMIT = "the query was stopped at its cost limit"
"""The reason why a query that cost too much has no answer."""


class Fault(Enum):
    """What has failed: this answer only, the connection (temporary), or the access to the model (permanent)."""

    ANSWER = "answer"
    CONNECTION = "connection"
    ACCESS = "access"


class Usage(msgspec.Struct, frozen=True):
    """The numbers of tokens of a query: in total, in its prompts, and in the cached part of its prompts."""

    total: int = 0
    prompt: int = 0
    cached: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        return Usage(self.total + other.total, self.prompt + other.prompt, self.cached + other.cached)


class Bill(msgspec.Struct):
    """What is known of the cost of a query that ended without a result, for example by Ctrl-C.

    sent: whether the prompt was sent. model: the model that ended a turn, or "" before the end of the first. usd,
    usage: the cost of all ended turns by Claude Code's own count, or None. is_open: whether a turn had begun that may
    still be charged. looked_up: the bytes that look-ups added to the prompt.
    """

    sent: bool = False
    model: str = ""
    usd: float | None = None
    usage: Usage = Usage()
    is_open: bool = True
    looked_up: int = 0


class Query(msgspec.Struct, frozen=True):
    """One query. It is stopped when it costs `usd`, or after `seconds`. The answer has at most `tokens`.

    shared: the beginning of the prompt, if other queries begin in the same way; the provider caches it. library: the
    files that the model can look up. bill: what is known of the cost; it is filled in while the query runs. book: is
    called with the most that the query may cost when a turn has ended.
    """

    prompt: str
    schema: Mapping[str, Any]
    model: str
    usd: float
    seconds: float
    tokens: int
    shared: str = ""
    library: Library | None = None
    bill: Bill = msgspec.field(default_factory=Bill)
    book: Callable[[float], None] = lambda usd: None

    def note_model(self, model: str) -> None:
        """Note the model that ended a turn, and book the most that the next turns cost before they have ended."""
        self.bill.model = model
        self.book(self.max_usd)

    @property
    def first_turn_usd(self) -> float:
        """The most that this query costs if it ends in its first turn."""
        return min(self._open_turn_usd, self.usd)

    @property
    def max_usd(self) -> float:
        """The most that this query costs if it ended without a result, at estimated prices for the open turn.

        It is at most the limit of the query, unless its ended turns cost more by Claude Code's own count.
        """
        if not self.bill.sent:
            return 0.0
        limit = self.usd if self.bill.model else 0.0  # Claude Code begins no turn above it
        ended = limit if self.bill.usd is None else self.bill.usd
        open_turn = self._open_turn_usd if self.bill.is_open else 0.0
        return max(ended, min(ended + open_turn, self.usd))

    @property
    def _open_turn_usd(self) -> float:
        """The most that an open turn costs. Its prompt repeats what the model wrote in earlier turns."""
        written = self.bill.usage.total - self.bill.usage.prompt
        prompt = estimate_tokens(len(self.prompt.encode()) + self.bill.looked_up) + written
        return FAMILIES[find_family(self.bill.model or self.model)] * estimate_cost(prompt, written=self.tokens)


class QueryResult(msgspec.Struct, frozen=True):
    """The result of a query.

    value: the unchecked answer, or None if there is no answer. why: the reason why there is no answer. usd: the cost in
    USD, or None if the cost is unknown.
    """

    value: Any = None
    why: str = ""
    fault: Fault = Fault.ANSWER
    usd: float | None = 0.0
    usage: Usage = Usage()
    model: str = ""
    looked_up: LookupLog = NOTHING_SHOWN
