"""Plan a rollback: compute the new content of each file, without changing the skill."""

import os
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from orchestrator.errors import Refused
from orchestrator.fs.paths import build_refusal
from orchestrator.run.workspace.blobs import Blobs
from orchestrator.run.workspace.hunks import (
    find_overlapping,
    has_all_added,
    is_reverted,
    revert_below_changes,
    revert_change,
    revert_unedited_lines,
)
from orchestrator.run.workspace.journal import Entry, EntryOutcome, Kind, Step, list_later_changes
from orchestrator.run.workspace.originals import find_originals

T = TypeVar("T")


def select_entries(applied: Sequence[Entry], fix_ids: Collection[str]) -> list[Entry]:
    """Return the entries of the given fixes."""
    return [entry for entry in applied if set(entry.fixes) & set(fix_ids)]


def _restore(now: dict[str, T], old: dict[str, T], files: Collection[str]) -> dict[str, T]:
    """Return `now` with the values of `files` taken from `old`, and without the files that `old` lacks."""
    others = {file: value for file, value in now.items() if file not in files}
    return others | {file: old[file] for file in files if file in old}


class RollbackPlanner(msgspec.Struct):
    """Plans to revert the chosen fixes, newest first. Contents are represented by hashes; no file is changed.

    entries: all entries of the journal. undone: entries of rollbacks that a kill interrupted and whose changes were
    undone. read: returns the bytes of a file of the skill, or None if the file is missing; raises Refused if it is not
    a regular file of the skill. read_status: returns the status of a file. found, found_modes: hashes and modes on
    disk. view, modes: hashes and modes after the rollback. A file keeps its mode unless a fix changed the mode or
    deleted the file.

    A fix is rolled back completely or not at all. If a user has edited one of its hunks, `plan` raises Refused. With
    `forgiving`, `plan` instead keeps the fix and adds the fix to `left`, with the edited files. A fix can be merged
    from several parts; `parts` lists the files of each part. With `forgiving`, only the parts with edited files are
    kept. In a part of one file, the unedited lines are rolled back, and the part is kept only if edited lines remain.
    For a fix that is kept in part, `partial` has the steps that remain. If all files of a fix already have the text
    from before it, for example because another branch is checked out, the fix is kept, too, and added to `absent`.
    """

    entries: Sequence[Entry]
    applied: Sequence[Entry]
    undone: Sequence[Entry]
    chosen: Sequence[Entry]
    forgiving: bool
    parts: Mapping[str, Sequence[Sequence[str]]]
    blobs: Blobs
    read: Callable[[str], bytes | None]
    read_status: Callable[[str], os.stat_result]
    found: dict[str, str | None] = msgspec.field(default_factory=dict)
    view: dict[str, str | None] = msgspec.field(default_factory=dict)
    found_modes: dict[str, int] = msgspec.field(default_factory=dict)
    modes: dict[str, int] = msgspec.field(default_factory=dict)
    left: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    partial: dict[str, tuple[Step, ...]] = msgspec.field(default_factory=dict)
    absent: list[str] = msgspec.field(default_factory=list)
    _names: dict[tuple[int, int], str] = msgspec.field(default_factory=dict)

    def plan(self) -> None:
        """Compute the new content of all files."""
        originals = find_originals(self.entries, self.applied, self.chosen, self._read)
        for file, change in originals.items():
            self.view[file], self.modes[file] = change.before, self.found_modes.get(file, change.mode)
        for entry in reversed(self.chosen):
            if not all(step.file in originals for step in entry.steps):
                self._roll_back_entry(entry)

    def _roll_back_entry(self, entry: Entry) -> None:
        if all(self._is_absent(entry, step) for step in entry.steps):
            self.absent += entry.fixes
            return
        before, edited = (self.view, self.modes), list[str]()
        self.view, self.modes = dict(self.view), dict(self.modes)
        parts = [set(part) for id in entry.fixes for part in self.parts.get(id, ())]
        rests: dict[str, Step] = {}
        for step in reversed(entry.steps):
            try:
                self._roll_back_step(entry, step)
            except Refused as refusal:
                is_single_file = bool(parts) and all(part == {step.file} for part in parts if step.file in part)
                rest = self._revert_lines(step) if is_single_file else step.after
                is_complete = rest != step.after and rest == step.before  # a mode is never reverted here
                if not (is_complete or self.forgiving):
                    hint = "" if rest == step.after else "; `rollback --all` rolls back its other lines"
                    raise Refused(f"{refusal}{hint}") from None
                if rest != step.after:
                    rests[step.file] = replace(step, after=rest)
                if not is_complete:
                    edited.append(step.file)
        if edited:
            files = {step.file for step in entry.steps}
            kept_files = {file for part in parts or [files] if not part.isdisjoint(edited) for file in part}
            self.view = _restore(self.view, before[0], kept_files - rests.keys())
            self.modes = _restore(self.modes, before[1], kept_files - rests.keys())
            if kept_files < files or rests:
                remaining = tuple(rests.get(step.file, step) for step in entry.steps if step.file in kept_files)
                self.partial |= dict.fromkeys(entry.fixes, remaining)
            self.left = {**dict.fromkeys(entry.fixes, tuple(sorted(edited))), **self.left}

    def list_steps(self) -> list[Step]:
        """Return the steps of the rollback."""
        steps = (
            Step(file, self.found[file], sha256, self.modes[file], self.found_modes.get(file))
            for file, sha256 in self.view.items()
        )
        return [step for step in steps if step.before != step.after or step.mode != step.old_mode]

    def _read(self, file: str) -> str | None:
        """Return the hash of a file after the rollbacks planned so far, or None if there is no file.

        Raises Refused if the file was also read under another name, because the user made a link: the steps of both
        names would collide.
        """
        if file not in self.found:
            data = self.read(file)
            if data is not None:
                status = self.read_status(file)
                other = self._names.setdefault((status.st_dev, status.st_ino), file)
                if other != file:
                    raise build_refusal(file, f"is now the same file as {other}")
                self.found_modes[file] = stat.S_IMODE(status.st_mode)
            self.found[file] = None if data is None else self.blobs.store(data)
        return self.view.get(file, self.found[file])

    def _read_mode(self, file: str) -> int:
        return self.modes[file] if file in self.modes else self.found_modes[file]

    def _roll_back_step(self, entry: Entry, step: Step) -> None:
        now = self._read(step.file)
        if step.mode_before is not None:
            self._restore_mode(step, now)
            return
        if (self.forgiving or self._is_edited(entry, step)) and self._is_reverted(entry, step, now):
            self.view[step.file] = now
        else:
            self.view[step.file] = step.before if now == step.after else self._revert(entry, step, now)
        self.modes[step.file] = step.mode if now is None else self._read_mode(step.file)

    def _is_absent(self, entry: Entry, step: Step) -> bool:
        """Return whether a user or another branch gave a file the text from before a fix. A mode proves nothing."""
        try:
            now = self._read(step.file)
        except Refused:
            return False
        if step.mode_before is not None or not self._is_edited(entry, step):
            return False
        if now != self.found[step.file] or now == step.after:
            return False
        if now == step.before or self._is_older_text(entry, step.file, now):
            return True
        return not self._was_chosen(entry, step.file) and self._is_restored(step, now)

    def _is_restored(self, step: Step, now: str | None) -> bool:
        """Return whether nothing of a fix is left in a text that was edited since, and text that it removed is back."""
        if not (step.before and step.after and now):
            return False
        return is_reverted(*(self.blobs.get(name) for name in (step.before, step.after, now)))

    def _was_chosen(self, entry: Entry, file: str) -> bool:
        """Return whether a rollback of a fix that was killed and undone was to change a file."""
        later = (other for other in self.undone if other.number > entry.number)
        of_fix = (other for other in later if not {*other.fixes, *other.partial}.isdisjoint(entry.fixes))
        return any(file in other.skipped for other in of_fix)

    def _is_reverted(self, entry: Entry, step: Step, now: str | None) -> bool:
        """Return whether nothing of a fix is left in a file.

        This is true if the file has the text from before this fix or an older fix. It is also true if a killed rollback
        was to change the file, and the text now has all lines from before the fix, no line that the fix added, and at
        least one line that the fix removed. Without the last condition, the killed rollback may not have reached the
        file.
        """
        if now in (step.before, step.after):
            return now == step.before
        if self._is_older_text(entry, step.file, now):
            return True
        return self._was_chosen(entry, step.file) and self._is_restored(step, now)

    def _is_older_text(self, entry: Entry, file: str, now: str | None) -> bool:
        """Return whether a user gave a file the content from before a fix that is older than `entry`."""
        if self._is_rolled_back_to(entry, file, now):
            return False
        kept = {other.number for other in self.applied}.difference(other.number for other in self.chosen)
        older = (other for other in self.entries if other.kind is Kind.APPLY and other.number < entry.number)
        if now is None:  # a user may have renamed the file that the other fix created
            older = (other for other in older if other.number not in kept)
        return any(step.file == file and step.before == now for other in older for step in other.steps)

    def _is_rolled_back_to(self, entry: Entry, file: str, now: str | None) -> bool:
        """Return whether a rollback after `entry` gave a file this content."""
        later = (other for other in self.entries if other.number > entry.number and other.kind is Kind.ROLLBACK)
        closed = (other for other in later if other.outcome is EntryOutcome.CLOSED)
        return any(step.file == file and step.after == now for other in closed for step in other.steps)

    def _restore_mode(self, step: Step, now: str | None) -> None:
        if now is None or self._read_mode(step.file) not in (step.mode, step.old_mode):
            raise build_refusal(step.file, "is gone, or its mode was changed afterwards")
        self.view[step.file], self.modes[step.file] = now, step.old_mode

    def _revert(self, entry: Entry, step: Step, now: str | None) -> str:
        if step.before and step.after and now:
            old, new, text = (self.blobs.get(name) for name in (step.before, step.after, now))
            later = self._list_known_changes(entry, step, now)
            reverted = None if later is None else revert_below_changes(old, new, later)
            if reverted is None:
                reverted = revert_change(old, new, text)
            if reverted is not None:
                return self.blobs.store(reverted)
        raise self._build_refusal(entry, step, now)

    def _list_known_changes(self, entry: Entry, step: Step, now: str) -> list[tuple[bytes, bytes]] | None:
        """Return the texts of the changes that lead from the result of a step to the hash `now`.

        The last one is what this rollback has changed so far. None if a user has edited or deleted the file since.
        """
        later = self._list_later_changes(entry, step)
        if later is None or not all(change.before and change.after for change in later):
            return None
        names = [*((change.before, change.after) for change in later), (self.found[step.file], now)]
        return [(self._get_text(before), self._get_text(after)) for before, after in names]

    def _is_edited(self, entry: Entry, step: Step) -> bool:
        """Return whether anything but later fixes and rollbacks has changed a file since a fix."""
        return self._list_later_changes(entry, step) is None

    def _list_later_changes(self, entry: Entry, step: Step) -> list[Step] | None:
        return list_later_changes(self.entries, entry, step, self.found[step.file])

    def _revert_lines(self, step: Step) -> str | None:
        """Revert those line changes of a merged fix that the edited file still contains.

        Returns the hash of the fix's result without them.
        """
        try:
            now = self._read(step.file)
        except Refused:  # it became a folder, or a link that leads out of the skill
            return step.after
        if not (step.before and step.after and now):
            return step.after
        reverted, rest = revert_unedited_lines(*(self.blobs.get(name) for name in (step.before, step.after, now)))
        self.view[step.file], self.modes[step.file] = self.blobs.store(reverted), self._read_mode(step.file)
        return self.blobs.store(rest)

    def _build_refusal(self, entry: Entry, step: Step, now: str | None) -> Refused:
        later = [
            (other.fixes[0], change)
            for other in self.applied
            for change in other.steps
            if other.number > entry.number and other not in self.chosen and change.file == step.file
        ]
        names = self._find_overlapping(step, later)
        if now and later and not self._is_edited(entry, step):
            fixes = ", ".join(names or dict.fromkeys(name for name, _ in later))
            reason = f"cannot be restored, because {fixes} changed it after {entry.fixes[0]}"
            return build_refusal(step.file, f"{reason}; use `rollback --all`, or roll back {fixes} first")
        is_help = self._is_revertible_without(step, now, [change for name, change in later if name in names])
        first = f"; roll back {', '.join(names)} first" if is_help else ""
        if now is None:
            return build_refusal(step.file, f"is missing, so {entry.fixes[0]} cannot be rolled back{first}")
        return build_refusal(step.file, f"cannot be restored, because {self._find_cause(entry, step, now)}{first}")

    def _find_overlapping(self, step: Step, later: Sequence[tuple[str, Step]]) -> list[str]:
        if not (step.before and step.after):
            return [name for name, _ in later]
        changes = [(name, self._get_text(change.before), self._get_text(change.after)) for name, change in later]
        return find_overlapping(self._get_text(step.before), self._get_text(step.after), changes)

    def _is_revertible_without(self, step: Step, now: str | None, later: Sequence[Step]) -> bool:
        """Return whether later changes can be rolled back in an edited or missing file, and then the step."""
        if now is None or not later:
            return bool(later) and later[-1].after is None
        text: bytes | None = self.blobs.get(now)
        for change in (*reversed(later), step):
            if text is not None:
                text = revert_change(self._get_text(change.before), self._get_text(change.after), text)
        return text is not None

    def _find_cause(self, entry: Entry, step: Step, now: str) -> str:
        fix = entry.fixes[0]
        if step.after is None:
            return f"another file of this name was created after {fix} had deleted it"
        if step.before is None:
            return f"it was edited after {fix} had created it; delete it yourself if you do not need it"
        if self._has_other_line_ends(step.after, now):
            return "its line ends were changed afterwards; change them back, and try again"
        if self._is_located(step, now):
            return f"the lines around the text of {fix} were changed afterwards"
        if has_all_added(self._get_text(step.before), self._get_text(step.after), self.blobs.get(now)):
            return f"the file was edited, and the place of the text of {fix} in it is uncertain"
        return f"the text of {fix} was changed afterwards"

    def _has_other_line_ends(self, after: str, now: str) -> bool:
        counts = ((text.count(b"\r\n"), text.count(b"\n")) for text in map(self.blobs.get, (after, now)))
        (known_pairs, known), (pairs, found) = counts
        return (known_pairs == 0 and pairs > found / 2) or (pairs == 0 and known_pairs > known / 2)

    def _is_located(self, step: Step, now: str) -> bool:
        """Return whether all lines of a step are at certain places in the edited file."""
        if not (step.before and step.after):
            return False
        _, rest = revert_unedited_lines(*(self.blobs.get(name) for name in (step.before, step.after, now)))
        return rest == self.blobs.get(step.before)

    def _get_text(self, name: str | None) -> bytes:
        return b"" if name is None else self.blobs.get(name)
