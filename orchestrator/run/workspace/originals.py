"""Find files that only fixes and rollbacks have changed, and that can be restored byte for byte."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

from msgspec.structs import replace

from orchestrator.errors import Refused
from orchestrator.run.workspace.journal import Entry, EntryOutcome, Step, update_applied


def find_originals(
    entries: Iterable[Entry], applied: Iterable[Entry], chosen: Sequence[Entry], read: Callable[[str], str | None]
) -> dict[str, Step]:
    """Map each file whose applied fixes are all `chosen` to its whole change, from before the first fix until now.

    What surrounds the changes does not matter then. A fix is rolled back completely or not at all, so the result has
    all files of a chosen fix or none. read: returns the hash of a file on disk, or raises Refused.
    """
    changes, numbers = _group_by_file(entries), {entry.number for entry in chosen}
    kept = {step.file for entry in applied if entry.number not in numbers for step in entry.steps}
    found = dict[str, Step]()
    for file in dict.fromkeys(step.file for entry in reversed(chosen) for step in reversed(entry.steps)):
        with suppress(Refused):
            if file not in kept and (change := _sum_up(changes[file], read(file))):
                found[file] = change
    return _drop_incomplete(found, [{step.file for step in entry.steps} for entry in chosen])


def _group_by_file(entries: Iterable[Entry]) -> Mapping[str, list[Step]]:
    """Return the changes of each file since it last had no applied fix. A user may have edited the file before."""
    groups, applied = defaultdict[str, list[Step]](list), list[Entry]()
    for entry in entries:
        if entry.outcome is EntryOutcome.CLOSED:
            with_fix = {step.file for other in applied for step in other.steps}
            for step in entry.steps:
                if step.file not in with_fix:
                    groups[step.file].clear()
                groups[step.file].append(step)
            applied = update_applied(applied, entry)
    return groups


def _sum_up(steps: Sequence[Step], now: str | None) -> Step | None:
    """Return all steps of a file as one. None if a user edited the file since the first, or if its mode was changed."""
    is_unedited = steps[-1].after == now and all(step.after == following.before for step, following in pairwise(steps))
    modes = {mode for step in steps for mode in (step.mode, step.old_mode)}
    return replace(steps[0], after=now) if is_unedited and len(modes) == 1 else None


def _drop_incomplete(found: Mapping[str, Step], groups: Sequence[set[str]]) -> dict[str, Step]:
    """Drop the files of all groups of which not all files were found, until no such group is left."""
    rest = dict(found)
    while dropped := {file for files in groups if not files <= rest.keys() for file in files & rest.keys()}:
        rest = {file: step for file, step in rest.items() if file not in dropped}
    return rest
