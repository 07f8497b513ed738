"""Two files contain the same passage.

It is:
- at least 100 words that instruction files of the skill repeat, word for word or with a few words changed, and that one run reads twice or that must be changed together
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

from actions.patterns.pattern import Pattern

PATTERN = Pattern(
    id="DOC-RED-004", impact=("every_run", "easy"), strategies=("consolidate_to_ssot",), cause="duplicate"
)
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
