"""Runs do not do what a line says.

It is:
- an order, a ban or a template that runs in two sessions or more skipped, changed or broke, according to a model
- a line that led runs in two sessions or more to futile attempts, or that the user overruled in them
- something that the line names and that failed in a run, unless the user's machine, network or account is the cause
It is not:
- a line whose condition did not hold, or that the run had not reached
- something that the user explicitly asked for
- a single odd run, which is shown without a finding
- something that the records prove: it has a pattern of its own
Low when:
- only the form differs
Why it is bad: The author relies on a step, a check or a form that runs do not deliver.
Instead: Say it where the runs need it, with the reason; or remove what runs do well without.
"""

from actions.patterns.pattern import LOADED_KINDS, Pattern

PATTERN = Pattern("SES-014", ("blocks", "easy"), kinds=LOADED_KINDS, from_sessions=True)
BAD = (
    "Line 9: Show the message and wait for approval.\n\nTwo runs committed without showing the message.",
    "Line 4: Read `tides.md` before you cast off.\n\nTwo runs cast off without reading it.",
)
GOOD = (
    "Line 9: If the message is long, show it first.\n\nTwo runs committed with a short message without showing it.",
    "Line 4: Read `tides.md` before you cast off.\n\nOne of five runs cast off without reading it.",
)
