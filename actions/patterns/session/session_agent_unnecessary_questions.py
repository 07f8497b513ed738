"""The agent asked the user again and again.

What it sees: five or more calls of AskUserQuestion that did not fail. A question in prose is for a judge to read.
Why it is bad: each question costs the user a wait.
Instead: go on with what was asked for; ask where the answer changes what is done.
May be wrong: the user wanted to be asked.
"""

from actions.session.checker import Answer, Quote, Session, satisfied, unknown, violated
from actions.session.example import agent, use, user

ASK = "AskUserQuestion"
MANY = 5
"""Questions from which on a session is said to ask too much."""
_ASKED = use(ASK, "User has answered your questions: A", questions=[{"question": "A or B?"}])
BAD = ((user("Add the tests."), *[_ASKED] * MANY, agent("Done.")),)
GOOD = ((user("Add the tests."), agent("Done.")),)


def check(session: Session) -> Answer:
    """Count the questions; who was asked nothing and wrote once was not kept waiting."""
    asked = [call for call, result in session.transcript.steps if call.name == ASK and not (result and result.error)]
    if len(asked) >= MANY:
        return violated(f"the user was asked {len(asked)} times", *(Quote(c.record, ASK, c.agent) for c in asked[:3]))
    if not asked and len(session.transcript.prompts) <= 1:
        return satisfied("the user was not asked")
    return unknown("only a judge can tell whether a question was needed")
