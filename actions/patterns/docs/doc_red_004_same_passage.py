"""Two files contain the same passage.

It is:
- at least 100 words that instruction files of the skill repeat word for word, in one passage or in several of at least 40 words (code of 100, a table of 100 tokens) (proven)
- a passage of that length that two files contain with a few words changed
It is not:
- a passage of a template, or of a file in `assets/` or `templates/`, which a run copies and which must be complete there
- files for alternatives, of which a run reads one: `guide-html.md` and `guide-pdf.md`
- prompts of two sub-agents, each of which sees only its own (files in `agents/`, `personas/` or `prompts/`)
- text of SKILL.md that another file repeats (TKN-006), or a passage that one file repeats (TKN-001)
- a type definition (DOC-RED-003)
- a summary of what the other file says in full
- a footnote, two files of samples, or the two sides of one sample: before and after, input and output, bad and good
- a file that is compiled from the files of a folder
Low when:
- the two are identical: they do not contradict each other yet
Why it is bad: Sooner or later only one of the two is changed, and the skill contradicts itself; if both files are read, the passage costs its tokens twice.
Instead: Keep it in one file (a spec rather than a phase, a phase rather than a reference), and link to it from the other.
"""

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from actions.case import Case
from actions.grouping import group_by_key
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.regex import regex
from actions.skill import SkillFile
from actions.skill.duplicates import PassagePlace, find_compilations, find_repetitions

PATTERN = Pattern(
    id="DOC-RED-004", impact=("every_run", "easy"), strategies=("consolidate_to_ssot",), cause="duplicate"
)
_SIDE = regex(r"(?<![a-z])(?:before|after|input|output|bad|good|wrong|right)(?![a-z])")
_SAMPLES = regex(r"(?:\A|/)(?:samples?|examples?)/|(?:\A|[/_.-])(?:samples?|examples?)[_.-][^/]*\Z")
"""A path in a folder of samples, or a file name with the word."""
_PROMPTS = regex(r"(?:\A|/)(?:agents|personas|prompts)/")
"""Folders of prompts. A sub-agent sees only its own prompt, so each must be complete."""
_WORD = regex(r"[^\W_]+")
_LEAST_REPEATED = 100
"""Minimum number of words that copies of the passages of a file repeat.

For fewer words, a link costs a run another file to open and saves little. Of 12 judged findings below it 6 were true.
"""
_ASK = """Ask the owner of the shelf before a book is moved to another room. Write both places into the register.

Leave a card with the date at the place where the book was before, so that no one looks for it in vain.

Return the book when the reader of the other room has finished it, take the card away, and close its line in the register.

Report a book that is in neither room to the owner of the shelf on the same day. Search first on the carts, then at the
binder's, and do not order a second copy before the owner has answered.
"""
_DAYS = """| Day | Opens | Closes | Who has the key |
|---|---|---|---|
| Monday | 9 | 17 | the front desk, from the second ring |
| Tuesday | 9 | 17 | the front desk, or the reading room when the front desk is closed |
| Wednesday | 12 | 20 | the reading room, where the key hangs behind the map of the river |
| Thursday | 9 | 17 | the front desk, or the archive on the first Thursday of the month |
| Saturday | 10 | 13 | no one; ask the porter on the day before |
| the first Sunday of a month | 10 | 13 | the guide of the tour, who gets it from the porter |
| a holiday | never | never | the porter, for the binder and the cleaners only |
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


class _Copies(NamedTuple):
    """A passage: its first place, its copies in other files, and its number of words."""

    first: PassagePlace
    others: list[PassagePlace]
    words: int


def check(case: Case) -> Iterator[Finding]:
    """Find the second and later copies of a passage in files other than SKILL.md. Copies in one file share a cause."""
    for path, passages in group_by_key((copies.first.file.path, copies) for copies in _find_copies(case)).items():
        if sum(copies.words * len(copies.others) for copies in passages) >= _LEAST_REPEATED:
            for first, others, words in passages:
                message = f"{others[0]} and {first} repeat the same {words} words."
                also = (f"{first}: the same passage",)
                for other in others:
                    yield Finding(other.file.path, other.start, message, other.end, also, Severity.LOW, cause=path)


def _find_copies(case: Case) -> Iterator[_Copies]:
    """Yield the passages that a file repeats of another one, and need not contain."""
    compiled = find_compilations(case.skill)
    for passage in find_repetitions(case.skill):
        first, *rest = [place for place in passage.places if place.file not in compiled] or passage.places
        others = [place for place in rest if place.file is not first.file and not _are_meant(first.file, place.file)]
        if others and first.file is not case.skill.main:
            yield _Copies(first, others, passage.words)


def _are_meant(file: SkillFile, other: SkillFile) -> bool:
    """Return whether two files are samples, prompts, or alternatives, each of which must be complete."""
    paths = [file.path.lower(), other.path.lower()]
    return (
        _SIDE.sub("", paths[0]) == _SIDE.sub("", paths[1])
        or all(map(_SAMPLES.search, paths))
        or all(map(_PROMPTS.search, paths))
        or _are_alternatives(*paths)
    )


def _are_alternatives(path: str, other: str) -> bool:
    """Return whether two files of a folder have names of several words that differ in one word, not in a number."""
    (folder, name), (other_folder, other_name) = posixpath.split(path), posixpath.split(other)
    words, other_words = (_WORD.findall(posixpath.splitext(each)[0]) for each in (name, other_name))
    if folder != other_folder or len(words) != len(other_words) or len(words) == 1:
        return False
    differing = [pair for pair in zip(words, other_words, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and not "".join(differing[0]).isdigit()
