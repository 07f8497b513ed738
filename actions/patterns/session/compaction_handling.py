"""A compaction lost what the session still needed.

It is:
- an objective, an open todo item or a recent turn from before a compaction that neither the summary nor a later record repeats
It is not:
- something that was already done or is no longer wanted
Why it is bad: The agent continues without knowing what to do.
Instead: Restate the objective, write the todo list again, and reread the files of the last turns.
"""

from actions.patterns.session_pattern import SessionPattern
from actions.session.answer import Answer, answer_satisfied, answer_violated
from actions.session.example import agent, todos, user
from actions.session.session import Session
from actions.session.transcript import Quote
from schemas.family import Family

PATTERN = SessionPattern("compaction_handling", Family.MEMORY)
_BEFORE = (
    user("Write an exporter for invoices with a golden test."),
    todos(Write_the_exporter="completed", Add_the_golden_test="pending"),
    {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 9}},
)
_INCOMPLETE, _COMPLETE = (
    "The exporter for invoices was written.",
    "Goal: an exporter for invoices.\nPending: add the golden test",
)
BAD = ((*_BEFORE, {"isCompactSummary": True, "message": user(_INCOMPLETE)}, agent("Everything is done.")),)
GOOD = (
    (user("Hello"), agent("Hello")),
    (*_BEFORE, {"isCompactSummary": True, "message": user(_COMPLETE)}, agent("Next I add the golden test.")),
)


def check(session: Session) -> Answer:
    """Find what a compaction lost: from the recorded event or, if there is none, from the transcript."""
    if session.compaction_answer is not None:
        return session.compaction_answer
    all_losses = [loss for _, losses in session.losses for loss in losses]
    if all_losses:
        quotes = (Quote(loss.record, loss.quote) for loss in all_losses if loss.quote)
        steps = dict.fromkeys(step for loss in all_losses for step in loss.recovery)
        return answer_violated("; ".join(loss.warning for loss in all_losses), *quotes, steps=steps)
    return answer_satisfied("nothing was lost at a compaction" if session.losses else "no summary replaced the history")
