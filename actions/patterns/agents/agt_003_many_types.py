"""More than three types of sub-agents.

What it sees: a skill that sets more than three different sub-agent types to work, in code, in prose, or in a table
or a sentence that counts them off.

Why it is bad: each type has its own manners and its own form of answer; whoever joins their work must know them all,
and every change touches several of them.

Instead: give one general type different prompts, or join types that do nearly the same.

May be wrong: in a team of roles that is the point of the skill, and types may stand for one another in different modes. So
it is low; where a list of the agents used tells what each is for, they were chosen on purpose.
"""

from collections.abc import Iterator

from actions.facts.agents.types import registered, roster
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(id="AGT-003", family=Family.AGENT, impact=("every_run",), confidence=Confidence.MEDIUM)

_CALLS = "\n".join(
    f'const r{n} = Task({{ subagent_type: "{kind}", prompt: `Look at ${{part}} as a {kind}.` }})\nif (!r{n}) return\n'
    for n, kind in enumerate(("css-critic", "html-critic", "js-critic", "copy-critic"), 1)
)
BAD = (
    "# Deeds\n\n- `surveyor` agent measures\n- `costing` agent prices\n- `legal` agent reads the deeds\n- `writer` agent drafts\n\nStart each in turn; when one fails, do it yourself.\n",
    f"# Critique\n\n```javascript\n{_CALLS}```\n",
    """# Survey

1. Use the Task tool with subagent_type="Explore" to find the folders.
2. Use the Task tool with subagent_type="Plan" to order them.
3. Use the Task tool with subagent_type="map-drawer" to draw the map.
4. Use the Task tool with subagent_type="legend-writer" to write the legend.

If an agent fails, report it.
""",
    """# Booklet

The booklet is made by five agents: `synopsis-writer`, `cast-checker`, `essayist`, `translator` and `layouter`. Start them
in that order. When one of them fails, do its part yourself.
""",
    """# 审查

| 角色 | 负责 | 启动方式 |
|---|---|---|
| 样式 | 颜色 | `subagent_type="css-critic"` |
| 结构 | 标题 | `subagent_type="html-critic"` |
| 脚本 | 事件 | `subagent_type="js-critic"` |
| 文案 | 错字 | `subagent_type="copy-critic"` |

子代理失败时跳过并报告。
""",
)
GOOD = (
    f"# Critique\n\n**Agents used**:\n- `css-critic` - colours\n- `html-critic` - headings\n- `js-critic` - events\n- `copy-critic` - spelling\n\n"
    f"```javascript\n{_CALLS}```\n",
    """# Critique

```javascript
for (const part of ["css", "html", "js", "copy"]) {
  const r = Task({ subagent_type: "general-purpose", prompt: `Look at the ${part} of the page.` })
  if (!r) return
}
```
""",
    """# Survey

1. Use the Task tool with subagent_type="Explore" to find the folders.
2. Use the Task tool with subagent_type="Plan" to order them.

If an agent fails, report it.
""",
)

_MOST = 3


def look(case: Case) -> Iterator[Evidence]:
    """Give one finding at the first place of the first type."""
    types = roster(case.skill)
    if len(types) > _MOST and not registered(case.skill).issuperset(t.name for t in types):
        first = types[0]
        names = ", ".join(f"`{named.name}`" for named in types[:8])
        also = tuple(f"{t.file.path}:{t.line}: {t.name}" for t in types if t is not first)
        message = f"The skill sets {len(types)} types of sub-agents to work: {names}."
        yield Evidence(first.file.path, first.line, message, also=also)
