"""Define the record of the evidence that recorded sessions give about a skill."""

import msgspec

from actions.patterns.pattern import Finding
from schemas.sessions import SessionRecord


class SessionEvidence(msgspec.Struct, frozen=True):
    """The evidence of recorded sessions for some families.

    `confirming` findings count only together with an issue of the same pattern on the same lines. `rows` describes the
    sessions. `asked` has the ids of the checked considerations. `failed` has a message for each failed check.
    """

    findings: tuple[Finding, ...] = ()
    confirming: tuple[Finding, ...] = ()
    rows: tuple[SessionRecord, ...] = ()
    asked: frozenset[str] = frozenset()
    failed: tuple[str, ...] = ()
