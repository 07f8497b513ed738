"""A skill was called and could not be loaded.

It is:
- a call of the Skill tool that failed and did not succeed later
It is not:
- a skill whose file the agent read instead
- a skill that a loaded text names: only a model can tell whether the session needed it
Why it is bad: The work continues without the skill's rules.
Instead: Load it under its full name (plugin:skill), or tell the user that it is missing.
"""

from actions.patterns.session_pattern import SessionPattern
from actions.regex import regex
from actions.session.answer import Answer, answer_satisfied, answer_unknown, answer_violated
from actions.session.example import agent, use, user
from actions.session.session import Session
from actions.session.transcript import Quote
from schemas.family import Family

PATTERN = SessionPattern("skill_invocation", Family.AGENT)
_SKILL_REQUEST = regex(
    r"skill|(?:^|\s)/(?!(?:clear|compact|exit|help|model|quit|resume|status)\b)[a-z][\w:-]+(?:\s|$)|\buse the \S+ (?:plugin|agent)"
)
_FAILED = use("Skill", "Unknown skill: pdf-tools", error=True, skill="pdf-tools")
BAD = ((user("Go."), _FAILED, agent("I go on.")),)
GOOD = ((user("Use it."), _FAILED, use("Skill", "Launching skill: docs:pdf-tools", skill="docs:pdf-tools")),)


def check(session: Session) -> Answer:
    """Find skills that could not be loaded."""
    loaded: set[str] = set()
    failed: dict[str, Quote] = {}
    for call, result in session.transcript.steps:
        if call.name == "Skill" and result is not None and not result.is_refused:
            name = (call.get("skill") or call.get("command")).rpartition(":")[2]
            if result.is_error:
                failed[name] = Quote(result.record, result.text.split("\n")[0], call.agent)
            else:
                loaded.add(name)
    quotes = [quote for name, quote in failed.items() if name not in loaded]
    if quotes:
        return answer_violated("a skill could not be loaded", *quotes[:3])
    if loaded:
        return answer_satisfied("every called skill was loaded")
    if _SKILL_REQUEST.search(session.user_texts):
        return answer_unknown("only a judge can tell whether a skill was asked for")
    return answer_satisfied("no skill call failed, and the user named no skill")
