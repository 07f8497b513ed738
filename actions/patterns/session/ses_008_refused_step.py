"""A step in the text is refused.

It is:
- a command, tool or sub-agent in the text that the user or a permission rule refused in two sessions or more (proven)
It is not:
- a step that was refused once, or is no longer refused since the text changed
Why it is bad: Every run stops to ask, or continues without the step.
Instead: Leave the step to the user, ask before it, or allow its command in the settings.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.line_history import read_history
from actions.history.wording import count_sessions, quote_text
from actions.patterns.pattern import LOADED_KINDS, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, bash, load

PATTERN = Pattern("SES-008", ("every_run", "easy"), asks_model=False, kinds=LOADED_KINDS, from_sessions=True)
_TEXT = "```bash\nberth moor --fast\n```\n"
_WORDS = "The user doesn't want to proceed with this tool use. The tool use was rejected."
_REFUSED = bash("berth moor --fast", f"{_WORDS} To tell you how to proceed, the user said:\nslowly", error=True)
_DENIED = bash(
    "berth moor --fast", "Permission to use Bash with command berth moor --fast has been denied.", error=True
)
BAD = (
    Recorded(_TEXT, ((load(), _REFUSED), (load(), _REFUSED))),
    Recorded(_TEXT, ((load(), _DENIED), (load(), _REFUSED))),
)
GOOD = (
    Recorded(_TEXT, ((load(), _REFUSED), (load(), bash("berth moor --fast", "ok")))),
    Recorded(_TEXT, ((load(), bash("rm -r /quay", _WORDS, error=True)),) * 2),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the steps that were refused in several sessions."""
    for history in read_history(case):
        refused = [match for match in history.matches if match.is_refused]
        sessions = {match.use.session for match in refused}
        is_open = len(sessions) > 1 and not history.is_fixed(refused, history.attempted_uses)
        if history.line and is_open and history.kind in ("command", "tool", "agent", "skill"):
            message = f"{quote_text(history.text)} was refused in {len(sessions)} of {count_sessions(history.attempted_uses)} sessions that tried it."
            occurrences = tuple(Occurrence(match.use.session, match.refusal) for match in refused)
            yield Finding(
                case.skill.main_path, history.line, message, severity=Severity.MEDIUM, occurrences=occurrences
            )
