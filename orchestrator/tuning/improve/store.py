"""Store the state of an improvement, validated by its schema and written durably, and the previous state."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

import schemas
from orchestrator.errors import StateDamaged
from orchestrator.fs import durable, nofollow
from schemas.codec import from_json, to_json
from schemas.improvement import Improvement, Moment

FILE = "improvement.json"


class ImprovementStore:
    """The saved state of an improvement. Only the process that has locked the ledger in the folder may use it."""

    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self.path = folder / FILE
        self._clock = clock

    def exists(self) -> bool:
        """Return whether a state was saved, or a copy of the previous one."""
        return has_state(self.path)

    def load(self) -> Improvement:
        """Read the state, or the previous one if it is damaged. Raises StateDamaged if both are damaged."""
        if (state := read_state(self.path)) is not None:
            return state
        found = " and ".join(path.name for path in _list_generations(self.path) if path.exists())
        problem = f"cannot be read; remove {found}, and" if found else "is missing;"
        raise StateDamaged(
            f"{self.path} {problem} repeat the `tune-skill improve` command, which does not repeat its paid runs; "
            "to end the improvement, move its folder elsewhere"
        )

    def save(self, state: Improvement, *, has_new_stage: bool = False) -> Improvement:
        """Write a state and return it.

        has_new_stage: whether to add the stage to the history of stages. Raises WriteFailed if the state cannot be
        written. Raises schemas.Invalid if the state does not match its schema.
        """
        if has_new_stage:
            at = self._clock().isoformat(timespec="milliseconds").replace("+00:00", "Z")
            state = replace(state, walk=(*state.walk, Moment(state.stage, at)))
        values = to_json(state)
        schemas.check("improvement", values)
        durable.write_json(self.path, values, keep_last_good=True)
        return state


def _list_generations(path: Path) -> tuple[Path, Path]:
    return path, path.with_name(path.name + durable.LAST_GOOD)


def has_state(path: Path) -> bool:
    """Return whether a state or a copy of the previous one exists, even if it is damaged."""
    return any(generation.exists() for generation in _list_generations(path))


def read_state(path: Path) -> Improvement | None:
    """Read the state in a file, or the previous one if it is damaged or invalid.

    Returns None if neither can be used.
    """
    return next((state for file in _list_generations(path) if (state := _read_generation(file))), None)


def _read_generation(path: Path) -> Improvement | None:
    try:
        values = json.loads(nofollow.read(str(path)))
        schemas.check("improvement", values)
        return from_json(Improvement, values)
    except (OSError, ValueError, RecursionError):
        return None
