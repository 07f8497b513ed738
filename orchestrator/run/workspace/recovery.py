"""Decide whether the unfinished changes of a killed run are kept or undone."""

import json
from pathlib import Path

import msgspec

from orchestrator.fs import nofollow
from orchestrator.fs.durable import LAST_GOOD
from orchestrator.run.workspace.journal import Entry, Kind
from schemas.records import ChangeMade


class Recovery(msgspec.Struct, frozen=True):
    """The recovery of an unfinished journal entry: the changes are kept (is_completed) or undone.

    edited: the files that were left because a user had edited them.
    """

    work_dir: Path
    fixes: tuple[str, ...]
    kind: Kind
    is_completed: bool
    edited: tuple[str, ...]
    made: tuple[ChangeMade, ...] = ()

    @property
    def sentence(self) -> str:
        """The message to the user."""
        subject = (
            ", ".join(self.fixes)
            if self.kind is Kind.APPLY
            else f"the rollback of {', '.join(self.fixes) or 'parts of a fix'}"
        )
        result = {
            (Kind.APPLY, True): "the fix was verified, so it is kept",
            (Kind.APPLY, False): "the fix was rolled back",
            (Kind.ROLLBACK, True): "the rollback is finished now",
            (Kind.ROLLBACK, False): "the rollback was undone; repeat it if needed",
        }[self.kind, self.is_completed]
        if self.kind is Kind.APPLY and self.edited:
            result = f"the fix was not undone, because of later edits in {', '.join(self.edited)}"
            return (
                f"An earlier command was stopped during {subject} ({self.work_dir}): {result}, so it counts as applied."
            )
        edited = f" Files edited since then were not changed: {', '.join(self.edited)}." if self.edited else ""
        return f"An earlier command was stopped during {subject} ({self.work_dir}): {result}.{edited}"


def read_verified_fixes(work_dir: Path) -> frozenset[str]:
    """Return the ids of the fixes that the state in `work_dir` records as verified.

    Returns an empty set if no state can be read.
    """
    for name in ("state.json", f"state.json{LAST_GOOD}"):
        try:
            applied = json.loads(nofollow.read(str(work_dir / name)))["applied_fixes"]
            results = {fix["fix_id"]: fix["verification_result"] for fix in applied}
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            continue
        return frozenset(fix for fix, result in results.items() if result == "pass")
    return frozenset()


def matches_state(entry: Entry, verified: frozenset[str]) -> bool:
    """Return whether the saved state includes the result of an unfinished entry, so that its changes must be kept."""
    is_verified = not verified.isdisjoint(entry.fixes)
    return is_verified if entry.kind is Kind.APPLY else not is_verified
