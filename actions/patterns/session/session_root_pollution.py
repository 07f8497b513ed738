"""Files that served the work were left in the root of the project.

What it sees: new files in the root whose names say that they are temporary: test_x.py, debug.log, scratch.sh, out.json.
Why it is bad: they get committed, or they puzzle the next reader.
Instead: remove them, or write them outside the project.
May be wrong: the project keeps its scripts there.
"""

import re

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.example import bash, user, write

_TEMPORARY = re.compile(
    r"(?:^|[_.-])(?:tmp|temp|scratch|debug|test|try|demo|sample|output|out|old|backup|bak|copy|verify|check|fix|repro)"
    r"(?:[_.-]|\d*$)|\.(?:log|tmp|bak|orig|out)$", re.I
)  # fmt: skip
_USUAL = re.compile(
    r"(?:config|conf|setup|requirements|\.env|conftest|ignore|jest|vitest|playwright|tsconfig|docker)", re.I
)

BAD = ((user("Find the bug."), write("debug_parser.py", "print(1)")),)
GOOD = (
    (user("Find it."), write("debug_parser.py", "print(1)"), bash("python debug_parser.py && rm debug_parser.py")),
    (user("Set it up."), write("vitest.config.ts", "export default {}")),
)


def look(session: Session) -> Answer:
    """Find left-over files."""
    new = {e.path: e for e in session.edits if e.whole and session.in_root(e.path)}
    stray = [edit for path, edit in new.items() if _is_temporary(path.rpartition("/")[2])]
    gone = " ".join(command.text for command in session.commands if "rm " in command.text or "mv " in command.text)
    left = [edit for edit in stray if edit.path.rpartition("/")[2] not in gone]
    if left:
        return found("temporary files were left in the root", *(Quote(e.record, e.path, e.agent) for e in left[:3]))
    return clean("no temporary file was left in the root")


def _is_temporary(name: str) -> bool:
    return _TEMPORARY.search(name) is not None and _USUAL.search(name) is None
