"""Runs do the steps in a different order from that of the text.

It is:
- a command of a numbered step that first ran after a command of a later step, in two sessions or more (proven)
It is not:
- a command that ran again later
- a command of a new pass: the run went back to the step with which it had begun, and did the later step again
- commands under a condition, or outside of numbered steps
Low when:
- always: the steps were done, only in a different order
Why it is bad: A check that runs too late is useless. If the order does not matter, the text should not prescribe one.
Instead: Say why the order matters where the later step begins, or renumber the steps in the order that works.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.line_history import find_late_commands
from actions.history.wording import quote_text
from actions.patterns.pattern import LOADED_KINDS, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, bash, load

PATTERN = Pattern("SES-006", ("every_run", "easy"), asks_model=False, kinds=LOADED_KINDS, from_sessions=True)
_TEXT = "## Step 1: Sound\n\n```bash\nberth sound\n```\n\n## Step 2: Moor\n\n```bash\nberth moor\n```\n"
_SOUND, _MOOR = bash("berth sound", "3 m"), bash("berth moor", "ok")
BAD = (
    Recorded(_TEXT, ((load(), _MOOR, _SOUND), (load(), _MOOR, _SOUND))),
    Recorded(_TEXT, ((load(), _SOUND, _MOOR), (load(), _MOOR, _SOUND), (load(), _MOOR, _SOUND))),
)
GOOD = (
    Recorded(_TEXT, ((load(), _SOUND, _MOOR, _SOUND), (load(), _SOUND, _MOOR, _SOUND))),
    Recorded(_TEXT, ((load(), _MOOR, _SOUND),)),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the commands that sessions ran after a later step."""
    for history, late_matches in find_late_commands(case):
        matches = dict.fromkeys(late.match for late in late_matches)
        count = len({match.use.session for match in matches})
        if history.line and count > 1 and not history.is_fixed(matches, history.executed_uses):
            later_step = quote_text(late_matches[0].later_step.fact.text)
            runs = f"{count} of {len(history.executed_uses)} runs"
            message = f"{quote_text(history.text)} ran after a later step, such as {later_step}, in {runs}."
            occurrences = tuple(Occurrence(match.use.session, match.quote) for match in matches)
            yield Finding(case.skill.main_path, history.line, message, severity=Severity.LOW, occurrences=occurrences)
