"""Goes on with a value itself where the text writes it to a file only to read it back.

Only where both calls stand in one block of pseudo-code, each on a line of its own, and nothing changes the value in
between; relays in prose are left to the author.
"""

import re

from actions.example import Example
from actions.facts.dataflow.file_names import base
from actions.facts.dataflow.relays import CodeRelay, Relay, code_relay, relays
from actions.skill import Case, SkillFile
from actions.skill.code import code_fences
from actions.strategies.edits import Edit, edit, reworded
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy(
    "context_passing",
    ("APV-002", "DF-008", "TKN-005"),
    Risk.LOW,
    aliases=("in_memory_consolidation", "eliminate_intermediate_files"),
)
_READ = r"(?:JSON\.parse\(\s*)?(?:await\s+)?Read\("


def propose(issue: Issue, case: Case) -> Draft | None:
    """Take the write out and put the value in the place of the read."""
    file = case.skill.by_path.get(issue.location.file)
    line = issue.location.line_start or 0
    relay = next((r for r in relays(case.skill) if r.file == issue.location.file and line in (r.write, r.read)), None)
    only = relay is not None
    if relay is None and issue.pattern == "TKN-005" and file:
        relay = _read_again(file, line)
    found = code_relay(file, relay) if file and relay else None
    if file is None or relay is None or found is None or not _plain(file, found):
        return None
    read = _without_file(file.doc.line(relay.read), found.value)
    if read is None:
        return None
    changes = [Edit(relay.read, relay.read, [read]), *([Edit(relay.write, relay.write, [])] if only else [])]
    end = "is no longer written and read back" if only else "is not read back"
    return Draft(
        writes={file.path: edit(file, changes)},
        description=f"Use `{found.value}` directly; `{base(relay.name)}` {end}.",
        rationale="The value is already there."
        if not only
        else "Nobody else reads the file, and the value is already there.",
        impact="The content is not paid for again in each run.",
        token_limit=0,
        drops=(file.doc.line(relay.write),) if only else (),
        rewrites=reworded(file, changes),
    )


def _read_again(file: SkillFile, line: int) -> Relay | None:
    """Give the write just above of what a line reads, where others need the file too."""
    for fence in code_fences(file, "Write("):
        read = next((c for c in fence.calls if c.base == "Read" and c.line == line), None)
        if read:
            path = read.args.strip()
            above = [c for c in fence.calls if c.base == "Write" and c.line < line and c.args.strip().startswith(path)]
            return Relay(path.strip("`'\""), file.path, above[-1].line, line) if above else None
    return None


def _plain(file: SkillFile, found: CodeRelay) -> bool:
    """Whether the write is a whole line and the value stays as it is until the read."""
    written = file.doc.line(found.write.line).strip()
    whole = found.write.line == found.write.line_end and re.fullmatch(r"(?:await\s+)?Write\(.*\)\s*;?", written)
    root = re.escape(found.value.split(".")[0])
    changes = re.compile(
        rf"(?<![\w$.]){root}(?:[\w$.\[\]]*)\s*(?:[-+*|&?]{{0,2}}=(?!=)|\.(?:push|splice|sort|set|delete|assign)\()"
    )
    between = [file.doc.line(n) for n in range(found.write.line + 1, found.read.line + 1)]
    return bool(whole) and found.read.line == found.read.line_end and not any(map(changes.search, between))


def _without_file(line: str, value: str) -> str | None:
    match = re.search(_READ, line)
    if match is None:
        return None
    depth, end = 0, -1
    for end in range(match.start(), len(line)):
        depth += (line[end] == "(") - (line[end] == ")")
        if depth == 0 and line[end] == ")":
            return line[: match.start()] + value + line[end + 1 :]
    return None


BEFORE: tuple[Example, ...] = (
    """# Join

```javascript
const rows = collect(sources)
Write(`${tmp}/rows.json`, JSON.stringify(rows, null, 2))
const again = JSON.parse(Read(`${tmp}/rows.json`))
const table = render(again)
```

Show the table.
""",
    """# 汇总

```javascript
const groups = byOwner(files);
Write("tmp/groups.txt", groups);
console.log("分组完成")
for (const group of Read("tmp/groups.txt")) {
  tell(group);
}
```
""",
    {
        "SKILL.md": "# Split\n\n```javascript\nWrite(`${dir}/parts.json`, JSON.stringify(parts))\nconst loaded = JSON.parse(Read(`${dir}/parts.json`))\nloaded.forEach(part => handle(part))\n```\n\nThen read `phases/join.md`.\n",
        "phases/join.md": "# Join\n\nRead `parts.json` and join the parts.\n",
    },
)
AFTER: tuple[Example, ...] = (
    """# Join

```javascript
const rows = collect(sources)
const again = rows
const table = render(again)
```

Show the table.
""",
    """# 汇总

```javascript
const groups = byOwner(files);
console.log("分组完成")
for (const group of groups) {
  tell(group);
}
```
""",
    {
        "SKILL.md": "# Split\n\n```javascript\nWrite(`${dir}/parts.json`, JSON.stringify(parts))\nconst loaded = parts\nloaded.forEach(part => handle(part))\n```\n\nThen read `phases/join.md`.\n",
        "phases/join.md": "# Join\n\nRead `parts.json` and join the parts.\n",
    },
)
