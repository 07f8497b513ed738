"""A stub is left in the instructions or in a script.

It is:
- a step or section that contains only a note that it is still to be written (proven)
- a function of a script that is called, but only raises "not implemented"
It is not:
- a TODO list, a scan for TODO comments, or any other work whose subject is stubs
- a blank for the user to fill in: a template, a skeleton, an example of an output
- a function that a subclass or the user must supply, or that rejects a platform
Low when:
- the step is complete without the note
Why it is bad: The model skips the work or makes it up, and a script stops.
Instead: Write the step, or take it out until it is written.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern
from actions.regex import regex
from actions.skill import SkillFile
from actions.skill.structure import Section

PATTERN = Pattern(id="APV-007", impact=("every_run", "easy"))
BAD = (
    """## Rate the clauses

TODO

## Report

Report the three worst.
""",
    """## Rate

Rate the clauses.

## Compare

*Coming soon.*
""",
)
GOOD = (
    {
        "SKILL.md": "# Report\n\nFill in `references/report-template.md`.\n",
        "references/report-template.md": """# Report

## Summary

TBD

## Costs

TBD
""",
    },
    "## Rate\n\nTODO: by age. Until then rate by name.\n",
)
_NOTE = regex(r"(?i)[\W_]*(?:todo|tbd|fixme|wip|coming soon|to be (?:written|done)|待补充|待完善|待实现|待编写)[\W_]*")
_FORM_WORDS = regex(r"(?i)template|example|sample|format|skeleton|scaffold|stub|placeholder|todo|模板|示例|格式|待办")
"""Words in the path or in a heading above a note.

They show that the user replaces the note, or that the text is about such notes.
"""
_MAX_LINES, _MAX_CHARACTERS = 8, 60
"""Maximum numbers of lines and of characters of a section that may be only a note."""


def check(case: Case) -> Iterator[Finding]:
    """Find sections that contain only a note that they are still to be written."""
    for file in case.skill.instructions:
        for section, titles in _list_sections(file):
            body = _read_body(file, section)
            if (
                _NOTE.fullmatch(body)
                and not _FORM_WORDS.search(titles)
                and not file.doc.is_counterexample(section.start)
            ):
                message = f"Section “{section.title}” contains only “{body}”. Write it or remove it."
                yield Finding(file.path, section.start, message, section.end)


def _list_sections(file: SkillFile) -> Iterator[tuple[Section, str]]:
    """Yield (section, text) for each section.

    The text is the file's path and the titles of the section and its ancestors.
    """
    ancestors: list[Section] = []
    for section in file.doc.sections:
        while ancestors and ancestors[-1].level >= section.level:
            ancestors.pop()
        ancestors.append(section)
        yield section, "\n".join((file.path, *(ancestor.title for ancestor in ancestors)))


def _read_body(file: SkillFile, section: Section) -> str:
    """Return the text of a section on one line, or "" if the section is too long to be only a note."""
    is_short = section.level and section.end - section.start <= _MAX_LINES
    return " ".join(file.doc.lines[section.start : section.end]).strip()[:_MAX_CHARACTERS] if is_short else ""
