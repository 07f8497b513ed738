"""A Python name whose double underscores were turned into bold type.

It is:
- `**init**.py`, `.**init**(` or the like in prose: a formatter took `__init__` outside of code for bold type (proven)
It is not:
- a bold word that is followed by a period and a space, or a name in a code span or a fence
- a name in a page that is copied from elsewhere
Low when:
- always: a model usually guesses the name
Why it is bad: The text names a file or a method that does not exist; a search for the right name does not find this text.
Instead: Put the name into a code span: `` `__init__.py` ``.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.regex import regex

PATTERN = Pattern(
    id="PRJ-044",
    impact=("easy",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.MEMORY, UnitKind.COMMAND, UnitKind.AGENT),
)
_NAMES = (
    "init|main|all|call|enter|exit|str|repr|slots|pycache|new|del|len|eq|hash|getattr|setattr|aenter|aexit|iter|next"
)
_BOLD = regex(rf"\*\*(?P<name>{_NAMES})\*\*(?P<after>\.py\b|\(|/)|\.\*\*(?P<method>{_NAMES})\*\*")
_MARKS = ("**.py", "**(", "**/", ".**")
"""Texts that are fast to search for. Every match contains one of them."""
BAD = (
    {"SKILL.md": "# Pack\n\n## **init**.py\n\nList the names.\n"},
    {"CLAUDE.md": "Call super().**init**(bird) first.\n"},
)
GOOD = (
    {"SKILL.md": "# Pack\n\n## `__init__.py`\n\nIn **main**. Then **all** (see below).\n"},
    {"SKILL.md": "# Pack\n\n```text\n**init**.py\n```\n\nNot `**init**.py`.\n"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the bold names of this unit."""
    for file in case.skill.instructions if case.skill.kind is UnitKind.SKILL else (case.skill.main,):
        lines = ((number, _BOLD.search(file.doc.line(number))) for number in file.doc.index.find(*_MARKS))
        matches = {number: match for number, match in lines if match}
        spans = [(span.line, span.text) for span in file.doc.spans] if matches else []
        for number in (number for number, _ in file.doc.prose if number in matches) if matches else ():
            match = matches[number]
            if not any(span_line == number and match[0] in text for span_line, text in spans):
                name = match["name"] or match["method"]
                message = f"`**{name}**` was `__{name}__`: outside of code, double underscores mean bold type."
                yield Finding(file.path, number, message, cause=name, is_shared=True)
