"""Find commands that a text does not mention, although many sessions run them while they follow the text."""

from collections.abc import Iterator, Sequence

import msgspec

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.commands import is_check, is_common, is_setup, is_specific, parse_key
from actions.history.facts import FactKind
from actions.history.joins import JoinedUse, join_uses, read_history
from actions.history.phrases import find_phrases, parse_phrase
from actions.memo import memoize
from actions.session.shell import split
from actions.session.transcript import Quote, Step

_MIN_SESSIONS, _MIN_SHARE, _FREQUENT_SHARE = 2, 0.5, 0.75
_MAX_COMMANDS = 20
"""Maximum number of commands to return."""
_KEY_WORDS = 4
"""Number of first words of commands to compare."""


class SharedCommand(msgspec.Struct, frozen=True, eq=False):
    """A command that several uses of a text ran and that the text does not mention.

    `steps` has the uses that ran it, each with the first step that ran it; `of` is the total number of uses.
    """

    text: str
    steps: Sequence[tuple[JoinedUse, Step]]
    of: int

    @property
    def sessions(self) -> int:
        """The number of sessions that ran it."""
        return len({use.use.session for use, _ in self.steps})

    @property
    def is_frequent(self) -> bool:
        """Whether at least three quarters of the uses ran it."""
        return len(self.steps) >= _FREQUENT_SHARE * self.of

    @property
    def places(self) -> Iterator[tuple[str, Quote]]:
        """The session and quote of the first step in each use."""
        return ((use.use.session, use.use.quote(step)) for use, step in self.steps)


class Habit(msgspec.Struct, frozen=True):
    """A command that the text does not mention, although `uses` uses in `sessions` sessions ran it.

    `session` and `record` say where it ran first. Records count from 1.
    """

    text: str
    uses: int
    sessions: int
    session: str
    record: int


def find_habits(case: Case) -> tuple[Habit, ...]:
    """Return the commands that at least half of the uses ran but no line of the text mentions, most frequent first."""
    return tuple(_to_habit(one) for one in find_shared(case))


def _to_habit(one: SharedCommand) -> Habit:
    use, step = one.steps[0]
    return Habit(one.text, len(one.steps), one.sessions, use.use.name, step.call.record + 1)


@memoize
def find_shared(case: Case) -> tuple[SharedCommand, ...]:
    """Return the commands that at least half of the uses, in two or more sessions, ran but the text does not mention.

    Commands that any session runs (git, ls, tests) are left out.
    """
    joined = join_uses(case)
    found = group_by_key((key, (one, step)) for one in joined for key, step in _list_commands(one).items())
    shared = (SharedCommand(" ".join(key), steps, len(joined)) for key, steps in found.items())
    often = [one for one in shared if one.sessions >= _MIN_SESSIONS and len(one.steps) >= _MIN_SHARE * one.of]
    named = find_phrases({parse_phrase(one.text) for one in often}, [(0, case.skill.main.text)])
    missing = [one for one in often if parse_phrase(one.text) not in named]
    return tuple(sorted(missing, key=lambda one: (-len(one.steps), one.text))[:_MAX_COMMANDS])


def find_line_before(shared: SharedCommand, case: Case) -> int | None:
    """Return the line of the current text that most uses carried out just before a command.

    Return None unless this is the same line in more than half of the uses; otherwise the command belongs after no
    particular line.
    """
    lines = {one.fact.identity: one.line for one in read_history(case)}
    found: list[int] = []
    for use, step in shared.steps:
        done = (hit for hit in reversed(use.hits) if hit.step.call.record < step.call.record)
        line = next((lines[hit.fact.identity] for hit in done if lines[hit.fact.identity]), None)
        found += [line] if line else []
    most = max(found, key=lambda line: (found.count(line), -line), default=0)
    return most if found.count(most) * 2 > len(shared.steps) else None


def _list_commands(one: JoinedUse) -> dict[tuple[str, ...], Step]:
    """Return the commands in a use that no loaded text mentions, each with the first step that ran it."""
    if not any(fact.kind is FactKind.COMMAND and fact.is_order for fact in one.use.facts):
        return {}  # a text without commands does not say how the work is done
    found: dict[tuple[str, ...], Step] = {}
    for step, key in _list_keys(one):
        found.setdefault(key[:_KEY_WORDS], step)
    phrases = {key: parse_phrase(" ".join(key)) for key in found}
    named = find_phrases(phrases.values(), ((load.record, load.text) for load in one.use.transcript.loads))
    return {key: step for key, step in found.items() if phrases[key] not in named}


def _list_keys(one: JoinedUse) -> Iterator[tuple[Step, tuple[str, ...]]]:
    for step in one.use.steps:
        if step.call.name == "Bash" and step.call.agent == one.use.agent:
            for part in split(step.call.get("command")):
                key = parse_key(part)
                is_usual = is_common(part) or is_check(part) or is_setup(key) or any("/" in word for word in key)
                if is_specific(key) and not is_usual:
                    yield step, key
