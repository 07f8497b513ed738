"""Two texts of a skill side by side: what the first said that the second does not say, and what is said anew."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from actions.proof.reach import Reached, reached
from actions.proof.statements import Meaning, Standing, Statement, meanings, statements
from actions.skill import Skill, SkillFile


@dataclass(frozen=True)
class Change:
    """A skill before and after a change; everything else follows."""

    before: Skill
    after: Skill

    @cached_property
    def touched(self) -> tuple[SkillFile, ...]:
        """The files of the first text that read otherwise, or are gone."""
        return tuple(file for file in self.before.files if self.after.by_path.get(file.path) != file)

    @cached_property
    def gone(self) -> tuple[Statement, ...]:
        """What is said nowhere any more where a reader comes, in the order of the files."""
        led, left = reached(self.before), reached(self.after)
        looked = {file.path for file in self.touched} | (led.files - left.files) | (led.in_force - left.in_force)
        homes: dict[tuple[str, Standing], list[frozenset[Meaning]]] = {}
        lost = []
        for statement in _of(self.before, looked):
            key = statement.file, statement.standing
            if key not in homes:
                homes[key] = self._homes(*key, led, left)
            meaning = statement.meaning
            if not any(meaning in said for said in homes[key]):
                lost.append(statement)
        return tuple(lost)

    @cached_property
    def copies(self) -> tuple[Statement, ...]:
        """What is still said, but less often."""
        gone = {s.meaning for s in self.gone}
        return tuple(s for s in self.fewer if s.meaning not in gone)

    def _homes(self, path: str, standing: Standing, led: Reached, left: Reached) -> list[frozenset[Meaning]]:
        """Return what is said where a statement of a file may have gone: where a reader comes, if one came before."""
        read = left.at(standing) if path in led.at(standing) else self.after.by_path.keys()
        return [meanings(file, self.after) for file in self.after.files if file.path in read]

    @cached_property
    def fewer(self) -> tuple[Statement, ...]:
        """What is said less often than before: the last copies."""
        return tuple(_surplus(self._old, self._room))

    @cached_property
    def new(self) -> tuple[Statement, ...]:
        """What is said more often than before: the last copies."""
        return tuple(_surplus(self._new, {meaning: -count for meaning, count in self._room.items()}))

    @cached_property
    def _old(self) -> list[Statement]:
        return _of(self.before, {file.path for file in self.touched})

    @cached_property
    def _new(self) -> list[Statement]:
        paths = {file.path for file in self.touched}
        return _of(self.after, paths | (self.after.by_path.keys() - self.before.by_path.keys()))

    @cached_property
    def _room(self) -> Counter[Meaning]:
        """How many times less each thing is said."""
        room = Counter(s.meaning for s in self._old)
        room.subtract(s.meaning for s in self._new)
        return room


def _surplus(said: Iterable[Statement], counts: Mapping[Meaning, int]) -> Iterator[Statement]:
    """Return the statements whose meaning has a count, that many of each at most, the last ones first taken."""
    left = {meaning: count for meaning, count in counts.items() if count > 0}
    found = []
    for statement in reversed(list(said)) if left else ():
        if left.get(statement.meaning, 0) > 0:
            left[statement.meaning] -= 1
            found.append(statement)
    return reversed(found)


def _of(skill: Skill, paths: Iterable[str]) -> list[Statement]:
    wanted = set(paths)
    return [s for file in skill.files if file.path in wanted for s in statements(file, skill)]
