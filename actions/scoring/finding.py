"""One finding: what a pattern proved or a model read, and the mark by which it is known again."""

import hashlib
from dataclasses import dataclass

from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Grade, Severity


@dataclass(frozen=True)
class Finding:
    """What was found by a pattern, with its severity settled.

    `suppressed_by` names the comment, setting or baseline that suppresses it.
    """

    pattern: Pattern
    evidence: Evidence
    quote: str
    fingerprint: str
    severity: Severity
    grade: Grade
    suppressed_by: str | None = None


def fingerprint_of(*parts: str) -> str:
    """Return the mark by which a finding is known again: of what was found and the words there, not of their place."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
