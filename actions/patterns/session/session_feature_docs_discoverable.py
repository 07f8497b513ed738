"""A new documentation page is linked from nowhere.

What it sees: a documentation file that was written anew, and no other edited file names it.
Why it is bad: nobody finds the page.
Instead: link it from the README or the index of the documentation.
May be wrong: the pages are collected by a tool.
"""

from actions.session.checker import Answer, Quote, Session, clean, found
from actions.session.edits import Edit, kind_of
from actions.session.example import edit, user, write

_STANDING = frozenset(
    "readme.md changelog.md claude.md agents.md contributing.md license.md skill.md index.md todo.md plan.md".split()
)

BAD = ((user("Document it."), write("docs/export.md", "# Export")),)
GOOD = (
    (user("Document it."), write("docs/export.md", "# Export"), edit("README.md", "See [export](docs/export.md).")),
    (user("Document it."), write("README.md", "# Tool")),
    (user("Plan it."), write("/tmp/plan.md", "# Plan")),
)


def look(session: Session) -> Answer:
    """Find pages that nothing links."""
    new = [edit for edit in session.edits if edit.whole and _is_page(edit)]
    lost = [
        edit
        for edit in new
        if not any(_name(edit) in other.added for other in session.edits if other.path != edit.path)
    ]
    if lost:
        return found(
            "a new page is linked from nowhere", *(Quote(edit.record, edit.path, edit.agent) for edit in lost[:3])
        )
    return clean("every new page is linked" if new else "no page was written")


def _is_page(edit: Edit) -> bool:
    return (
        kind_of(edit.path) == "docs" and edit.path.endswith((".md", ".mdx", ".rst")) and _is_public(edit.path.lower())
    )


def _is_public(path: str) -> bool:
    hidden = any(part.startswith(".") for part in path.split("/")[:-1])
    return not hidden and path.rpartition("/")[2] not in _STANDING


def _name(edit: Edit) -> str:
    return edit.path.rpartition("/")[2].rpartition(".")[0]
