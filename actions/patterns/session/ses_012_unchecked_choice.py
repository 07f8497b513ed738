"""Runs choose a file without the check that should decide between the files.

It is:
- a file that two sessions or more read without looking at any of the files that the text lists above it as the check (proven)
It is not:
- a session in which a call or the user named one of the listed files
Low when:
- always: the file that was read may be the right one
Why it is bad: The run guesses what the text asks it to find out, and may follow the wrong file.
Instead: Let a command print the answer, or make the check a step of its own before the files.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.line_history import find_unchecked_reads
from actions.history.wording import quote_text
from actions.patterns.pattern import LOADED_KINDS, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, bash, load, use, user

PATTERN = Pattern("SES-012", ("every_run", "easy"), asks_model=False, kinds=LOADED_KINDS, from_sessions=True)
_TEXT = (
    "## Rope\n\nFind out which rope the boat has, by checking (in order):\n\n1. `boat.toml`\n2. `boat.cfg`\n\n"
    "Then load one:\n\n- Hemp: `ropes/hemp.md`\n- Wire: `ropes/wire.md`\n"
)
_READ = use("Read", "…", file_path="/skills/example/ropes/wire.md")
_LOOK = use("Read", "rope = wire", file_path="/boats/7/boat.toml")
BAD = (
    Recorded(_TEXT, ((load(), _READ), (load(), _READ))),
    Recorded(_TEXT, ((load(), _LOOK, _READ), (load(), _READ), (load(), bash("berth list"), _READ))),
)
GOOD = (
    Recorded(_TEXT, ((load(), _LOOK, _READ), (load(), _LOOK, _READ))),
    Recorded(_TEXT, ((load(), bash("cat boat.cfg", "wire"), _READ), (user("boat.toml says wire."), load(), _READ))),
    Recorded(_TEXT, ((load(), _READ),)),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the checks that sessions skipped."""
    for history, matches in find_unchecked_reads(case):
        count = len({match.use.session for match in matches})
        if history.line and count > 1 and not history.is_fixed(matches, history.uses):
            read = quote_text(matches[0].fact.text)
            message = f"{count} of {len(history.uses)} runs read {read}, or a file like it, without this check."
            occurrences = tuple(Occurrence(match.use.session, match.quote) for match in matches)
            yield Finding(case.skill.main_path, history.line, message, severity=Severity.LOW, occurrences=occurrences)
