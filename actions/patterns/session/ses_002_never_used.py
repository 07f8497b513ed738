"""A file, skill, agent, command or heading that the text says to use is never used.

It is:
- an instruction to use it, without a condition, that no run followed although two sessions or more reached a later step (proven)
- a skill that the text requires before the work, in two sessions or more that began it without the skill (proven)
- a fixed heading of a template, if the reports of two sessions or more have at least half of its headings, but not this one (proven)
It is not:
- a name for some cases only: next to a condition, in an example or a table, or in a list to choose from
- a heading of one of several alternative templates, or one that the template calls optional or that another document of the run has
- a name that a run used in another way: it occurs in a call, a sub-agent's task, a user message or a text that a hook added
Why it is bad: Every run pays for a line that none follows. Either the step is not needed, or every run goes wrong there.
Instead: Remove the line, correct the name, or move the instruction to where the step begins.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.history.line_history import list_other_names, read_history
from actions.history.wording import count_sessions, quote_text
from actions.patterns.pattern import LOADED_KINDS, Finding, Occurrence, Pattern, Severity
from actions.session.example import Recorded, agent, bash, hook, load, use, user

PATTERN = Pattern("SES-002", ("every_run", "easy"), asks_model=False, kinds=LOADED_KINDS, from_sessions=True)
_NOUNS = {
    "skill": "The skill", "file": "The file", "agent": "The agent", "command": "The command", "tool": "The tool",
    "words": "The sentence", "heading": "The heading",
}  # fmt: skip
_TEXT = (
    "## Step 1: Learn\n\n- Load the `tide-tables` skill\n- Read `references/knots.md`\n\n"
    "## Step 2: Moor\n\n```bash\nberth moor\n```\n"
)
_MOOR = bash("berth moor", "moored")
_LEARN = (
    use("Skill", "Launching skill: tide-tables", skill="tide-tables"),
    use("Read", "…", file_path="/x/references/knots.md"),
)
BAD = (
    Recorded(_TEXT, ((load(), _MOOR, agent("Moored.")), (load(), _MOOR, agent("Moored.")))),
    Recorded(_TEXT, ((load(), _LEARN[0], _MOOR), (load(), _LEARN[0], _MOOR))),
)
GOOD = (
    Recorded(_TEXT, ((load(), *_LEARN, _MOOR), (load(), _MOOR))),
    Recorded(_TEXT, ((load(), _MOOR, agent("Moored.")),)),
    Recorded(_TEXT, ((hook("knots.md and tide-tables: …"), load(), _MOOR), (load(), *_LEARN, _MOOR))),
    Recorded(
        _TEXT.replace("Load", "If the tide is low, load").replace("Read", "If unsure, read"),
        ((load(), _MOOR), (load(), _MOOR)),
    ),
    Recorded(
        _TEXT,
        (
            (user("Skip tide-tables and knots.md."), load(), _MOOR),
            (load(), _LEARN[1], use("Task", "ok", prompt="tide-tables"), _MOOR),
        ),
    ),
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the files, skills, agents and commands that the text says to use but no session used."""
    for history in read_history(case):
        fact = history.fact
        is_needed = fact.kind in _NOUNS and all(matched.needs(fact) for matched in history.uses)
        if not (is_needed and history.line) or history.is_used or count_sessions(history.reached_uses) < 2:
            continue
        message = f"{_NOUNS[fact.kind]} {quote_text(history.text)} was used in 0 of {len(history.reached_uses)} runs that reached it."
        if others := list_other_names(history):
            message += f" They loaded {', '.join(map(quote_text, others))} instead."
        occurrences = tuple(Occurrence(matched.use.session, matched.use.opening) for matched in history.reached_uses)
        yield Finding(case.skill.main_path, history.line, message, severity=Severity.MEDIUM, occurrences=occurrences)
