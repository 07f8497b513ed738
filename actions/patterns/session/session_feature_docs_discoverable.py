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
    lost = [edit for edit in new if not _is_linked(edit, session)]
    if lost:
        return found("a new page is linked from nowhere", *(Quote(e.record, e.path, e.agent) for e in lost[:3]))
    return clean("every new page is linked" if new else "no page was written")


def _is_page(edit: Edit) -> bool:
    *folders, name = edit.path.lower().split("/")
    is_public = name not in _STANDING and not any(folder.startswith(".") for folder in folders)
    return is_public and kind_of(edit.path) == "docs" and edit.path.endswith((".md", ".mdx", ".rst"))


def _is_linked(page: Edit, session: Session) -> bool:
    name = page.path.rpartition("/")[2].rpartition(".")[0]
    return any(name in edit.added for edit in session.edits if edit.path != page.path)
