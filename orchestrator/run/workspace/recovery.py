"""What a killed run left behind, and what the state of that run says about it."""

import json
from dataclasses import dataclass
from pathlib import Path

from orchestrator.fs import nofollow
from orchestrator.fs.durable import LAST_GOOD
from orchestrator.run.workspace.journal import Entry, Kind
from schemas.records import ChangeMade


@dataclass(frozen=True)
class Recovery:
    """How an unfinished journal entry was settled. `edited`: files left alone, as someone edited them since."""

    work_dir: Path
    fixes: tuple[str, ...]
    kind: Kind
    stands: bool
    edited: tuple[str, ...]
    made: tuple[ChangeMade, ...] = ()

    @property
    def sentence(self) -> str:
        """What to tell the user."""
        thing = ", ".join(self.fixes) if self.kind is Kind.APPLY else f"the rollback of {', '.join(self.fixes)}"
        done = {
            (Kind.APPLY, True): "it was verified and stays",
            (Kind.APPLY, False): "it was rolled back",
            (Kind.ROLLBACK, True): "it is finished now",
            (Kind.ROLLBACK, False): "it was undone; repeat it if you want it",
        }[self.kind, self.stands]
        left = f" Edited since, so left alone: {', '.join(self.edited)}." if self.edited else ""
        return f"An earlier command stopped in the middle of {thing} ({self.work_dir}): {done}.{left}"


def verified_fixes(work_dir: Path) -> frozenset[str]:
    """The fixes that the state in `work_dir` names as applied and verified; none when no state can be read."""
    for name in ("state.json", f"state.json{LAST_GOOD}"):
        try:
            applied = json.loads(nofollow.read(str(work_dir / name)))["applied_fixes"]
            results = {fix["fix_id"]: fix["verification_result"] for fix in applied}
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            continue
        return frozenset(fix for fix, result in results.items() if result == "pass")
    return frozenset()


def stands(entry: Entry, verified: frozenset[str]) -> bool:
    """Whether an unfinished entry agrees with the state, which is saved after the files are changed."""
    named = not verified.isdisjoint(entry.fixes)
    return named if entry.kind is Kind.APPLY else not named
