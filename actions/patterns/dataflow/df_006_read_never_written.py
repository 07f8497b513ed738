"""A phase reads a file or a value that nothing writes.

It is:
- a file of the run that a step reads and that nothing in the skill writes, often because the writer uses another name
- a field or an output that a step takes as given and that no earlier step makes
It is not:
- a file that the user, the project, a tool or another skill provides
- a read that provides for the absence of the file
- a file of the skill itself (DF-009)
Low when:
- the step goes on well without the file
Why it is bad: The read fails, or the model makes the content up.
Instead: Write the file in the phase that has the data, or read the name that is written.
"""

from collections.abc import Iterator

from actions.patterns.pattern import Evidence, Family, Pattern
from actions.skill import Case, Skill
from actions.skill.run_files import RunFile, is_closed, is_only_there, run_files

PATTERN = Pattern(id="DF-006", family=Family.DATAFLOW, impact=("blocks",))
_SEVERAL = 2
BAD = (
    {
        "phases/1-look.md": "# Look\n\n```javascript\nWrite('run/risk-list.json', JSON.stringify(risks))\n```\n",
        "phases/2-tell.md": "# Tell\n\n```javascript\nconst risks = JSON.parse(Read('run/risk_lists.json'))\n```\n",
    },
    """```javascript
Write('work/goals.json', JSON.stringify(goals))
Write('work/limits.json', JSON.stringify(limits))
```

```javascript
const goals = JSON.parse(Read('work/goals.json')), limits = JSON.parse(Read('work/limits.json'))
const costs = JSON.parse(Read('work/prices.json'))
```""",
)
GOOD = (
    {
        "phases/1-look.md": "# Look\n\n```javascript\nWrite('run/part1.json', JSON.stringify(risks))\n```\n",
        "phases/2-tell.md": "# Tell\n\n```javascript\nconst goals = JSON.parse(Read('goals/part2.json'))\n```\n",
    },
    """The user puts `prices.json` into `work/`.

```python
with open("work/goals.json", "w") as out:
    json.dump(goals, out)
costs = json.load(open("work/prices.json"))
```""",
)


def look(case: Case) -> Iterator[Evidence]:
    """Yield the first read of each such file."""
    skill, files = case.skill, run_files(case.skill)
    lost = {file.spelling: file for file in files.values() if file.writes and not file.reads}
    folders: dict[str, list[RunFile]] = {}
    for file in files.values():
        if file.writes and file.reads and all(place.is_tool for place in file.writes + file.reads):
            folders.setdefault(file.folder, []).append(file)
    for file in files.values():
        if file.reads and not file.writes:
            near, beside = lost.get(file.spelling), folders.get(file.folder, [])
            reason = _of_near(skill, file, near) or _of_folder(skill, file, beside)
            if reason and is_only_there(skill, file.reads, file.name):
                also = tuple(f"{place.where}: {file.name}" for place in file.reads[1:])
                message = f"`{file.name}` is read here and nothing in the skill writes it: {reason}."
                yield Evidence(file.reads[0].path, file.reads[0].use.line, message, also=also)


def _of_near(skill: Skill, file: RunFile, near: RunFile | None) -> str:
    """Return that other code writes a file of the same name in another spelling, and nothing reads that one."""
    if near is None or {place.code for place in near.writes} & {place.code for place in file.reads}:
        return ""
    unread = is_only_there(skill, near.writes, near.name)
    return f"{near.writes[0].where} writes `{near.name}`, which nothing reads" if unread else ""


def _of_folder(skill: Skill, file: RunFile, beside: list[RunFile]) -> str:
    """Return that the other files of its folder are written by the steps of the skill itself."""
    tools = all(place.is_tool and not place.is_guarded for place in file.reads)
    if not tools or len(beside) < _SEVERAL or not is_closed(skill, file.folder):
        return ""
    first = beside[0]
    return f"the files beside it come from steps of the skill, such as `{first.name}` in {first.writes[0].where}"
