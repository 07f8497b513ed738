"""The contents of files are put into a prompt.

It is:
- code in which what `Read` or a like call returns goes whole into a sub-agent's prompt
- an instruction to read several files and to put their full contents into one prompt
It is not:
- a part of a file: some lines, a field, a match
- a file of the skill that holds the prompt itself
- a path in the prompt, which the sub-agent reads
- the state object (CTX-002)
Low when:
- it is one file in one call
Why it is bad: The contents pass through the main context first and through the sub-agent's afterwards, and the main session keeps paying for them.
Instead: Pass the paths; the sub-agent reads the files itself, and only those that it needs.
"""

from collections.abc import Iterator

from tree_sitter import Node

from actions.code.literals import fragments, is_string
from actions.code.prompts import Flow, file_read, flows, is_in_loop
from actions.code.tree import Code, below
from actions.patterns.pattern import Evidence, Family, Pattern, Severity
from actions.skill import Case, Skill, SkillFile

PATTERN = Pattern(
    id="CTX-003",
    family=Family.CONTEXT,
    impact=("every_run", "easy"),
    strategies=("path_reference",),
    cause="content-by-value",
)
BAD = (
    """```javascript
const all = chapters.map(path => Read(path)).join('\\n')
Agent({ description: 'Compare', prompt: `Compare the chapters.\\n${all}` })
```""",
    """```python
for name in names:
    Task(description="Check", prompt=f"Check this letter: {Path(name).read_text()}")
```""",
)
GOOD = (
    """```javascript
const report = Read(`${dir}/report.md`)
const title = report.split('\\n')[0]
Task({ prompt: `Find the weak points of "${title}" in ${dir}/report.md` })
```""",
    {
        "SKILL.md": """```javascript
const order = Read('prompts/check.md')
Task({ prompt: `${order}\\n\\nFolder: ${dir}` })
```""",
        "prompts/check.md": "# Check\n\nCheck each letter of the folder.\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Yield each prompt that takes what a file holds; what a file of the skill holds is the prompt itself."""
    for file in case.skill.instructions:
        for code in file.codes:
            for flow in flows(code):
                read = file_read(code, flow.origin)
                if read is not None and not _is_own(case.skill, file, code, read):
                    said, place = code.said(read)[:80].replace("`", "'"), f"{file.path}:{code.line(read)}"
                    call = f"`{flow.call.name}` at {file.path}:{flow.call.line}"
                    message = f"The prompt of {call} holds the whole of what `{said}` at {place} returns."
                    severity = None if _is_much(code, flow) else Severity.LOW
                    also = (f"{place}: `{said}`",)
                    yield Evidence(file.path, flow.call.line, message, flow.call.line_end, also, severity)


def _is_own(skill: Skill, file: SkillFile, code: Code, read: Node) -> bool:
    """Return whether the path that is read is one of the skill's own files."""
    texts = (fragments(code, one).strip().lstrip("/") for one in below(read) if is_string(one))
    return any(skill.resolve(text, file.path) for text in texts if text)


def _is_much(code: Code, flow: Flow) -> bool:
    """Return whether several files are read, or one for each of several calls."""
    return is_in_loop(flow.call.node) or ".map(" in code.said(flow.origin)
