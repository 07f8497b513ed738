"""Stubs were left in the code.

It is:
- an added line of code with a comment that begins with TODO, FIXME, XXX or "placeholder", or promises an implementation later
- added code that only raises "not implemented", or a function on one line that does nothing
It is not:
- a line that a later edit removed
- a marker that the project's own rules ask for
Why it is bad: The code claims to do something that it does not do.
Instead: Implement it, or leave it out and say so.
"""

import posixpath
from collections.abc import Sequence

from actions.patterns.session_pattern import SessionPattern
from actions.regex import regex
from actions.session.answer import Answer, answer_satisfied, answer_unknown, answer_violated
from actions.session.edits import Edit
from actions.session.example import agent, edit, user, write
from actions.session.hinted import find_hinted, select_hints
from actions.session.session import Session
from actions.session.shell import list_removed_words
from actions.session.staging import map_removed_paths
from actions.session.stubs import Stub, find_stubs
from actions.session.transcript import Quote
from schemas.family import Family

PATTERN = SessionPattern("philosophy_compliance", Family.AGENT)
_MAX_NAMED = 5
_HINT_WORDS = regex(
    r"(?i)\b(?:placeholders?|stub(?:s|bed)?|not (?:yet )?implemented|for now|temporar(?:y|ily)|dummy|until the|hardcoded|fixme|todo)\b"
)
"""Words in added code that make the verdict unknown, because only a model can tell a stub from a text about one."""
_HINTS = (
    "placeholder",
    "stub",
    "implemented",
    "for now",
    "temporar",
    "dummy",
    "until the",
    "hardcoded",
    "fixme",
    "todo",
)
_STUB_REQUESTS = ("todo", "fixme", "stub", "placeholder", "not implemented", "notimplemented")
"""Words of the user that make the verdict unknown, because the user may want the stub."""
BAD = (
    (user("Add a cache."), edit("cache.py", "def get(key):\n    # TODO: look into the second level\n    return None")),
    (user("Add it."), write("a.py", "def load(path: str) -> None:\n    raise NotImplementedError\n"), agent("Done.")),
)
GOOD = (
    (user("Add it."), edit("a.py", "# TODO: cache\nx = 1"), edit("a.py", "x = cached(1)", "# TODO: cache\nx = 1")),
    (user("Leave a TODO for the cache."), edit("a.py", "# TODO: cache\nx = 1")),
)


def check(session: Session) -> Answer:
    """Find stubs that the session added and left in code other than tests."""
    code = session.production_edits
    stubs = [stub for stub in find_stubs(code) if not _is_removed(session, stub)]
    if not code:
        return answer_satisfied(
            "only tests were changed; they are not searched for stubs"
            if session.code_edit
            else "the records show no code changes"
        )
    hints = select_hints(_HINTS, (edit.added for edit in code))
    if not stubs and hints and any(_adds_hint(edit, hints) for edit in code):
        return answer_unknown(
            "the added code mentions something provisional; only a judge can tell whether it is unfinished"
        )
    if not stubs:
        return answer_satisfied("no added line of code is marked as unfinished")
    words = {word.rpartition("/")[2] for word in list_removed_words(session.commands)}
    if all(stub.path.rpartition("/")[2] in words for stub in stubs):
        return answer_unknown("a command may have removed the code that is marked as unfinished")
    if any(word in session.user_requests for word in _STUB_REQUESTS):
        return answer_unknown("code is marked as unfinished; only a judge can tell whether the user wanted that")
    places = "; ".join(f"{stub.path.rpartition('/')[2]}: {stub.line.strip()}" for stub in stubs[:_MAX_NAMED])
    quotes = [Quote(stub.record, stub.line, stub.agent) for stub in stubs[:_MAX_NAMED]]
    return answer_violated(f"stubs were left: {places}", *quotes)


def _adds_hint(edit: Edit, hints: Sequence[str]) -> bool:
    """Return whether an edit adds a line with a word that may mark unfinished code. Lines of the old text do not count."""
    matches = find_hinted(_HINT_WORDS, hints, edit.added)
    return any(match.string.partition("\n")[0].strip() not in edit.removed for match in matches)


def _is_removed(session: Session, stub: Stub) -> bool:
    """Return whether a command certainly removed the file of a stub after the stub was written."""
    path = posixpath.normpath(posixpath.join(session.transcript.cwd, stub.path))
    return map_removed_paths(session).get(path, -1) > stub.record
