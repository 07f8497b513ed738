"""What goes to Claude Code for one question, and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Fault(Enum):
    """What failed where there is no value: this answer alone, the way to the model for now, the access for good."""

    ANSWER = "answer"
    WAY = "way"
    ACCESS = "access"


@dataclass(frozen=True)
class Query:
    """What goes out: `usd` is where the query is stopped, `seconds` when; the answer has at most `tokens`.

    `shared` are the first words of the prompt where they are those of other queries as well: they are cached.
    """

    prompt: str
    schema: Mapping[str, Any]
    model: str
    usd: float
    seconds: float
    tokens: int
    shared: str = ""


@dataclass(frozen=True)
class Usage:
    """Tokens of a query: all of them, those of its prompts, and those of them that came from the cache."""

    total: int = 0
    prompt: int = 0
    cached: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Return both together."""
        return Usage(self.total + other.total, self.prompt + other.prompt, self.cached + other.cached)


@dataclass(frozen=True)
class QueryResult:
    """What came back: a value (not yet checked), or None and why. `usd` is None when nobody can tell the cost."""

    value: Any = None
    why: str = ""
    fault: Fault = Fault.ANSWER
    usd: float | None = 0.0
    usage: Usage = Usage()
    model: str = ""
