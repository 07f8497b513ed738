"""Frontmatter of a skill, a command or an agent that Claude Code cannot read.

It is:
- frontmatter of a command or an agent that is not YAML, even after Claude Code has put its plain values in quotes (proven)
- a `---` within a value: Claude Code ends the frontmatter there (proven)
- frontmatter of a command or an agent below a heading, a comment, a blank line or the start of a code block (proven)
It is not:
- a value such as `description: Use when: asked`, which YAML rejects and Claude Code accepts
- a file without frontmatter, or a SKILL.md whose frontmatter is not YAML or is never closed (SPEC-001)
Low when:
- the text above the frontmatter says that the file is archived or deprecated
Why it is bad: Claude Code silently drops all fields, or the fields after the `---`. An agent loses its description, tools and
model; in `.claude/agents` it is not loaded at all.
Instead: Put the value in quotes, escape quotes inside it, indent continued lines under `description: |`.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.frontmatter import find_early_end, find_frontmatter_fault
from actions.project.late_frontmatter import find_late_frontmatter
from actions.regex import regex
from actions.skill.frontmatter_keys import quote_values

PATTERN = Pattern(
    id="PRJ-005",
    impact=("blocks", "easy"),
    strategies=("quote_value",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.AGENT, UnitKind.COMMAND),
)
_RETIRED = regex(r"(?i)\b(?:archived|deprecated|obsolete|superseded)\b")
_TEXT = "---\nname: counter\n%s\n---\n\nCount the birds.\n"
BAD = (
    {".claude/commands/count.md": _TEXT % 'description: "Counts" birds.'},
    {".claude/agents/counter.md": _TEXT % "description: Counts birds.\nExamples: two\nand three"},
    {".claude/agents/counter.md": _TEXT % "description: Counts birds --- and bats.\ntools: Read"},
    {".claude/skills/count/SKILL.md": _TEXT % "description: Counts birds --- and bats.\ntools: Read"},
    {".claude/agents/counter.md": f"# Counter\n\n{_TEXT % 'description: Counts birds.'}"},
    {".claude/commands/count.md": f"\n{_TEXT % 'description: Counts birds.'}"},
)
GOOD = (
    {".claude/commands/count.md": _TEXT % "description: Counts: birds, `bats` & more"},
    {".claude/commands/count.md": _TEXT % "argument-hint: [place] [hour]"},
    {".claude/agents/counter.md": "Count the birds --- all of them.\n"},
    {".claude/commands/count.md": f"A count has this form:\n\n{_TEXT % 'description: Counts birds.'}"},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the fault that keeps Claude Code from reading this unit's frontmatter."""
    path, text = case.skill.main_path, case.skill.main.text
    is_skill = case.skill.kind is UnitKind.SKILL
    effect = "does not load this agent" if _is_not_loaded(case) else "ignores all of its fields"
    if not is_skill and (fault := find_frontmatter_fault(text)):
        yield Finding(path, fault.line, f"Claude Code cannot parse the frontmatter ({fault.problem}) and {effect}.")
    elif not is_skill and (line := find_late_frontmatter(text)):
        message = f"The frontmatter is not at the beginning of the file: Claude Code {effect}."
        is_retired = any(map(_RETIRED.search, case.skill.main.doc.lines[: line - 1]))
        yield Finding(path, line, message, severity=Severity.LOW if is_retired else PATTERN.severity)
    elif (end := find_early_end(text)) and not (is_skill and _is_lost(case)):
        yield Finding(path, end.line, f"{end.problem}: Claude Code ignores the fields below.")


def _is_not_loaded(case: Case) -> bool:
    return case.skill.kind is UnitKind.AGENT and case.unit.plugin_root is None


def _is_lost(case: Case) -> bool:
    """Return whether SPEC-001 reports that a skill has no valid frontmatter, and not only missing quotes."""
    frontmatter = case.skill.frontmatter
    return frontmatter.error is not None and not quote_values(case.skill.main.doc.lines, frontmatter)
