"""Two fields of the state hold the same data.

What it sees: a state field that is set to another field of the state, or two fields that one block sets to the same
variable.
Why it is bad: The content is in the state twice, and after the next change the two disagree.
Instead: Keep one field, and read that one.
May be wrong: The second field is a snapshot on purpose, from before a change.
"""

from collections.abc import Iterator

from actions.facts.dataflow.state_fields import Act, FieldUse, field_uses
from actions.model import Case
from actions.model import regex as re
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="APV-006",
    family=Family.AUTHORING,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("deduplicate_storage",),
)
BAD = (
    "# Sift\n\nThe state is in `state.json`.\n\n```javascript\nstate.findings = found\nstate.report_findings = state.findings\nTask({ prompt: state.report_findings })\n```\n",
    '# 筛选\n\n```python\nrows = load()\nstate["rows"] = rows\nstate["all_rows"] = rows\nTask(prompt=state["rows"])\n```\n',
)
GOOD = (
    "# Sift\n\n```javascript\nstate.started_at = now\nstate.updated_at = now\nstate.previous_score = state.score\nTask({ prompt: state.score })\n```\n",
    "# Sift\n\n```javascript\nstate.findings = found\nstate.top = found.slice(0, 3)\nTask({ prompt: state.top })\n```\n",
)
_VARIABLE = re.compile(r"^(?:[A-Za-z_]\w*[sS]tate|state)(?:\.|\[[\"'])(\w+)[\"']?\]?$|^([A-Za-z_]\w*)$")
_ON_PURPOSE = re.compile(
    r"prev|last|before|old|initial|original|backup|snapshot|start|_at$|At$|time|date|current|base|best|status|phase|step|error|default|max|min|count",
    re.IGNORECASE,
)
_CONSTANT = frozenset({"true", "false", "null", "none", "undefined", "now", "timestamp"})


def look(case: Case) -> Iterator[Evidence]:
    """Give the second field of each pair, where it is set."""
    sets = [use for use in field_uses(case.skill) if use.act is Act.SET and use.value]
    seen: dict[tuple[str, str], FieldUse] = {}
    for use in sets:
        match = _VARIABLE.match(use.value)
        if match is None or use.value.lower() in _CONSTANT or _ON_PURPOSE.search(use.name):
            continue
        if match[1] and match[1] != use.name and not _ON_PURPOSE.search(match[1]):
            yield _evidence(use, match[1])
        elif match[2]:
            first = seen.setdefault((use.file, match[2]), use)
            if first.name != use.name and use.line - first.line <= 10:
                yield _evidence(use, first.name)


def _evidence(use: FieldUse, other: str) -> Evidence:
    return Evidence(use.file, use.line, f"`{use.name}` holds the same data as `{other}`.")
