"""Define a query to Claude Code and its result."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec

from actions.project.lookup import Library
from actions.project.lookup_log import NOTHING_SHOWN, LookupLog

PROSE = "the model answered in prose"
"""The reason why a query has no answer, before the quoted words of the model."""


class Fault(Enum):
    """What has failed: this answer only, the connection (temporary), or the access to the model (permanent)."""

    ANSWER = "answer"
    CONNECTION = "connection"
    ACCESS = "access"


class Query(msgspec.Struct, frozen=True):
    """One query. It is stopped when it costs `usd`, or after `seconds`. The answer has at most `tokens`.

    shared: the beginning of the prompt, if other queries begin in the same way; the provider caches it. library: the
    files that the model can look up.
    """

    prompt: str
    schema: Mapping[str, Any]
    model: str
    usd: float
    seconds: float
    tokens: int
    shared: str = ""
    library: Library | None = None


class Usage(msgspec.Struct, frozen=True):
    """The numbers of tokens of a query: in total, in its prompts, and in the cached part of its prompts."""

    total: int = 0
    prompt: int = 0
    cached: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        return Usage(self.total + other.total, self.prompt + other.prompt, self.cached + other.cached)


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
