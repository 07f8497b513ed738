"""One setting has two values.

It is:
- a limit, time, amount, name or default that two places of the skill set differently for the same case
- a constant whose value the text states, when the script or spec that defines it sets another one
- the skill called by a name that is not its own
It is not:
- values for different modes, phases, platforms or units that agree when converted
- constants of the same name in different scripts, each for itself
- an order to change the value for one case, or an example
- an option of a script and its default (DOC-CON-002)
Low when:
- the difference changes no outcome
Why it is bad: The model follows whichever it read last, and one run differs from the next.
Instead: Set the value in one place, and name that place elsewhere.
"""

from collections.abc import Iterator

from actions.patterns.pattern import Evidence, Family, Pattern
from actions.skill import Case
from actions.skill.constants import disputed

PATTERN = Pattern(
    id="DOC-CON-001", family=Family.CONFLICT, impact=("every_run", "easy"), strategies=("consolidate_to_ssot",)
)
_FETCH = "import time\n\nMAX_ATTEMPTS = 5\nPAUSE_SECONDS = 30\n\n\ndef fetch(url): ...\n"
BAD = (
    {
        "SKILL.md": "# Fetch\n\nRun `python scripts/fetch.py URL`. It gives up after `MAX_ATTEMPTS = 3` attempts.\n",
        "scripts/fetch.py": _FETCH,
    },
    {
        "specs/limits.md": "# Limits\n\n```javascript\nconst MAX_ROUNDS = 5\n```\n",
        "phases/02-mend.md": "# Mend\n\n```javascript\nconst MAX_ROUNDS = 3\nfor (let n = 0; n < MAX_ROUNDS; n++) mend(n)\n```\n",
    },
)
GOOD = (
    {
        "SKILL.md": "# Fetch\n\nIt gives up after `MAX_ATTEMPTS = 5` attempts; for slow hosts, set `PAUSE_SECONDS = 60`.\n",
        "scripts/fetch.py": _FETCH,
    },
    {
        "phases/01-look.md": "# Look\n\n```javascript\nconst MAX_ROUNDS = 2\n```\n",
        "phases/02-mend.md": "# Mend\n\n```javascript\nconst MAX_ROUNDS = 5\n```\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Yield each statement of a constant's value that the script or spec contradicts."""
    for said, sure in disputed(case.skill):
        there = f"{sure.file}:{sure.line}"
        here = f"{said.file}:{said.line}"
        message = f"`{said.name}` is {said.value} at {here}; {there}, which defines it, sets {sure.value}."
        yield Evidence(said.file, said.line, message, also=(f"{there}: {sure.name} = {sure.value}",), about=sure.name)
