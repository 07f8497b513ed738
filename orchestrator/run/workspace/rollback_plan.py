"""Plan a rollback: compute the new contents of each file. Nothing in the skill is changed here."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from orchestrator.errors import Refused
from orchestrator.fs.paths import refusal
from orchestrator.run.workspace.blobs import Blobs
from orchestrator.run.workspace.hunks import find_overlapping, revert_change
from orchestrator.run.workspace.journal import Entry, Step


def choose(applied: Sequence[Entry], fix_ids: Collection[str]) -> list[Entry]:
    """Return the entries of the named fixes."""
    return [entry for entry in applied if set(entry.fixes) & set(fix_ids)]


@dataclass
class RollbackPlanner:
    """Reverts the chosen fixes, newest first, in a copy of the hashes of the files.

    `read` returns the bytes of a file of the skill, None if it is missing, and raises Refused for anything else;
    `read_mode` returns its mode. `fixed_modes` are the modes that fixes gave to files, `modes` those to restore.
    A fix is rolled back completely or not at all. If one of its hunks was changed since, the walk raises Refused;
    with `forgiving` it keeps the fix and notes it in `left` with the changed files.
    """

    applied: Sequence[Entry]
    chosen: Sequence[Entry]
    forgiving: bool
    blobs: Blobs
    read: Callable[[str], bytes | None]
    read_mode: Callable[[str], int]
    found: dict[str, str | None] = field(default_factory=dict)
    view: dict[str, str | None] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    fixed_modes: dict[str, int] = field(default_factory=dict)
    left: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def walk(self) -> None:
        """Compute the new contents of every file."""
        for entry in reversed(self.chosen):
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        before, edited = (dict(self.view), dict(self.modes), dict(self.fixed_modes)), []
        for step in reversed(entry.steps):
            try:
                self._back(entry, step)
            except Refused:
                if not self.forgiving:
                    raise
                edited.append(step.file)
        if edited:
            self.view, self.modes, self.fixed_modes = before
            self.left = {**dict.fromkeys(entry.fixes, tuple(sorted(edited))), **self.left}

    def steps(self) -> list[Step]:
        """Return the steps of the rollback."""
        return [
            Step(file, self.found[file], self.view[file], self.modes[file], self.fixed_modes.get(file))
            for file in self.view
            if self.view[file] != self.found[file] or file in self.fixed_modes
        ]

    def _now(self, file: str) -> str | None:
        if file not in self.found:
            data = self.read(file)
            self.found[file] = None if data is None else self.blobs.store(data)
        return self.view.get(file, self.found[file])

    def _back(self, entry: Entry, step: Step) -> None:
        now = self._now(step.file)
        if step.mode_before is not None:
            self._restore_mode(step, now)
            return
        gone = now == step.after or (self.forgiving and now == step.before)
        self.view[step.file] = step.before if gone else self._revert(entry, step, now)
        self.modes[step.file] = step.mode

    def _restore_mode(self, step: Step, now: str | None) -> None:
        if now is None or self.read_mode(step.file) not in (step.mode, step.old_mode):
            raise refusal(step.file, "is gone, or its mode was changed since")
        self.view[step.file], self.modes[step.file] = now, step.old_mode
        self.fixed_modes.setdefault(step.file, step.mode)

    def _revert(self, entry: Entry, step: Step, now: str | None) -> str:
        if step.before and step.after and now:
            old, new, text = (self.blobs.get(name) for name in (step.before, step.after, now))
            reverted = revert_change(old, new, text)
            if reverted is not None:
                return self.blobs.store(reverted)
        raise self._refusal(entry, step)

    def _refusal(self, entry: Entry, step: Step) -> Refused:
        later = [
            (other.fixes[0], self._text(change.before), self._text(change.after))
            for other in self.applied
            for change in other.steps
            if other.number > entry.number and other not in self.chosen and change.file == step.file
        ]
        if step.before and step.after:
            names = find_overlapping(self._text(step.before), self._text(step.after), later)
        else:
            names = [name for name, _, _ in later]
        first = f"; roll back {', '.join(names)} first" if names else ""
        what = f"the text of {entry.fixes[0]} was changed since, or is there more than once"
        return refusal(step.file, what + first)

    def _text(self, name: str | None) -> bytes:
        return b"" if name is None else self.blobs.get(name)
