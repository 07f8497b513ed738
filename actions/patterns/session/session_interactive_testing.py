"""Something new for users was added, and nobody tried it the way a user would.

What it sees: new commands, options or routes without a run of the program, a request to it, or a browser.
Why it is bad: unit tests pass while the thing does not start.
Instead: run it once as a user would, and look at what comes out.
May be wrong: it was tried outside the session.
"""

import re

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import bash, edit, user
from actions.session.runs import runs_tests
from actions.session.shell import Command

_TRIES = re.compile(
    r"^(?:curl|http|wget|httpie|xh|open|xdg-open|docker|kubectl|\./\S+|/\S+|python3?|node|ruby|deno|bun|go|cargo|tsx)$"
)
_QUIET = frozenset("build vet fmt mod get install check clippy lint add tidy test doc".split())

BAD = ((user("Add --json."), edit("cli.py", 'parser.add_argument("--json")'), bash("pytest -q", "4 passed in 0.1s")),)
GOOD = (
    (user("Add --json."), edit("cli.py", 'parser.add_argument("--json")'), bash("python cli.py --json", '{"ok": 1}')),
    (user("Fix the sum."), edit("core.py", "return a + b")),
)


def look(session: Session) -> Answer:
    """Find additions that nobody tried."""
    new = session.surfaces
    if not new:
        return clean("nothing new for users was added")
    after = (command for command in session.commands if command.record > new[0].record and command.ran)
    if tried := next(filter(_is_try, after), None):
        return clean("the new thing was run", Quote(tried.record, tried.text.split("\n")[0], tried.agent))
    if any("browser" in call.name or "playwright" in call.name for call in session.transcript.calls):
        return clean("it was tried in a browser")
    return found("something new for users was not tried", Quote(new[0].record, new[0].line, new[0].agent))


def _is_try(command: Command) -> bool:
    runs = (part for part in command.parts if _TRIES.match(part[0]) and not runs_tests(part))
    return any(len(part) < 2 or part[1] not in _QUIET for part in runs)
