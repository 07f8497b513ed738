"""Working out a rollback: which files go to which contents. Nothing in the skill is changed here."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from orchestrator.errors import Refused
from orchestrator.run.workspace.blobs import Blobs
from orchestrator.run.workspace.hunks import touched, without
from orchestrator.run.workspace.journal import Entry, Step
from orchestrator.run.workspace.paths import refused


def choose(standing: Sequence[Entry], fix_ids: Collection[str]) -> list[Entry]:
    """The entries of the named fixes, of those that stand."""
    return [entry for entry in standing if set(entry.fixes) & set(fix_ids)]


@dataclass
class Planner:
    """Walks back through the chosen ones of the standing fixes, newest first, over a view of the files.

    `read` gives the bytes of a file of the skill, None when there is none, and raises Refused for anything else.
    A fix goes whole or not at all. `forgiving`: one of which a hunk no longer stands unchanged stays, and `left` names
    it with the files in question. Otherwise the walk raises Refused there.
    """

    standing: Sequence[Entry]
    chosen: Sequence[Entry]
    forgiving: bool
    blobs: Blobs
    read: Callable[[str], bytes | None]
    found: dict[str, str | None] = field(default_factory=dict)
    view: dict[str, str | None] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    left: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def walk(self) -> None:
        """Work out the contents that every file goes to."""
        for entry in reversed(self.chosen):
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        before, edited = (dict(self.view), dict(self.modes)), []
        for step in reversed(entry.steps):
            try:
                self._back(entry, step)
            except Refused:
                if not self.forgiving:
                    raise
                edited.append(step.file)
        if edited:
            self.view, self.modes = before
            self.left = {**dict.fromkeys(entry.fixes, tuple(sorted(edited))), **self.left}

    def steps(self) -> list[Step]:
        """What is to be done."""
        return [
            Step(file, self.found[file], self.view[file], self.modes[file])
            for file in self.view
            if self.view[file] != self.found[file]
        ]

    def _now(self, file: str) -> str | None:
        if file not in self.found:
            data = self.read(file)
            self.found[file] = None if data is None else self.blobs.put(data)
        return self.view.get(file, self.found[file])

    def _back(self, entry: Entry, step: Step) -> None:
        now = self._now(step.file)
        gone = now == step.after or (self.forgiving and now == step.before)
        self.view[step.file] = step.before if gone else self._unwound(entry, step, now)
        self.modes[step.file] = step.mode

    def _unwound(self, entry: Entry, step: Step, now: str | None) -> str:
        if step.before and step.after and now:
            old, new, text = (self.blobs.get(name) for name in (step.before, step.after, now))
            mended = without(old, new, text)
            if mended is not None:
                return self.blobs.put(mended)
        raise self._objection(entry, step)

    def _objection(self, entry: Entry, step: Step) -> Refused:
        later = [
            (other.fixes[0], self._text(change.before), self._text(change.after))
            for other in self.standing
            for change in other.steps
            if other.number > entry.number and other not in self.chosen and change.file == step.file
        ]
        if step.before and step.after:
            names = touched(self._text(step.before), self._text(step.after), later)
        else:
            names = [name for name, _, _ in later]
        first = f"; undo {', '.join(names)} first" if names else ""
        what = f"what {entry.fixes[0]} wrote no longer stands unchanged at exactly one place"
        return refused(step.file, what + first)

    def _text(self, name: str | None) -> bytes:
        return b"" if name is None else self.blobs.get(name)
