"""Leave the parts that fail their check out of a merged fix, so that they do not prevent the others."""

from collections.abc import Callable, Sequence

import msgspec

from actions.fixes.invariants.prove import Proof
from actions.fixes.merging import StrategyDraft

_MAX_TRIES = 40
"""Maximum number of checks. Each is a whole scan. It is enough to find two bad parts among 1,000."""
Try = Callable[[Sequence[StrategyDraft]], Proof]
"""A function that checks the fix in which drafts are merged."""


class NarrowingResult(msgspec.Struct, frozen=True):
    """The result of narrowing a group of drafts.

    The drafts are divided into those that pass together, those that fail (with the objections), and those that were not
    tried.
    """

    passed: tuple[StrategyDraft, ...]
    failed: tuple[tuple[StrategyDraft, Proof], ...]
    untried: tuple[StrategyDraft, ...]


def narrow(parts: Sequence[StrategyDraft], check: Try) -> NarrowingResult:
    """Find the parts that pass together, by checking halves. The caller has found that all parts together fail."""
    passed, failed = list[StrategyDraft](), list[tuple[StrategyDraft, Proof]]()
    waiting, tries = _halve(parts) if len(parts) > 1 else [], 0
    while waiting and tries < _MAX_TRIES:
        chunk, tries = waiting.pop(), tries + 1
        proof = check([*passed, *chunk])
        if proof.is_passed:
            passed += chunk
        elif len(chunk) == 1:
            failed.append((chunk[0], proof))
        else:
            waiting += _halve(chunk)
    return NarrowingResult(tuple(passed), tuple(failed), tuple(part for chunk in reversed(waiting) for part in chunk))


def _halve(parts: Sequence[StrategyDraft]) -> list[Sequence[StrategyDraft]]:
    """Return the second half, then the first half."""
    middle = len(parts) // 2
    return [parts[middle:], parts[:middle]]
