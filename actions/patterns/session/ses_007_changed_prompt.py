"""Calls of sub-agents deviate from the template in the text.

It is:
- a fixed line of the template that the prompt lacks, or a different model or agent type, in two sessions or more (proven)
It is not:
- a line with a placeholder
- a call that follows no template of the text
Why it is bad: The sub-agent works without what the template ensures: a file to read, a format, a cheap model.
Instead: Move the instructions to the agent's own file, keep only the rest in the template, and tell the model to send it verbatim.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from actions.case import Case
from actions.history.line_history import read_history
from actions.history.prompts import find_deviations
from actions.patterns.pattern import LOADED_KINDS, Family, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, load, use

PATTERN = Pattern(
    "SES-007",
    ("every_run", "easy"),
    asks_model=False,
    other_family=Family.AGENT,
    kinds=LOADED_KINDS,
    from_sessions=True,
)
_TEXT = (
    '```\nTask(\n  subagent_type: "pilot",\n  model: "haiku",\n  description: "Sound the depth",\n'
    '  prompt: "Sound the depth at [BERTH].\n  Return the depth in metres."\n)\n```\n'
)
_ARGUMENTS: Mapping[str, Any] = {"subagent_type": "pilot", "description": "Sound the depth"}
_WITHOUT_LINE = use("Task", "3", **_ARGUMENTS, model="haiku", prompt="Sound the depth at 7.")
_WITHOUT_MODEL = use("Task", "3", **_ARGUMENTS, prompt="Sound the depth at 7. Return the depth in metres.")
_COMPLETE = use("Task", "3", **_ARGUMENTS, model="haiku", prompt="Sound the depth at 7.\nReturn the depth in metres.")
BAD = (
    Recorded(_TEXT, ((load(), _WITHOUT_LINE), (load(), _WITHOUT_LINE))),
    Recorded(_TEXT, ((load(), _WITHOUT_MODEL), (load(), _WITHOUT_LINE))),
)
GOOD = (
    Recorded(_TEXT, ((load(), _COMPLETE), (load(), _COMPLETE))),
    Recorded(_TEXT, ((load(), _WITHOUT_LINE), (load(), _COMPLETE))),
    Recorded(_TEXT, ((load(), use("Task", "3", subagent_type="cook", prompt="Cook.")),) * 2),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the templates from which sub-agent calls deviate."""
    for history in read_history(case):
        changed = [
            (match, deviations)
            for match in history.matches
            if history.kind == "prompt" and (deviations := list(find_deviations(match)))
        ]
        count = len({match.use.session for match, _ in changed})
        if history.line and count > 1:
            _, (deviation, *_) = changed[-1]
            message = f"{count} of {len(history.executed_uses)} runs did not follow this template: {deviation}."
            occurrences = tuple(Occurrence(match.use.session, match.quote) for match, _ in changed)
            yield Finding(
                case.skill.main_path, history.line, message, severity=Severity.MEDIUM, occurrences=occurrences
            )
