"""A file that the text imports with `@` is not loaded with it.

It is:
- an `@file` that is still in the text as the session loaded it, and that two sessions or more then read by hand (proven)
It is not:
- an `@file` that Claude Code replaced with the content
Low when:
- always: the runs read the file themselves
Why it is bad: The text relies on a file that is not loaded; each run must notice that and read it, or continues without it.
Instead: Write "Read `file` first", or put what every run needs into the text.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.line_history import read_history
from actions.history.wording import count_sessions, quote_text
from actions.patterns.pattern import LOADED_KINDS, Family, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, load, use

PATTERN = Pattern(
    "SES-011",
    ("every_run", "easy"),
    asks_model=False,
    other_family=Family.CONTEXT,
    kinds=LOADED_KINDS,
    from_sessions=True,
)
_TEXT = "# Knots (always loaded)\n\n@knots.md\n\nTie the boat.\n"
_READ = use("Read", "…", file_path="/skills/example/knots.md")
BAD = (
    Recorded(_TEXT, ((load(), _READ), (load(), _READ))),
    Recorded(_TEXT, ((load(), _READ), (load(),), (load(), _READ))),
)
GOOD = (
    Recorded(_TEXT, ((load(), _READ), (load(),))),
    Recorded(_TEXT, ((load(), use("Read", "…", file_path="/skills/example/other.md")),) * 2),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the imports that were not loaded, so that runs had to read them."""
    for history in read_history(case):
        reads = [match for match in history.matches if match.step.call.name == "Read" and not match.failure]
        count = len({match.use.session for match in reads})
        if history.kind == "import" and history.line and count > 1:
            message = f"{quote_text(history.text)} is not loaded with the text: {count} of {count_sessions(history.uses)} sessions read it by hand."
            occurrences = tuple(Occurrence(match.use.session, match.quote) for match in reads)
            yield Finding(case.skill.main_path, history.line, message, severity=Severity.LOW, occurrences=occurrences)
