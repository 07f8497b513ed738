"""Two files contain the same passage.

It is:
- a passage of at least 40 words (code of 100, a table of 100 tokens) that two instruction files of the skill contain word for word (proven)
- a passage of that length that two files contain with a few words changed
It is not:
- a passage of a file in `assets/` or `templates/`, which a run copies and which must be complete there
- text of SKILL.md that another file repeats (TKN-006), or a passage that one file repeats (TKN-001)
- a type definition (DOC-RED-003)
- a summary of what the other file says in full
- a footnote, two samples, or the two sides of one sample: before and after, input and output, bad and good
- a file that is compiled from the files of a folder
Low when:
- the two are identical: they do not contradict each other yet
Why it is bad: Sooner or later only one of the two is changed, and the skill contradicts itself; if both files are read, the passage costs its tokens twice.
Instead: Keep it in one file (a spec rather than a phase, a phase rather than a reference), and link to it from the other.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.regex import regex
from actions.skill import SkillFile
from actions.skill.duplicates import find_compilations, find_repetitions

PATTERN = Pattern(
    id="DOC-RED-004", impact=("every_run", "easy"), strategies=("consolidate_to_ssot",), cause="duplicate"
)
_SIDE = regex(r"(?<![a-z])(?:before|after|input|output|bad|good|wrong|right)(?![a-z])")
_SAMPLES = regex(r"(?:\A|/)(?:samples?|examples?)/")
_ASK = """Ask the owner of the shelf before a book is moved to another room. Write both places into the register.

Leave a card with the date at the place where the book was before, so that no one looks for it in vain.
"""
_DAYS = """| Day | Opens | Closes | Who has the key |
|---|---|---|---|
| Monday | 9 | 17 | the front desk, from the second ring |
| Tuesday | 9 | 17 | the front desk, or the reading room when the front desk is closed |
| Wednesday | 12 | 20 | the reading room, where the key hangs behind the map of the river |
| Thursday | 9 | 17 | the front desk, or the archive on the first Thursday of the month |
| Saturday | 10 | 13 | no one; ask the porter on the day before |
"""
BAD = (
    {
        "phases/01-collect.md": f"""# Collect

Take the books from the list.

{_ASK}""",
        "phases/02-move.md": f"""# Move

## For each book

{_ASK}
## In the end

Move them.
""",
    },
    {
        "references/days.md": f"# Days\n\n{_DAYS}",
        "references/keys.md": f"""# Keys

Who has the key on which day:

{_DAYS}""",
    },
)
GOOD = (
    {
        "phases/01-collect.md": f"""# Collect

Take the books from the list.

{_ASK}""",
        "phases/02-move.md": "# Move\n\nKeep to the three rules of [the first phase](01-collect.md), then move them.\n",
    },
    {
        "phases/01-collect.md": """# Collect

```bash
python scripts/list.py --room 4 --format json > books.json
```
""",
        "phases/02-move.md": """# Move

```bash
python scripts/list.py --room 4 --format json > books.json
```
""",
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Find the second and later copies of a passage in files other than SKILL.md. Copies in one file share a cause."""
    compiled = find_compilations(case.skill)
    for passage in find_repetitions(case.skill):
        first, *rest = [place for place in passage.places if place.file not in compiled] or passage.places
        others = [place for place in rest if place.file is not first.file and not _are_samples(first.file, place.file)]
        if others and first.file is not case.skill.main:
            message = f"{others[0]} and {first} repeat the same {passage.words} words."
            also = (f"{first}: the same passage",)
            for other in others:
                yield Finding(
                    other.file.path, other.start, message, other.end, also, Severity.LOW, cause=first.file.path
                )


def _are_samples(file: SkillFile, other: SkillFile) -> bool:
    """Return whether two files are samples, or belong to the same sample, such as its input and its output."""
    paths = [file.path.lower(), other.path.lower()]
    return _SIDE.sub("", paths[0]) == _SIDE.sub("", paths[1]) or all(map(_SAMPLES.search, paths))
