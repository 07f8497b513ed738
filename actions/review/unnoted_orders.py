"""Find the orders that a run did not follow according to a reader who noted no observation about them."""

from collections.abc import Iterator, Mapping
from typing import Any

from actions.history.uses import Use
from actions.review.quotes import flatten
from actions.session.judge import list_texts
from schemas.vocabulary import Severity

_KINDS = {"not_done": "skipped", "otherwise": "otherwise"}
"""The states of orders that were not followed, and the kinds of their observations."""
_NEAR = 2
"""Maximum number of lines between an order and an observation that may be about it."""
_MAX_QUOTE, _MAX_LINE = 80, 200
"""Maximum number of characters of a quote, and of the line that its sentence repeats."""


def list_unnoted(answer: Mapping[str, Any], use: Use) -> Iterator[Mapping[str, Any]]:
    """Yield an observation for each order that was not followed and has no observation near its line in the answer.

    A reader may leave out faults that it has found. The second reading decides about them as about all others.
    """
    lines = [flatten(line) for line in use.load.text.split("\n")]
    noted = [item["line"] for item in answer["observations"]]
    for order in answer["orders"]:
        line, record = order["line"], order["record"]
        if order["state"] not in _KINDS or line > len(lines) or any(abs(line - other) <= _NEAR for other in noted):
            continue
        if lines[line - 1] and (quote := _quote(use, record - 1)):
            noted.append(line)
            what = f"The line says “{lines[line - 1][:_MAX_LINE]}”; the run: {order['did']}"
            yield {
                "kind": _KINDS[order["state"]], "line": line, "words": lines[line - 1], "record": record,
                "quote": quote, "what": what, "severity": Severity.LOW,
            }  # fmt: skip


def _quote(use: Use, record: int) -> str:
    """Return the beginning of a record; "" if there is none."""
    agent = use.load.agent
    part = next((one for one in use.transcript.agents if one.agent == agent), use.transcript)
    texts = sorted(list_texts(part, record), key=len)
    return texts[-1].strip().split("\n")[0][:_MAX_QUOTE] if texts else ""
