"""The last answer lists steps that the agent could still do itself.

What it sees: a heading such as "Next steps" or "Remaining work" with a list under it in the last answer.
Why it is bad: work is named and left to the user who asked for it.
Instead: do the steps, or leave out what is not wanted.
May be wrong: the steps need the user: a decision, a right, a machine. Words such as "you", "optional" tell that.
"""

import re

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import agent, edit, user

_HEADING = re.compile(
    r"^[ \t#*_>-]{0,8}(?:next steps?|remaining (?:work|tasks?|steps?|items?)|still to (?:do|be done)|to be done"
    r"|left to do|follow-?ups?|what(?:'s| is) (?:left|next))\b[^\n]{0,40}$", re.I | re.M
)  # fmt: skip
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|\[ \])\s+\S")
_FOR_USER = re.compile(
    r"\b(?:you|your|optional(?:ly)?|if (?:needed|desired|wanted)|future|later|when ready|out of scope|manual(?:ly)?|deploy"
    r"|merge|push|publish|release|wait|review|re-review|approve)\b|\?", re.I
)  # fmt: skip

_LEFT = "Half is ported.\n\n**Remaining work:**\n1. Port the store\n2. Port the cli"
BAD = (
    (user("Add login."), edit("login.py", "x"), agent("Login is added.\n\n## Next steps\n- Add the tests\n")),
    (user("Port it."), edit("a.go", "x"), agent(_LEFT)),
)
GOOD = (
    (user("Add it."), edit("a.py", "x"), agent("Added.\n\n## Next steps\n- You may want to set your API key\n")),
    (user("Add it."), edit("a.py", "x"), agent("Added.\n\nNext steps (optional):\n- a dark theme\n")),
)


def look(session: Session) -> Answer:
    """Find steps left over."""
    text = session.last_answer.quote
    heading = _HEADING.search(text)
    if heading is None:
        return clean("the last answer leaves no steps")
    items: list[str] = []
    for line in text[heading.end() :].strip("\n").split("\n"):
        if not _ITEM.match(line):
            if line.strip() and items:
                break
            continue
        items.append(line.strip())
    own = [item for item in items if not _FOR_USER.search(item)]
    if not own or _FOR_USER.search(heading[0]):
        return clean("the last answer leaves no steps to the agent")
    quotes = [Quote(session.last_answer.record, words) for words in (heading[0], *own[:3])]
    return found(f"{len(own)} steps are left over", *quotes)
