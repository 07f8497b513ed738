"""Find what sessions do again and again while they follow a text that has no line for it."""

from collections.abc import Iterator
from dataclasses import dataclass

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.commands import is_check, is_specific, parse_key
from actions.history.joins import JoinedUse, join_uses
from actions.memo import memoize
from actions.session.shell import split
from actions.session.transcript import Step

_LEAST_USES, _SHARE = 2, 0.5
_MOST = 20
_WORDS = 4


@dataclass(frozen=True)
class Habit:
    """A command that `uses` uses of a text in `sessions` sessions ran, and that the text does not mention.

    `session` and `record` are those of its first run; records count from 1.
    """

    text: str
    uses: int
    sessions: int
    session: str
    record: int


@memoize
def find_habits(case: Case) -> tuple[Habit, ...]:
    """Return what half of the uses or more do without a line of the text, the most frequent first.

    They must be in two sessions or more. Commands that any session runs (git, ls, tests) are not habits of this text.
    """
    joined = join_uses(case)
    found = group_by_key((key, (one, step)) for one in joined for key, step in _list_commands(one).items())
    habits = []
    for key, places in found.items():
        sessions = {one.use.session for one, _ in places}
        if len(sessions) >= _LEAST_USES and len(places) >= _SHARE * len(joined) and not _is_mentioned(key, case):
            first, step = places[0]
            text = " ".join(key)
            habits.append(Habit(text, len(places), len(sessions), first.use.name, step.call.record + 1))
    return tuple(sorted(habits, key=lambda habit: (-habit.uses, habit.text))[:_MOST])


def _list_commands(one: JoinedUse) -> dict[tuple[str, ...], Step]:
    """Return the commands of a use that no loaded text mentions, each with its first step."""
    found: dict[tuple[str, ...], Step] = {}
    for step, key in _list_keys(one):
        text = " ".join(key[:_WORDS])
        if not any(text in load.text for load in one.use.transcript.loads):
            found.setdefault(key[:_WORDS], step)
    return found


def _list_keys(one: JoinedUse) -> Iterator[tuple[Step, tuple[str, ...]]]:
    for step in one.use.steps:
        if step.call.name == "Bash" and step.call.agent == one.use.agent:
            for part in split(step.call.get("command")):
                key = parse_key(part)
                if is_specific(key) and not is_check(part) and not any("/" in word for word in key):
                    yield step, key


def _is_mentioned(key: tuple[str, ...], case: Case) -> bool:
    return " ".join(key) in case.skill.main.text
