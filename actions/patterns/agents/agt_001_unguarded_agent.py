"""A sub-agent call without error handling.

What it sees: a step that sets a sub-agent to work (`Task({…})`, `Agent(…)`, `spawn_agent(…)`, or prose that tells to
launch one) with no try/catch, no test of its outcome, and no sentence that says what to do when it fails or times
out; a timeout branch that does nothing but tell that time is up. As low: one that gives the agent up at once, a
row of a table whose column for failures is blank for a sub-agent, and a call that catches nothing where the others do.

Why it is bad: sub-agents fail, time out and come back empty. Without a word about it the next step works with nothing
and the run ends in a confident, wrong result.

Instead: catch the failure or say what happens then: run it once more, go on without it and name it in the report, or
stop.

May be wrong: when the skill that calls this one takes care of failures, or when the step is truly optional. Prose is
low: a reader may well react by itself.
"""

from collections.abc import Iterator

from actions.facts.agents.calls import AgentStep, agent_steps
from actions.facts.agents.guarding import is_guarded
from actions.facts.agents.tables import unprovided_rows
from actions.facts.agents.timeouts import Timeout, weak_timeouts
from actions.facts.agents.uncaught import uncaught_among_caught
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="AGT-001",
    family=Family.AGENT,
    impact=("loses", "easy"),
    confidence=Confidence.HIGH,
    strategies=("error_wrapping",),
    cause="unchecked",
)

_BY_HELPER = """# Barn

```js
async function guarded(opts) {
  try { return await Agent(opts) } catch (e) { errors.push(String(e)); return null }
}
const hay = await guarded({ subagent_type: 'general-purpose', prompt: `Count the bales of ${barn}.` })
if (!hay) skip()
```

"""
BAD = (
    _BY_HELPER
    + "```js\nconst oats = await Agent({ subagent_type: 'general-purpose', prompt: `Count ${sacks}.` })\nif (!oats) skip()\n```\n",
    "# Terms\n\nThe terms are left to an Explore agent, which sends back what it found. Put them into the glossary.\n",
    """# Audit

## Step 2: Look at the routes

```javascript
const routes = Task({
  subagent_type: "Explore",
  description: "List the routes",
  prompt: `Read everything below ${appDir}/routes and list each route with its handler.`
})
Write(`${outDir}/routes.md`, routes)
```
""",
    {
        "phases/01-collect.md": """# Phase 1: Collect

```python
notes = Task(
    subagent_type="general-purpose",
    description="Collect release notes",
    prompt=f"Collect the release notes of {package} since {version}.",
    "# Dub\n\n```python\nfor p in parts:\n    text = Agent(subagent_type='general-purpose', prompt=f'Transcribe {p}. Only the text.')\n    lines.append(text.strip() if text.strip().endswith('.') else text + '.')\n```\n",
    "# Dub\n\n```js\nconst n = await Agent({ subagent_type: 'general-purpose', prompt: `Count the seats in ${plan}.` })\ntotal += n.trim().length ? Number(n) : 0\n```\n",
    '# Songs\n\nFor every concert have a fresh general-purpose agent propose a programme.\n',
)
state["notes"] = notes
```

Go on with phase 2.
"""
    },
    """# Translate

1. Read the glossary.
2. Use the Task tool with subagent_type="general-purpose" to translate each chapter into German.
3. Join the chapters and hand the book to the reader.
""",
    """# 迁移

## 第二步

使用 Task 工具启动 subagent_type="general-purpose"，让它改写每个模块的导入语句。

## 第三步

把全部模块合并后提交。
""",
    """# Research

## Collect answers

Keep the agents' ids, then collect.

```javascript
const answers = wait({ ids, timeout_ms: 300000 })
if (answers.timed_out) {
  console.log("some scouts ran out of time")
}
merge(answers)
```
""",
    """# Research

```javascript
const answers = wait_agent({ timeout_ms: 300000 })
if (answers.timed_out) {
  open.forEach(id => close_agent({ target: id }))
  scouts.status = "failed"
}
```
""",
    """# Survey

For each module, have a general-purpose agent draw the map of its parts, and join the maps into one page.
""",
    """# 调研

1. 派一个子代理查询各省的休渔期，只回日期清单。
2. 将日期排进日历。
""",
    """# Survey

```python
maps = run_subagent("cartographer", f"Draw the map of {town}, one street per line")
show(maps.splitlines()[:40])
```
""",
    """# Survey

| Step | Who | On failure |
|---|---|---|
| Walk | you | ask the guide |
| Draw | a general-purpose agent | nothing foreseen |
""",
)

GOOD = (
    "# Audit\n\nFor each batch start one sub-agent:\n\n```js\ntry {\n  pages.push(await Task({ subagent_type: 'Explore', prompt: `Look at ${batch}` }))\n} catch (e) {\n  skipped.push(batch)\n}\n```\n",
    _BY_HELPER
    + "```js\nconst oats = await guarded({ subagent_type: 'general-purpose', prompt: `Count ${sacks}.` })\nif (!oats) skip()\n```\n",
    "# Terms\n\nThe terms are left to an Explore agent. When it comes back empty, look for them yourself.\n",
    """# Audit

```javascript
try {
  routes = Task({ subagent_type: "Explore", description: "List the routes", prompt: `List the routes below ${dir}.` })
} catch (error) {
  throw new Error(`The route scan failed: ${error.message}`)
}
```
""",
    """# Audit

```javascript
const routes = Task({ subagent_type: "Explore", description: "List the routes", prompt: `List the routes below ${dir}.` })
if (!routes) {
  return { status: "failed", reason: "no routes" }
}
```
""",
    {
        "SKILL.md": "# Notes\n\n[Collect](phases/01-collect.md)\n\n## Error handling\n\n| Case | Do |\n|---|---|\n"
        "| A sub-agent fails or times out | Run it once more, then go on without it |\n",
        "phases/01-collect.md": '# Collect\n\n```python\nTask(subagent_type="Explore", prompt="List all changes since the last tag.")\n```\n',
    },
    """# Translate

Use the Task tool with subagent_type="general-purpose" to translate each chapter. If one of them fails, retry it once
and then list the chapter as missing.
""",
    """# 迁移

使用 Task 工具启动 subagent_type="general-purpose" 改写每个模块。

子代理失败或超时时，重试一次；仍失败则跳过该模块并在报告中列出。
""",
    """# Research

```javascript
const answers = wait({ ids, timeout_ms: 300000 })
if (answers.timed_out) {
  ids.filter(id => !answers.status[id]).forEach(id => send_input({ id, message: "Return what you have." }))
  const late = wait({ ids, timeout_ms: 60000 })
  if (late.timed_out) {
    console.log("closing the rest")
  }
}
```
""",
    """# Teaching the crew library

Make the agent of your own program like this:

```python
from crew import Agent, Task

writer = Agent(role="writer", backstory="Likes short words", tools=[search])
Task(description="Write", expected_output="A page", agent=writer)
```

```javascript
const child = spawn("ls", ["-l"], { shell: true })
store.dispatch({ type: "SAVED" })
```
""",
    """# Survey

For each module, have a general-purpose agent draw the map of its parts. When one does not come back, draw that map
yourself.

| Step | Who | On failure |
|---|---|---|
| Draw | a general-purpose agent | draw it yourself |
""",
    "# Dub\n\n```python\nn = Agent(subagent_type='general-purpose', prompt=f'Count the seats in {plan}.')\ntotal += int(n) if n and n.isdigit() else 0\n```\n",
    "# Search\n\n1. For each question start a sub-agent.\n\n   > Answer with one line.\n\n2. If a sub-agent fails, say so in the summary.\n",
    "# Rules\n\nEvery sub-agent answers with one object and goes through `checked`.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the unguarded steps, one finding per file, and the timeout branches that do nothing."""
    bare: dict[str, list[AgentStep]] = {}
    for step in agent_steps(case.skill):
        if not is_guarded(step, case.skill):
            bare.setdefault(step.file.path, []).append(step)
    for path, steps in bare.items():
        yield _unguarded(path, steps)
    told = {(step.file.path, step.line) for steps in bare.values() for step in steps}
    uncaught = (step for step in uncaught_among_caught(case.skill) if (step.file.path, step.line) not in told)
    yield from map(_uncaught, uncaught)
    for file in case.skill.instructions:
        for line in unprovided_rows(file):
            message = "The table has a column for failures, and for this sub-agent it says nothing (low: it is prose)."
            yield Evidence(file.path, line, message, severity=Severity.LOW, confidence=Confidence.MEDIUM)
        yield from (_late(file.path, timeout) for timeout in weak_timeouts(file))


def _late(path: str, timeout: Timeout) -> Evidence:
    block, last = timeout.block, min(timeout.block.end, timeout.fence.end)
    if timeout.idle:
        done = "a line is logged, and the run goes on without" if timeout.tells else "nothing is done to save"
        message = f"When the wait times out, {done} the work of that agent."
        if timeout.cure:
            message += " A comment names what could be done (low: it may be meant)."
            return Evidence(path, block.start, message, last, severity=Severity.LOW, confidence=Confidence.MEDIUM)
        return Evidence(path, block.start, message, last)
    message = "When the wait times out, the agent is given up at once, with all that it has (low: that is a decision)."
    return Evidence(path, block.start, message, last, severity=Severity.LOW, confidence=Confidence.MEDIUM)


def _uncaught(step: AgentStep) -> Evidence:
    message = f"A failure of {step.name} is not caught, as it is around the other calls (low: the answer is looked at)."
    last, low = step.line_end, Severity.LOW
    return Evidence(step.file.path, step.line, message, last, severity=low, confidence=Confidence.MEDIUM)


def _unguarded(path: str, steps: list[AgentStep]) -> Evidence:
    first = next((step for step in steps if step.fence), next((step for step in steps if step.explicit), steps[0]))
    others = tuple(f"{path}:{s.line}: {s.file.doc.line(s.line).strip()[:120]}" for s in steps if s is not first)
    message = f"Nothing says what to do when {first.name} fails, times out or comes back empty"
    if first.fence is not None:
        return Evidence(path, first.line, f"{message}.", first.line_end, others)
    message += " (low: a reader may react by itself)."
    return Evidence(path, first.line, message, first.line_end, others, Severity.LOW, Confidence.MEDIUM)
