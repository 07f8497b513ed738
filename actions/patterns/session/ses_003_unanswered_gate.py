"""An unattended session ends at a question that the text says to ask.

It is:
- a session in which no one could answer and whose last message asks for the approval or choice that the text requires (proven)
It is not:
- a question that the text does not require
- a session in which a user could answer
Why it is bad: The work stops halfway, and no one learns why.
Instead: Say what to do without a user: continue with a default, or stop with a summary of what is left.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.gates import find_unanswered_gates
from actions.history.wording import quote_text
from actions.patterns.pattern import LOADED_KINDS, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, agent, bash, headless, load, user

PATTERN = Pattern("SES-003", ("blocks", "easy"), asks_model=False, kinds=LOADED_KINDS, from_sessions=True)
_TEXT = "Moor each boat. Before casting off a boat, show the plan and wait for approval of the harbour master.\n"
_ASKS = agent("The plan: cast off boat 3. I wait for your approval of the harbour plan. Shall I go on?")
_CHOICE = "Let the user choose for each boat:\n\n- **Hoist**: hoist its sail\n- **Row**: row it home\n"
BAD = (
    Recorded(_TEXT, ((headless(), user("Cast off."), load(), bash("berth list", "3"), _ASKS),)),
    Recorded(f"{_TEXT}\n- Always ask the user which rope.\n", ((headless(), load(), bash("berth list", "3"), _ASKS),)),
    Recorded(
        _CHOICE, ((headless(), load(), bash("berth list", "3"), agent("Boat 3: hoist the sail or row it home?")),)
    ),
)
GOOD = (
    Recorded(_TEXT, ((user("Cast off."), load(), bash("berth list", "3"), _ASKS),)),
    Recorded(_TEXT, ((headless(), user("Cast off."), load(), bash("berth list", "3"), agent("Done. Anything else?")),)),
    Recorded(_TEXT, ((headless(), user("Cast off."), load(), _ASKS, user("Yes."), agent("Done.")),)),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the approvals and choices at which unattended sessions ended."""
    for gate in find_unanswered_gates(case):
        count = len({stop.session for stop in gate.stops})
        sessions = f"{count} sessions" if count > 1 else "A session"
        message = f"{sessions} without a user ended at this approval: {quote_text(gate.text)}."
        occurrences = tuple(Occurrence(stop.session, stop.quote) for stop in gate.stops)
        severity = Severity.HIGH if count > 1 else Severity.MEDIUM
        yield Finding(case.skill.main_path, gate.line, message, severity=severity, occurrences=occurrences)
