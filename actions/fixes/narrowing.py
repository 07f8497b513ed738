"""Find the failing parts of a merged fix, so that the other parts can be applied without them."""

from collections.abc import Callable, Sequence

import msgspec

from actions.fixes.invariants.prove import Proof
from actions.fixes.merging import StrategyDraft

_MAX_TRIES = 40
"""Maximum number of checks, each of which is a whole scan. It is enough to find two bad parts among 1,000."""
Check = Callable[[Sequence[StrategyDraft]], Proof]
"""A function that merges drafts into a fix and checks it."""


class NarrowingResult(msgspec.Struct, frozen=True):
    """The drafts that pass together, the drafts that fail with their proofs, and the drafts that were not tried."""

    passed: tuple[StrategyDraft, ...]
    failed: tuple[tuple[StrategyDraft, Proof], ...]
    untried: tuple[StrategyDraft, ...]


def narrow(parts: Sequence[StrategyDraft], check: Check) -> NarrowingResult:
    """Find the parts that pass together by bisection. All parts together must have failed the check before."""
    passed, failed = list[StrategyDraft](), list[tuple[StrategyDraft, Proof]]()
    stack, tries = _halve(parts) if len(parts) > 1 else [], 0
    while stack and tries < _MAX_TRIES:
        chunk, tries = stack.pop(), tries + 1
        proof = check([*passed, *chunk])
        if proof.is_passed:
            passed += chunk
        elif len(chunk) == 1:
            failed.append((chunk[0], proof))
        else:
            stack += _halve(chunk)
    return NarrowingResult(tuple(passed), tuple(failed), tuple(part for chunk in reversed(stack) for part in chunk))


def _halve(parts: Sequence[StrategyDraft]) -> list[Sequence[StrategyDraft]]:
    """Return the second half, then the first half, which the caller pops first."""
    middle = len(parts) // 2
    return [parts[middle:], parts[:middle]]
