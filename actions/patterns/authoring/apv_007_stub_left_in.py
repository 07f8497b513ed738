"""A stub is left in the instructions or in a script.

It is:
- a step or section that holds only a note that it is still to be written
- a function of a script, in use, that only raises "not implemented"
It is not:
- a TODO list, a scan for TODO comments, or any other work whose subject is stubs
- a blank for the user to fill in: a template, a skeleton, an example of an output
- a function that a subclass or the user is to supply, or that refuses a platform
Low when:
- the step is complete without the note
Why it is bad: The model skips the work or makes it up, and a script stops.
Instead: Write the step, or take it out until it is written.
"""

import re
from collections.abc import Iterator

from actions.code.functions import not_implemented
from actions.patterns.pattern import Evidence, Family, Pattern
from actions.skill import Case, Skill, SkillFile
from actions.skill.structure import Section

PATTERN = Pattern(id="APV-007", family=Family.AUTHORING, impact=("every_run", "easy"))
BAD = (
    """## Step 1: Rate the clauses

TODO

## Step 2: Report

Report the three worst clauses.
""",
    {
        "SKILL.md": "# Rates\n\nRun `python scripts/rates.py` and show what it prints.\n",
        "scripts/rates.py": """def load(day):
    raise NotImplementedError("TODO: ask the bank")

print(load("today"))
""",
    },
)
GOOD = (
    {
        "SKILL.md": "# Report\n\nFill in `references/report-template.md`.\n",
        "references/report-template.md": "# Report\n\n## Summary\n\nTBD\n\n## Costs\n\nTBD\n",
    },
    {
        "scripts/rates.py": """class Bank:
    def load(self, day):
        raise NotImplementedError

Bank().load(day)
"""
    },
)
_NOTE = re.compile(
    r"[\W_]*(?:todo|tbd|fixme|wip|coming soon|to be (?:written|done)|待补充|待完善|待实现|待编写)[\W_]*", re.IGNORECASE
)
_BLANK = re.compile(
    r"template|example|sample|format|skeleton|scaffold|stub|placeholder|todo|模板|示例|格式|待办", re.IGNORECASE
)
"""Words over a note that make it a blank to fill in, or the subject."""
_FEW, _LONGEST = 9, 60
"""Lines and characters; more is no mere note."""


def look(case: Case) -> Iterator[Evidence]:
    """Yield each section that holds nothing but such a note, and each function in use that only raises it."""
    for file in case.skill.instructions:
        for section, titles in _sections(file):
            body = _body(file, section)
            if _NOTE.fullmatch(body) and not _BLANK.search(titles) and not file.doc.is_counterexample(section.start):
                message = f"The section “{section.title}” holds nothing but “{body}”: it is still to be written."
                yield Evidence(file.path, section.start, message, section.end)
    for file in case.skill.scripts:
        yield from _unwritten(case.skill, file)


def _sections(file: SkillFile) -> Iterator[tuple[Section, str]]:
    """Return each section with the path of the file and the titles over it."""
    over: list[Section] = []
    for section in file.doc.sections:
        while over and over[-1].level >= section.level:
            over.pop()
        over.append(section)
        yield section, "\n".join((file.path, *(one.title for one in over)))


def _body(file: SkillFile, section: Section) -> str:
    """Return what stands under a heading where it is no more than a few words, else nothing."""
    short = section.level and section.end - section.start < _FEW
    return " ".join(file.doc.lines[section.start : section.end]).strip()[:_LONGEST] if short else ""


def _unwritten(skill: Skill, file: SkillFile) -> Iterator[Evidence]:
    """Yield the functions that only raise "not implemented", are named elsewhere, and give no other reason."""
    for code in file.codes:
        for function in not_implemented(code):
            raised = code.said(function.body)
            reason = re.search(r"\(\s*[\"'`](.*?)[\"'`]", raised)
            written = reason is None or re.search(r"implement|todo|待", reason[1], re.IGNORECASE)
            caught = "except NotImplementedError" in file.text or _BLANK.search(file.path)
            places = (f"{other.path}:{n}" for other, n in skill.mentions(function.name))
            used = next((place for place in places if place != f"{file.path}:{function.line}"), "")
            if used and written and not caught:
                message = f"`{function.name}()`, used in {used}, has no body but “not implemented”."
                yield Evidence(file.path, function.line, message, function.line_end)
