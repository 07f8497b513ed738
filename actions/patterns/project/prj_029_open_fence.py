"""A code fence that is never closed, or that a fence inside it closes.

It is:
- a fence that runs to the end of the file, with text or another mark after its code (proven)
- a fence that contains fences of the same length: the end of the first inner one closes it (proven)
- a fence whose opening mark follows text on its line, so that its closing mark opens a fence instead (proven)
It is not:
- a fence that ends with its list or quote, or whose code runs to the last line: Markdown shows it as if it were closed
- a fence in a file in which a fence directly follows an HTML tag: Markdown does not recognize that fence, but a model does
- a fence in a file that the skill wrote, in a folder such as `output/` or `drafts/`, or in `examples/`
- a fence in a page that is copied from elsewhere
- a mark without a language, if a fence is above it: it may be the end of that fence
- a fence of four backticks around fences of three, or around one whose closing mark is escaped
Low when:
- always: a model often guesses what was meant
Why it is bad: The text below is read the wrong way round: instructions as a sample, samples as instructions.
Instead: Close the fence; give an outer fence one backtick more than the fences inside it.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.skill.open_fences import find_open_fences, swallows_text
from actions.skill.skill import SkillFile

PATTERN = Pattern(
    id="PRJ-029",
    impact=("easy",),
    asks_model=False,
    kinds=(UnitKind.SKILL, UnitKind.MEMORY, UnitKind.COMMAND, UnitKind.AGENT),
)
_SKILL = "---\nname: count\ndescription: Counts.\n---\n\n%s"
_NESTED = "%s\n# Report\n\n```bash\ncount\n```\n\nAfter it the names.\n%s\n\n## Then\n\nSend it.\n"
BAD = (
    {"SKILL.md": _SKILL % "```bash\ncount --all\n\n## Report\n\nWrite the report.\n"},
    {"CLAUDE.md": _NESTED % ("```markdown", "```")},
    {"CLAUDE.md": (_NESTED % ("```markdown", "```")).replace("```bash", "```[language]")},
    {"CLAUDE.md": "Run this:```sh\ncount\n```\n\nThen this:\n\n```markdown\n# Birds\n```\n"},
    {
        "CLAUDE.md": "1. Report:\n   ```markdown\n   # Report\n   ```bash\n   count\n   ```\n   Names.\n   ```\n\n2. Send.\n"
    },
    {"CLAUDE.md": "Write:\n\n- it\n```\n\n## Report\n\n```markdown\n# Birds\n```\n"},
)
GOOD = (
    {"SKILL.md": _SKILL % "```bash\ncount --all\n```\n\n## Report\n\nWrite the report.\n"},
    {"CLAUDE.md": _NESTED % ("````markdown", "````")},
    {"CLAUDE.md": "<Good>\n```bash\ncount\n```\n</Good>\n\n```bash\ntally\n```\n"},
    {
        "SKILL.md": _SKILL
        % "Handle it:\n\n```python\ntry:\n    count()\n\nexcept ValueError:\n    # Count anew.\n    raise\n"
    },
    {"CLAUDE.md": "```markdown\n```code``` stays ```code```\n```\n\nKeep it.\n"},
    {"CLAUDE.md": "- Run:\n  ```bash\n  count\n\n## Report\n\nWrite it.\n"},
    {"CLAUDE.md": _NESTED.replace("count\n```", "count\n``\u200b`") % ("```markdown", "```")},
    {"CLAUDE.md": "```bash\ncount\n```\n\n" + _NESTED % ("```", "```")},
)


_WRITTEN_FOLDERS = frozenset({"output", "outputs", "draft", "drafts", "examples"})


def check(case: Case) -> Iterator[Finding]:
    """Yield the open fences of this unit."""
    for file in case.skill.instructions if case.skill.kind is UnitKind.SKILL else (case.skill.main,):
        is_written = file is not case.skill.main and _WRITTEN_FOLDERS.intersection(file.path.split("/")[:-1])
        for fence in () if is_written else find_open_fences(file):
            if fence.inner and not fence.late and _may_be_end(file, fence.line):
                continue
            if not fence.inner and not fence.late and not swallows_text(file, fence.line):
                continue
            inner = f" before the one on line {fence.inner} begins" if fence.inner else ""
            message = f"The fence on line {fence.line} is not closed{inner}."
            if not inner and not file.doc.line(fence.line).strip("`~ \t>"):
                message += " If this mark should close a fence, the opening mark of that fence is missing above."
            if fence.late:
                message = f"A code fence must start its line. The mark on line {fence.late} follows text, so the closing mark opens a fence."
            yield Finding(file.path, fence.late or fence.line, message)


def _may_be_end(file: SkillFile, line: int) -> bool:
    """Return whether a mark without a language may be meant as the end of a fence above it, which has the fault then."""
    is_bare = not file.doc.line(line).strip("`~ \t>")
    return is_bare and any(fence.start < line for fence in file.doc.fences)
