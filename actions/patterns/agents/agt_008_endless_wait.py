"""A wait or a retry without a bound.

What it sees: pseudo-code that loops until an outcome (`while (!done)`, `while True`, `until … ; do sleep`) with no
counter, limit, deadline or question to the user, and sentences that order to poll, retry or repeat until something is
so, with no bound beside them. Also, as low: a bounded loop that sleeps to wait for sub-agents, and a table of messages
to react to with no word about how long to wait for them.

Why it is bad: a test that never passes, an agent that never answers or a file that never comes keeps the run going
until the context or the budget is used up. A model has no sense of time: each look costs a turn.

Instead: give the loop a limit (`attempts < 3`, "at most 3 times"), and say what happens when it is reached. Wait for a
sub-agent by calling it in the foreground, not by looking again and again.

May be wrong: where the thing waited for always comes to an end by itself. Prose is medium, for a reader may stop by
sense, and low where the outcome is a matter of taste or a reference explains a library. A loop in a shell is low, for the tool that runs it has a
timeout of its own.
"""

import re
from collections.abc import Iterator

from actions.facts.agents.calls import agent_steps
from actions.facts.agents.loops import CodeLoop, code_loops, endless_sentences
from actions.facts.own import is_workflow
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Section, SkillFile
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="AGT-008",
    family=Family.AGENT,
    impact=("blocks", "easy"),
    confidence=Confidence.HIGH,
    strategies=("bound_loop",),
)

BAD = (
    """# Build

```javascript
let green = false
while (!green) {
  Task({ subagent_type: "general-purpose", prompt: `Mend the first broken test in ${module}.` })
  green = Bash("npm test").exitCode === 0
}
```

If the agent fails, report it.
""",
    """# Wait for the export

```python
while True:
    state = Read("export/status.json")
    if state["ready"]:
        break
    Bash("sleep 20")
```
""",
    """# Release

1. Tag the commit.
2. Re-run the pipeline until it is green.
3. Publish.
""",
    """# 部署

部署之后不断轮询健康检查接口，直到返回成功。

然后通知频道。
""",
    """# Sketch

Show the sketch to the critic. Keep mending it with the notes
of the critic until there are no errors in it.
""",
    """# Import

When the query fails, wait ten seconds and keep trying until it goes through.
""",
    """# Ship

Check the status page every minute until the deployment is finished.
""",
    """# 打印

打印机没有响应时，每隔一分钟重试一次，直到它响应。
""",
    """# 导入

子代理超时的话就一直重试，直到成功为止。
""",
    """# Start the server

```bash
until curl -sf localhost:8080/health; do
  sleep 2
done
```
""",
    """# Release

Re-run the pipeline until it is green, three times at least.
""",
    "# Ship\n\nWhen the build is red, mend it and build once more, and go on like that as long as it takes to get it green.\n",
    "# 编译\n\n编译不过就改，改完再编译一遍，如此往复，直到通过。\n",
    "# Ship\n\nIf the page is not up yet, wait a bit and look once more, again and again until it is there.\n",
    "# Ship\n\nThe tests fail? Fix, run, fix, run: do not stop before everything is green.\n",
    "# Deploy\n\nRun `kubectl get pods` every 10 seconds until they are all up.\n",
    "# Weigh\n\nWeigh each parcel a second time. As long as the two differ, have it weighed once more.\n",
    "# Wait\n\nKeep checking the queue every few seconds. Then go on.\n",
    "# 写\n\n不行就重写，直到满意为止。\n",
    "# 候车\n\n1. 查下一班。\n2. 没有座位就等二十秒再查，一直查到有座为止。\n",
)

GOOD = (
    """# Import

When the query fails, wait ten seconds and keep trying until it goes through; give up after the third time.

Poll the export until it is ready. If it times out, stop and tell the user.
""",
    """# 导入

子代理超时的话就一直重试，直到成功为止，最多 3 次。
""",
    """# Build

```javascript
let attempts = 0
while (!green && attempts < 3) {
  Task({ subagent_type: "general-purpose", prompt: `Mend the first broken test in ${module}.` })
  green = Bash("npm test").exitCode === 0
  attempts++
}
```

If the agent fails, report it.
""",
    """# Release

Re-run the pipeline until it is green, at most three times; then stop and show the log.
""",
    """# 部署

轮询健康检查接口直到返回成功，最多 10 次；仍失败则终止并上报。
""",
    """# Sketch

Keep mending the sketch with the notes
of the critic until there are no errors in it, for three rounds at most.
""",
    """# Interview

Repeat the questions until the user is content.

```javascript
while (queue.length > 0) {
  const item = queue.shift()
  Read(item.path)
}
```
""",
    """# Workers for a queue library

Your consumer waits for messages like this:

```python
while True:
    message = receiver.receive(max_wait_time=5)
    handle(message)
```
""",
    "# Ship\n\nWhen the build is red, mend it and build once more; then stop.\n",
    "# Ship\n\nGo on like this as long as the user wants.\n",
    "# Weigh\n\nWeigh each parcel a second time. While the two differ, have it weighed again, three times in all.\n",
    "# Deploy\n\nRun `kubectl get pods` every 10 seconds until they are up, for at most 5 minutes.\n",
)

_TABLE_OF_MESSAGES = re.compile(
    r"^\|[^|]*(?:message|event|收到|消息)[^|]*\|[^|]*(?:action|reaction|handling|do|处理|动作|响应)[^|]*\|",
    re.IGNORECASE,
)
_LOOP_TITLE = re.compile(r"\bloop\b|\bmonitor|\bwait|coordination|循环|监控|等待|协调", re.IGNORECASE)
_HOW_LONG = re.compile(
    r"time[ -]?out|\bpoll|\bsleep|synchron|blocking|foreground|run_in_background|callback|\bminutes?\b|\bseconds?\b|stop-wait"
    r"|\bRead\([^)\n]*\.md|\]\(|超时|轮询|同步|阻塞|回调|分钟|秒|等待.{0,6}次",
    re.IGNORECASE,
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the loops in code, then the sentences, file by file."""
    has_agents = bool(agent_steps(case.skill))
    for file in case.skill.instructions:
        yield from (
            _in_code(file, loop)
            for loop in code_loops(file, case.skill)
            if not loop.bounded or loop.asks or (loop.sleeps and has_agents)
        )
        for sentence in endless_sentences(file):
            message = "This is to be repeated until it succeeds, and nothing says when to stop."
            ours = file is case.skill.main or is_workflow(case.skill)
            severity = Severity.MEDIUM if sentence.hard and ours else Severity.LOW
            yield Evidence(file.path, sentence.line, message, severity=severity, confidence=Confidence.MEDIUM)
        if has_agents:
            yield from _messages_without_end(file)


def _in_code(file: SkillFile, loop: CodeLoop) -> Evidence:
    block, last = loop.block, min(loop.block.end, loop.fence.end)
    if loop.asks:
        message = "This loop asks the user in each round and has no limit (low: the user can end it)."
        return Evidence(file.path, block.start, message, last, severity=Severity.LOW, confidence=Confidence.MEDIUM)
    if loop.bounded:
        message = "This loop sleeps and looks again to wait for an agent; a call in the foreground returns by itself (low: it is bounded)."
        return Evidence(file.path, block.start, message, last, severity=Severity.LOW, confidence=Confidence.MEDIUM)
    if loop.in_shell:
        message = "This shell loop has no limit (low: the tool that runs it has a timeout)."
        return Evidence(file.path, block.start, message, last, severity=Severity.LOW)
    return Evidence(file.path, block.start, "This loop has no limit: it goes on until its outcome comes.", last)


def _messages_without_end(file: SkillFile) -> Iterator[Evidence]:
    for number, line in file.doc.rows:
        if _TABLE_OF_MESSAGES.match(line):
            section = file.doc.section_at(number)
            if _LOOP_TITLE.search(section.title) and not _HOW_LONG.search(_text(file, section)):
                message = (
                    f"“{section.title}” waits for messages and does not say how, nor how long (low: other parts may)."
                )
                yield Evidence(file.path, number, message, severity=Severity.LOW, confidence=Confidence.MEDIUM)


def _text(file: SkillFile, section: Section) -> str:
    """Give the section without its subsections."""
    end = next((s.start - 1 for s in file.doc.sections if section.start < s.start <= section.end), section.end)
    return "\n".join(file.doc.lines[section.start - 1 : end])
