"""Documents were written where documents do not belong.

What it sees: new Markdown or text files in the root of the project that are none of the usual ones.
Why it is bad: notes of one session pile up beside the README.
Instead: put them into the project's folder for documents, or leave them out.
May be wrong: the project keeps its documents there.
"""

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.edits import kind_of
from actions.session.example import user, write

_USUAL = frozenset(
    "readme changelog contributing license claude agents security code_of_conduct authors history news roadmap notice "
    "support governance maintainers todo gemini architecture install requirements robots llms humans codeowners".split()
)

BAD = ((user("Sum it up."), write("REFACTORING_SUMMARY.md", "# What I did")),)
GOOD = (
    (user("Sum it up."), write("docs/refactoring.md", "# What was done")),
    (user("Start it."), write("README.md", "# Tool")),
)


def look(session: Session) -> Answer:
    """Find misplaced documents."""
    new = [edit for edit in session.edits if edit.whole and session.in_root(edit.path)]
    stray = [edit for edit in new if kind_of(edit.path) == "docs" and not _is_usual(edit.path)]
    if stray:
        return found("documents were written into the root", *(Quote(e.record, e.path, e.agent) for e in stray[:3]))
    return clean("documents stand where they belong")


def _is_usual(path: str) -> bool:
    stem = path.rpartition("/")[2].partition(".")[0].lower()
    return stem.partition("-")[0] in _USUAL or stem in _USUAL
