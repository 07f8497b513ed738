"""The skill asks the model to read everything, without a limit.

It is:
- an instruction to read a whole project, folder or archive of unknown size: all files of the repository, the entire codebase
- code that reads or prints every file of a tree into the conversation, however many there are
It is not:
- listing, globbing or searching all files: that returns names or single lines
- files that a condition selects: those that the diff touches, that match, that the user names
- a script that goes through all files and returns a short result
- the skill's own handful of files (TKN-007, CTX-005)
Low when:
- the folder is one that the skill itself made and keeps small
Why it is bad: In a large project the reading fills the context before the work begins, and the first compaction throws most of it away.
Instead: List or search first, then read the files that the task needs, up to a maximum number.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="CTX-007", impact=("every_run", "easy"), strategies=("lazy_loading",))
BAD = """1. Read all source files of the repository from start to end, so that nothing is missed.
2. Write `ONBOARDING.md`.
"""
GOOD = """1. List the folders, and read the README and the manifest.
2. Search for the entry points; read these and what they call directly, at most twenty files.
3. Write `ONBOARDING.md`.
"""
