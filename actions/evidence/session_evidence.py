"""Define the evidence about a skill that recorded sessions contain."""

import msgspec

from actions.patterns.pattern import Finding
from schemas.sessions import SessionSeen


class SessionEvidence(msgspec.Struct, frozen=True):
    """The evidence of recorded sessions for some families.

    `confirming` findings only count together with an issue of the same pattern on the same lines. `rows` describes the
    sessions, `asked` has the ids of the considerations that were checked, `failed` has a message per failed check.
    """

    findings: tuple[Finding, ...] = ()
    confirming: tuple[Finding, ...] = ()
    rows: tuple[SessionSeen, ...] = ()
    asked: frozenset[str] = frozenset()
    failed: tuple[str, ...] = ()
