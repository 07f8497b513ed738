"""A session runs a command that the text forbids.

It is:
- a command that the text forbids and that a session ran after loading the text (proven)
It is not:
- a command that is forbidden for one purpose only
- a command that the user asked for, or that did not run
- a command that ran after a compaction had removed the rule, or that no run uses any more since the text changed
Why it is bad: The run damages what the rule protects, and looks successful.
Instead: Name the alternative in the step that needs it, or deny the command in the settings or a hook.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.losses import find_forbidden_runs
from actions.history.wording import count_sessions, quote_text
from actions.patterns.pattern import LOADED_KINDS, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, bash, load, use, user

PATTERN = Pattern(
    "SES-004", ("loses", "every_run"), cause="ban", asks_model=False, kinds=LOADED_KINDS, from_sessions=True
)
_TEXT = "**NEVER** run these:\n\n- `berth edit` — loses the berth's log\n- `berth drop`\n\nUse `berth submit`.\n"
_REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
BAD = (
    Recorded(_TEXT, ((user("Moor."), load(), bash("berth edit 7 --name Tern", "ok")),)),
    Recorded("Never run `berth drop`.\n", ((user("Moor."), load(), bash("cd /quay && berth drop 7", "ok")),)),
)
GOOD = (
    Recorded(_TEXT, ((user("Moor."), load(), bash("berth submit 7", "ok")), (bash("berth edit 7", "ok"), load()))),
    Recorded(_TEXT, ((user("Run berth edit 7."), load(), bash("berth edit 7", "ok")),)),
    Recorded(_TEXT, ((user("Moor."), load(), bash("berth edit 7", _REFUSED, error=True)),)),
    Recorded(
        "Never use raw `berth api` calls for ropes.\n", ((load(), bash("berth api boats", "ok"), use("Read", "x")),)
    ),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the commands that sessions ran although the text forbids them."""
    for history, matches in find_forbidden_runs(case):
        if history.line and not history.is_fixed(matches, history.uses):
            count = len({match.use.session for match in matches})
            message = f"{quote_text(history.text)}, which this line forbids, ran in {count} of {count_sessions(history.uses)} sessions."
            occurrences = tuple(Occurrence(match.use.session, match.quote) for match in matches)
            severity = Severity.HIGH if count > 1 else Severity.MEDIUM
            yield Finding(case.skill.main_path, history.line, message, severity=severity, occurrences=occurrences)
