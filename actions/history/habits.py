"""Find commands that many uses of a text run although the text does not mention them."""

from collections.abc import Iterator, Sequence

import msgspec

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.commands import is_check, is_common, is_setup, is_specific, parse_key
from actions.history.facts import FactKind
from actions.history.line_history import read_history
from actions.history.matched_uses import MatchedUse, match_uses
from actions.history.phrases import find_phrases, parse_phrase
from actions.memo import memoize
from actions.session.shell import split_commands
from actions.session.transcript import Quote, Step

_MIN_SESSIONS, _MIN_SHARE, _FREQUENT_SHARE = 2, 0.5, 0.75
_MAX_COMMANDS = 20
"""Maximum number of commands to return."""
_KEY_WORDS = 4
"""Number of leading words by which commands are compared."""


class SharedCommand(msgspec.Struct, frozen=True, eq=False):
    """A command that several uses of a text ran although the text does not mention it.

    steps: each use that ran the command, with the first step that ran it. total: the number of all uses of the text.
    """

    text: str
    steps: Sequence[tuple[MatchedUse, Step]]
    total: int

    @property
    def sessions(self) -> int:
        """The number of sessions that ran the command."""
        return len({matched.use.session for matched, _ in self.steps})

    @property
    def is_frequent(self) -> bool:
        """Whether at least three quarters of the uses ran the command."""
        return len(self.steps) >= _FREQUENT_SHARE * self.total

    @property
    def places(self) -> Iterator[tuple[str, Quote]]:
        """The session and a quote of the first step, for each use that ran the command."""
        return ((matched.use.session, matched.use.quote(step)) for matched, step in self.steps)


class Habit(msgspec.Struct, frozen=True):
    """A command that agents often run while they use a text, although the text does not mention it.

    uses: the number of uses that ran the command. sessions: the number of sessions with such a use. session, record:
    where it was first run; records are counted from 1.
    """

    text: str
    uses: int
    sessions: int
    session: str
    record: int


def find_habits(case: Case) -> tuple[Habit, ...]:
    """Return the commands of `find_shared_commands` as habits, most frequent first."""
    return tuple(_build_habit(command) for command in find_shared_commands(case))


def _build_habit(command: SharedCommand) -> Habit:
    matched, step = command.steps[0]
    return Habit(command.text, len(command.steps), command.sessions, matched.use.name, step.call.record + 1)


@memoize
def find_shared_commands(case: Case) -> tuple[SharedCommand, ...]:
    """Return the commands that at least half of the uses ran although the text does not mention them.

    The uses must be from at least two sessions. Commands that any session may run (git, ls, tests) are left out.
    """
    uses = match_uses(case)
    steps_by_key = group_by_key((key, (use, step)) for use in uses for key, step in _list_commands(use).items())
    commands = [SharedCommand(" ".join(key), steps, len(uses)) for key, steps in steps_by_key.items()]
    shared = [c for c in commands if c.sessions >= _MIN_SESSIONS and len(c.steps) >= _MIN_SHARE * c.total]
    mentioned = find_phrases({parse_phrase(command.text) for command in shared}, [(0, case.skill.main.text)])
    missing = [command for command in shared if parse_phrase(command.text) not in mentioned]
    return tuple(sorted(missing, key=lambda command: (-len(command.steps), command.text))[:_MAX_COMMANDS])


def find_line_before(command: SharedCommand, case: Case) -> int | None:
    """Return the line after which the current text should mention a command, or None.

    More than half of the uses carried out this line just before the command.
    """
    lines = {history.fact.identity: history.line for history in read_history(case)}
    lines_before: list[int] = []
    for matched, step in command.steps:
        earlier = (match for match in reversed(matched.matches) if match.step.call.record < step.call.record)
        line = next((lines[match.fact.identity] for match in earlier if lines[match.fact.identity]), None)
        lines_before += [line] if line else []
    most_frequent = max(lines_before, key=lambda line: (lines_before.count(line), -line), default=0)
    return most_frequent if lines_before.count(most_frequent) * 2 > len(command.steps) else None


def _list_commands(matched: MatchedUse) -> dict[tuple[str, ...], Step]:
    """Return the commands in a use that no loaded text mentions, each with the first step that ran it."""
    if not any(fact.kind is FactKind.COMMAND and fact.is_order for fact in matched.use.facts):
        return {}  # a text without commands leaves the choice of commands to the session
    first_steps: dict[tuple[str, ...], Step] = {}
    for step, key in _list_command_keys(matched):
        first_steps.setdefault(key[:_KEY_WORDS], step)
    phrases = {key: parse_phrase(" ".join(key)) for key in first_steps}
    mentioned = find_phrases(phrases.values(), ((load.record, load.text) for load in matched.use.transcript.loads))
    return {key: step for key, step in first_steps.items() if phrases[key] not in mentioned}


def _list_command_keys(matched: MatchedUse) -> Iterator[tuple[Step, tuple[str, ...]]]:
    for step in matched.use.steps:
        if step.call.name == "Bash" and step.call.agent == matched.use.agent:
            for part in split_commands(step.call.get("command")):
                key = parse_key(part)
                is_usual = is_common(part) or is_check(part) or is_setup(key) or any("/" in word for word in key)
                if is_specific(key) and not is_usual:
                    yield step, key
