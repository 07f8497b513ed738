"""A wait or a retry has no limit.

It is:
- a loop or an order to poll, retry or repeat until a condition holds, with no maximum number of rounds and no deadline
- a loop in code that cannot end (proven)
It is not:
- a loop over a list, or one that a counter, a deadline or the user ends
- a server, a watcher or a generator that is meant to keep running
- work that is repeated until a list is empty, where each round removes something from it
- a loop whose limit is stated in another sentence of the step or of SKILL.md
Low when:
- the work that the loop waits for always ends
Why it is bad: A test that never passes, an agent that never answers or a file that never appears keeps the run going
until the context or the budget is used up.
Instead: Give the loop a limit, such as three attempts, and say what happens when it is reached.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.code.loops import Loop, find_endless_loops, may_loop
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.skill import SkillFile

PATTERN = Pattern(
    id="AGT-008",
    impact=("blocks",),
    strategies=("bound_loop",),
    kinds=(UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT),
)
_SERVICE_WORDS = (
    "serve watch daemon listen monitor KeyboardInterrupt signal stdin input( accept( recv Thread readline async await"
).split()
"""Texts in a program that is meant to keep running or that a user stops. `read` counts only as a whole word."""
_LIMIT_WORDS = (
    *("max", "at most", "limit", "attempts", "up to", "no more than", "deadline", "timeout", "time-out"),
    *("最多", "上限", "至多", "不超过", "超时"),
)
"""Words that may state a limit. Loops in a file with such a word are not checked, but left to a model."""
BAD = (
    """```javascript
while (!accepted) {
  Task({ subagent_type: "general-purpose", prompt: `Fix what the review of ${diff} found.` })
}
```""",
    """```python
while not finished:
    Bash("gh run list --json status")
    sleep(30)
```""",
)
GOOD = (
    """```javascript
do {
  Task({ subagent_type: "general-purpose", prompt: `Fix ${fault}.` })
  rounds++
} while (rounds < 3)
```""",
    """```python
while not finished:
    Bash("gh run list --json status")
```

After at most three rounds the user decides.
""",
)


def check(case: Case) -> Iterator[Finding]:
    """Find loops that cannot end. In a Markdown fence, only loops that call a tool count."""
    for file in case.skill.sources:
        codes = [code for code in file.codes if may_loop(code, with_tools=file.is_markdown)]
        is_limited = any(word in file.lower for word in _LIMIT_WORDS) if codes else True
        for code in codes if not is_limited and (file.is_markdown or not _may_keep_running(file)) else ():
            for loop in find_endless_loops(code, with_tools=file.is_markdown):
                yield Finding(file.path, loop.line, _describe_loop(loop), loop.line_end)


def _may_keep_running(file: SkillFile) -> bool:
    text = f"{file.path}\n{file.text}"
    return any(word in text for word in _SERVICE_WORDS) or "read" in file.codes[0].words


def _describe_loop(loop: Loop) -> str:
    condition = f"with condition `{loop.condition[:80]}`" if loop.condition else "without a condition"
    return f"The loop {condition} never ends. Nothing in it changes the condition or leaves the loop."
