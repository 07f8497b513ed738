"""The contents of files are put into a prompt.

It is:
- code that puts the whole result of `Read` or a similar call into a sub-agent's prompt (proven)
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

from actions.case import Case
from actions.code.prompts import find_file_read, find_prompt_flows
from actions.patterns.pattern import Finding, Pattern, Severity

PATTERN = Pattern(id="CTX-003", impact=("every_run", "easy"), strategies=("path_reference",), cause="content-by-value")
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
const title = Read(`${dir}/report.md`).split('\\n')[0]
Task({ prompt: `Find the weak points of "${title}" in ${dir}/report.md` })
```""",
    {
        "SKILL.md": """```javascript
const order = Read('${CLAUDE_SKILL_DIR}/prompts/check.md')
Task({ prompt: `${order}\\n\\nFolder: ${dir}` })
```""",
        "prompts/check.md": "# Check\n\nCheck each letter of the folder.\n",
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Find prompts that contain a whole file. The skill's own files are skipped: they may be the prompt itself."""
    for file in case.skill.instructions:
        for code in file.codes:
            for flow in find_prompt_flows(code):
                read = find_file_read(code, flow)
                if read and not any(case.skill.resolve(path.rpartition("}/")[2], file.path) for path in read.paths):
                    source, place = read.text[:80].replace("`", "'"), f"{file.path}:{read.line}"
                    message = f"The prompt of `{flow.call.name}` contains all that `{source}` returns ({place})."
                    also, severity = (f"{place}: `{source}`",), PATTERN.severity if read.is_repeated else Severity.LOW
                    yield Finding(file.path, flow.call.line, message, flow.call.line_end, also, severity)
