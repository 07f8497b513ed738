"""A wait or a retry without a bound.

It is:
- a loop or an order to poll, retry or repeat until something is so, with no maximum number of rounds and no deadline
- a loop in code that cannot end (proven)
It is not:
- a loop over a list, or one that a counter, a deadline or the user ends
- a server, a watcher or a generator that is meant to run on
- work that is repeated until a list is empty, where each round removes something from it
- a limit in another sentence of the step or of SKILL.md
Low when:
- what is waited for always ends
Why it is bad: A test that never passes, an agent that never answers or a file that never comes keeps the run going
until the context or the budget is used up.
Instead: Give the loop a limit, such as three attempts, and say what happens when it is reached.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.code.loops import Loop, endless_loops, may_loop
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.skill import SkillFile

PATTERN = Pattern(
    id="AGT-008",
    impact=("blocks",),
    strategies=("bound_loop",),
    kinds=(UnitKind.SKILL, UnitKind.COMMAND, UnitKind.AGENT),
)
_RUNS_ON = (
    "serve watch daemon listen monitor KeyboardInterrupt signal stdin input( accept( recv Thread readline async await"
).split()
"""Words of a program that is meant to keep running, or is ended from outside; so is `read` as a whole word."""
_BOUND = (
    *("max", "at most", "limit", "attempts", "up to", "no more than", "deadline", "timeout", "time-out"),
    *("最多", "上限", "至多", "不超过", "超时"),
)
"""Words for a bound: the loops of a file with one of them are left to the judge."""
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
    """Find loops that cannot end: all in scripts, and those that call tools in fences."""
    for file in case.skill.sources:
        codes = [code for code in file.codes if may_loop(code, with_tools=file.is_markdown)]
        ended = any(word in file.lower for word in _BOUND) if codes else True
        for code in codes if not ended and (file.is_markdown or not _runs_on(file)) else ():
            for loop in endless_loops(code, with_tools=file.is_markdown):
                yield Finding(file.path, loop.line, _message(loop), loop.line_end)


def _runs_on(file: SkillFile) -> bool:
    text = f"{file.path}\n{file.text}"
    return any(word in text for word in _RUNS_ON) or "read" in file.codes[0].words


def _message(loop: Loop) -> str:
    condition = f"with condition `{loop.condition[:80]}`" if loop.condition else "without a condition"
    return f"The loop {condition} never ends. Nothing in it changes the condition or leaves the loop."
