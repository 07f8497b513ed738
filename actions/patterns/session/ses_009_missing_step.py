"""Runs repeat a command that the text does not mention.

It is:
- a command that the text does not mention, in at least three quarters of the runs and in two sessions or more (proven)
It is not:
- a command that is common in any session: git, ls, tests
- a command that another loaded skill or command mentions
- a command that also runs before the step where it seems to be missing
- a text without commands of its own
Low when:
- always: the runs found the command themselves
Why it is bad: Each run has to discover the command by trial and error, and the next one may not.
Instead: Write the command where the runs need it, or say how to do without it.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.habits import find_line_before, find_shared_commands
from actions.history.wording import quote_text
from actions.patterns.pattern import LOADED_KINDS, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, bash, load

PATTERN = Pattern("SES-009", ("every_run",), asks_model=False, kinds=LOADED_KINDS, from_sessions=True)
_TEXT = "```bash\nberth moor\n```\n"
_FAILS, _WAY = bash("berth moor", "Exit code 1\nno rope", error=True), bash("berth fetch-rope --long", "ok")
BAD = (
    Recorded(_TEXT, ((load(), _FAILS, _WAY), (load(), _FAILS, _WAY))),
    Recorded(_TEXT, ((load(), bash("berth moor", "ok"), _WAY),) * 3),
)
GOOD = (
    Recorded(_TEXT, ((load(), _FAILS, _WAY), (load(), _FAILS))),
    Recorded(_TEXT + "\nUse `berth fetch-rope` first.\n", ((load(), _FAILS, _WAY),) * 2),
    Recorded(_TEXT, ((load(), _FAILS, bash("git status", "clean")),) * 2),
    Recorded(_TEXT, ((load(), _WAY, bash("berth moor", "ok")),) * 2 + ((load(), bash("berth moor", "ok"), _WAY),)),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the commands that many runs need but the text does not mention, each at the line after which they run."""
    for shared in find_shared_commands(case):
        if shared.is_frequent and (line := find_line_before(shared, case)):
            runs = f"{len(shared.steps)} of {shared.total} runs"
            message = f"{runs} ran {quote_text(shared.text)} after this line; the text does not mention it."
            occurrences = tuple(Occurrence(session, quote) for session, quote in shared.places)
            yield Finding(case.skill.main_path, line, message, severity=Severity.LOW, occurrences=occurrences)
