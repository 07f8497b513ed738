"""The text uses a field that the output of its command does not have.

It is:
- a field that the text says is returned, and that the JSON output of the command before it lacked in every run (proven)
It is not:
- an output that failed, or that is not JSON
Low when:
- only one session shows it
Why it is bad: The run continues without the value, or makes one up.
Instead: Spell the field as the command does, or remove the instruction.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.line_history import read_history
from actions.history.wording import count_sessions, quote_text
from actions.patterns.pattern import LOADED_KINDS, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, bash, load

PATTERN = Pattern("SES-010", ("every_run", "easy"), asks_model=False, kinds=LOADED_KINDS, from_sessions=True)
_TEXT = "```bash\nberth list --json\n```\n\nUse the returned `ropes` to moor.\n"
_LACKS, _HAS = (
    bash("berth list --json", '{"boats": [], "quay": 3}'),
    bash("berth list --json", '{"boats": [{"ropes": 2}]}'),
)
BAD = (Recorded(_TEXT, ((load(), _LACKS),)), Recorded(_TEXT, ((load(), _LACKS), (load(), _LACKS))))
GOOD = (
    Recorded(_TEXT, ((load(), _HAS),)),
    Recorded(_TEXT, ((load(), _LACKS), (load(), _HAS))),
    Recorded(_TEXT, ((load(), bash("berth list --json", "no boats")),)),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the fields that no output of their command had."""
    for history in read_history(case):
        if (
            history.kind == "field"
            and history.line
            and history.failures
            and len(history.failures) == len(history.matches)
        ):
            count = count_sessions(history.failed_uses)
            runs = f"{len(history.matches)} of {len(history.matches)} outputs"
            message = f"The output of the preceding command has no field {quote_text(history.text)} ({runs})."
            occurrences = tuple(Occurrence(match.use.session, match.quote) for match in history.failures)
            severity = Severity.MEDIUM if count > 1 else Severity.LOW
            yield Finding(case.skill.main_path, history.line, message, severity=severity, occurrences=occurrences)
