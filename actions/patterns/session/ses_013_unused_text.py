"""Runs pay for text that they do not use.

It is:
- a file that two sessions or more read whole because of a line of the text, and none of whose names occurs afterwards (proven)
- the last numbered steps, if they have 500 tokens or more and none of at least three runs did any of them (proven)
It is not:
- a file that a run read only in part, or after which it stopped
- steps with a command, file, skill or agent that occurs in a run
Low when:
- the file has fewer than 2,000 tokens
- the unused text is not a file but the last steps
Why it is bad: Every run pays for the text, and what matters is further from the model's attention.
Instead: Say at the reference when the file is needed. Move steps that few runs reach into a file.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.unused import find_unreached_steps, find_unused_files
from actions.history.wording import quote_text
from actions.patterns.pattern import LOADED_KINDS, Family, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, agent, bash, load, use

PATTERN = Pattern(
    "SES-013", ("every_run",), asks_model=False, other_family=Family.TOKENS, kinds=LOADED_KINDS, from_sessions=True
)
_MIN_MEDIUM_TOKENS = 2_000
"""Minimum number of tokens at which an unused file is of medium severity."""
_TEXT = "# Moor\n\nRead `references/knots.md` first.\n\n```bash\nberth moor\n```\n"
_KNOTS = "# Bowline and hitches\n\n```bash\nknots splice --rope hemp --length\n```\n\n`clove` `sheet` `figure` `reef` `cleat` `anchor`\n"
_FILES = {"references/knots.md": _KNOTS}
_READ = use("Read", "…", file_path="/skills/example/references/knots.md")
_WORK = tuple(bash(f"berth moor {n}", "ok") for n in range(3))
_STEPS = "".join(
    f"## Step {n}: Sail\n\n```bash\nberth sail-{n} --now\n```\n\n{'Keep the wind from abeam. ' * 40}\n\n"
    for n in range(1, 5)
)
_SAIL = (load(), bash("berth sail-1 --now", "ok"), agent("Sailed."))
BAD = (
    Recorded(_TEXT, ((load(), _READ, *_WORK, agent("Moored.")),) * 2, _FILES),
    Recorded(_STEPS, (_SAIL,) * 3),
)
GOOD = (
    Recorded(_TEXT, ((load(), _READ, *_WORK, agent("Moored with a bowline.")), (load(), _READ, *_WORK)), _FILES),
    Recorded(_TEXT, ((load(), _READ, *_WORK, agent("Moored.")), (load(), _READ, agent("Stopped."))), _FILES),
    Recorded(_STEPS, (_SAIL, _SAIL, (*_SAIL[:2], bash("berth sail-4 --now", "ok"), agent("Sailed.")))),
    Recorded(_STEPS, (_SAIL, _SAIL)),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the files that sessions read but did not use, and the last steps if no session reached them."""
    for file in find_unused_files(case):
        count = len({match.use.session for match in file.matches})
        message = (
            f"{quote_text(file.path)} (about {file.tokens:,} tokens) was read in {count} sessions; none of it was used."
        )
        occurrences = tuple(Occurrence(match.use.session, match.quote) for match in file.matches)
        severity = Severity.MEDIUM if file.tokens >= _MIN_MEDIUM_TOKENS else Severity.LOW
        yield Finding(case.skill.main_path, file.line, message, severity=severity, occurrences=occurrences)
    if steps := find_unreached_steps(case):
        message = (
            f"None of {len(steps.uses)} runs did any of the last {steps.steps} steps (about {steps.tokens:,} tokens)."
        )
        occurrences = tuple(Occurrence(matched.use.session, matched.use.opening) for matched in steps.uses)
        yield Finding(case.skill.main_path, steps.line, message, severity=Severity.LOW, occurrences=occurrences)
