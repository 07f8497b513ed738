"""A compaction removes a rule or a step from the context, and the run then breaks the rule or skips the step.

It is:
- a command that the text forbids, run after a compaction that left nothing of the rule in the context (proven)
- a step that two sessions or more skipped after such a compaction, although they did a later step (proven)
It is not:
- a rule or a step that Claude Code attached again after the compaction
- a step that was also skipped before the compaction
- a rule or a step that is now before the cut, or that was followed after compactions since the text changed
Why it is bad: Long runs lose the end of the text without a message, and finish as if they had followed it.
Instead: Move the rule before the place where Claude Code cuts the text, or let the step read it again from a file.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.losses import find_losses
from actions.history.wording import quote_text
from actions.patterns.pattern import LOADED_KINDS, Family, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, agent, bash, compact, load

PATTERN = Pattern(
    "SES-005",
    ("loses", "every_run"),
    cause="ban",
    asks_model=False,
    other_family=Family.MEMORY,
    kinds=LOADED_KINDS,
    from_sessions=True,
)
_TEXT = (
    "Never run `berth drop`.\n\n## Step 1: List\n\n```bash\nberth list\n```\n\n"
    "## Step 2: Log\n\n```bash\nberth log --all\n```\n\n## Step 3: Moor\n\n```bash\nberth moor\n```\n"
)
_LIST, _LOG, _MOOR = bash("berth list", "3"), bash("berth log --all", "ok"), bash("berth moor", "ok")
_DROP = bash("berth drop 3", "ok")
BAD = (
    Recorded(_TEXT, ((load(), _LIST, compact(), _DROP, _MOOR),)),
    Recorded(_TEXT, ((load(), _LIST, compact(), _MOOR), (load(), _LIST, compact(), _MOOR, agent("Moored.")))),
)
GOOD = (
    Recorded(_TEXT, ((load(), _LIST, compact(), _LOG, _MOOR), (load(), _LIST, _LOG, compact(), _MOOR))),
    Recorded(_TEXT, ((load(), _LIST, _MOOR), (load(), _LIST, _MOOR))),
    Recorded(_TEXT, ((load(), _LIST, compact(), _MOOR),)),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the rules that runs broke and the steps that they skipped after a compaction."""
    for loss in find_losses(case):
        history, is_forbidden = loss.history, loss.history.fact.is_forbidden
        is_open = loss.sessions >= (1 if is_forbidden else 2) and not loss.is_fixed
        if history.line and is_open:
            effect = f"then {'broken' if is_forbidden else 'left out'} in {loss.sessions} of {len(history.uses)} runs"
            message = f"{quote_text(history.text)} was lost in a compaction and {effect}."
            occurrences = tuple(Occurrence(match.use.session, match.quote) for match in loss.matches)
            yield Finding(case.skill.main_path, history.line, message, severity=Severity.HIGH, occurrences=occurrences)
