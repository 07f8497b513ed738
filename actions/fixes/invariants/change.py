"""Compare a skill before and after a change, statement by statement."""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

import msgspec

from actions.alignment import Alignment
from actions.fixes.invariants.statements import Statement, split_statements
from actions.skill import Skill, SkillFile
from actions.skill.text import estimate_tokens


class Hunk(msgspec.Struct, frozen=True):
    """The statements removed from one place in a file, and the statements added there."""

    removed: tuple[Statement, ...]
    added: tuple[Statement, ...]


class Change(msgspec.Struct, frozen=True, dict=True):
    """A skill before and after a change, and the results of comparing the two."""

    before: Skill
    after: Skill

    @cached_property
    def changed_files(self) -> tuple[SkillFile, ...]:
        """The files that the change edits or deletes, as they were before."""
        return tuple(file for file in self.before.files if self.after.by_path.get(file.path) != file)

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The differences, file by file. A moved statement is removed by one hunk and added by another."""
        created = (Hunk((), split_statements(f)) for f in self.after.files if f.path not in self.before.by_path)
        return (*(hunk for hunks, _ in self._compared_files for hunk in hunks), *created)

    @property
    def unchanged_pairs(self) -> Iterator[tuple[Statement, Statement]]:
        """The unchanged statements of changed files, as (before, after) pairs."""
        return (pair for _, pairs in self._compared_files for pair in pairs)

    @property
    def removed_statements(self) -> tuple[Statement, ...]:
        """All removed statements."""
        return tuple(statement for hunk in self.hunks for statement in hunk.removed)

    @property
    def summary(self) -> str:
        """One sentence with the numbers of tokens and statements of the instructions before and after."""
        sides = (self.before.instructions, self.after.instructions)
        was, now = ([s.key for file in files for s in split_statements(file)] for files in sides)
        old, new = (sum(estimate_tokens(len(file.text)) for file in files) for files in sides)
        unchanged = (Counter(was) & Counter(now)).total()
        return (
            f"Instructions: from {old:,} to {new:,} tokens and from {len(was):,} to {len(now):,} statements;"
            f" {unchanged:,} are kept, {len(was) - unchanged:,} are reworded or removed."
        )

    @cached_property
    def _compared_files(self) -> tuple[tuple[list[Hunk], list[tuple[Statement, Statement]]], ...]:
        return tuple(map(self._compare_file, self.changed_files))

    def _compare_file(self, file: SkillFile) -> tuple[list[Hunk], list[tuple[Statement, Statement]]]:
        new = self.after.by_path.get(file.path)
        was, now = split_statements(file), split_statements(new) if new else ()
        alignment = Alignment([statement.key for statement in was], [statement.key for statement in now])
        hunks, pairs = list[Hunk](), list[tuple[Statement, Statement]]()
        for is_equal, start, end, first, last in alignment.opcodes:
            if is_equal:
                pairs += zip(was[start:end], now[first:last], strict=True)
            else:
                hunks.append(Hunk(was[start:end], now[first:last]))
        return hunks, pairs
