"""Define the answer to a consideration: satisfied, violated or unknown, with the reason and quotes."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from actions.session.transcript import Quote

QUOTE = 200
"""Maximum number of characters of a quote, enough to find it again."""


class Verdict(StrEnum):
    """Whether a session satisfies a consideration. A violation that is not certain is UNKNOWN and never blocks."""

    VIOLATED = "violated"
    SATISFIED = "satisfied"
    UNKNOWN = "unknown"


class Answer(msgspec.Struct, frozen=True):
    """A verdict with its reason, the quotes that prove it, and steps that would fix the session, if known."""

    verdict: Verdict
    why: str
    quotes: tuple[Quote, ...] = ()
    steps: tuple[str, ...] = ()


def violated(why: str, *quotes: Quote, steps: Iterable[str] = ()) -> Answer:
    """Return the answer that the session violates the consideration."""
    return Answer(Verdict.VIOLATED, why, tuple(map(_shorten, quotes)), tuple(steps))


def satisfied(why: str, *quotes: Quote) -> Answer:
    """Return the answer that the session satisfies the consideration."""
    return Answer(Verdict.SATISFIED, why, tuple(map(_shorten, quotes)))


def _shorten(quote: Quote) -> Quote:
    return quote._replace(quote=quote.quote.strip()[:QUOTE])


def unknown(why: str) -> Answer:
    """Return the answer that the records do not decide. It never counts as satisfied. The Stop hook lets it pass."""
    return Answer(Verdict.UNKNOWN, why)
