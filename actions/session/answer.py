"""Define the answer to a consideration: satisfied, violated or unknown, with the reason and quotes."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from actions.session.transcript import Quote

MAX_QUOTE = 200
"""Maximum length of a quote in characters, which is enough to locate it in its record."""


class Verdict(StrEnum):
    """Whether a session satisfies a consideration. An uncertain violation is UNKNOWN and never blocks."""

    VIOLATED = "violated"
    SATISFIED = "satisfied"
    UNKNOWN = "unknown"


class Answer(msgspec.Struct, frozen=True):
    """A verdict, its reason (`why`), and the quotes that prove it.

    `steps` say how to remedy a violation, if known.
    """

    verdict: Verdict
    why: str
    quotes: tuple[Quote, ...] = ()
    steps: tuple[str, ...] = ()


def answer_violated(why: str, *quotes: Quote, steps: Iterable[str] = ()) -> Answer:
    """Answer that the session violates the consideration."""
    return Answer(Verdict.VIOLATED, why, tuple(map(_shorten, quotes)), tuple(steps))


def answer_satisfied(why: str, *quotes: Quote) -> Answer:
    """Answer that the session satisfies the consideration."""
    return Answer(Verdict.SATISFIED, why, tuple(map(_shorten, quotes)))


def _shorten(quote: Quote) -> Quote:
    return quote._replace(quote=quote.quote.strip()[:MAX_QUOTE])


def answer_unknown(why: str) -> Answer:
    """Answer that the records do not show whether the consideration is satisfied.

    The answer does not count as satisfied, but the Stop hook still lets the session end.
    """
    return Answer(Verdict.UNKNOWN, why)
