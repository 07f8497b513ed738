"""A sub-agent's answer used unchecked.

It is:
- code or prose that parses the answer of a sub-agent, with no word about an answer that cannot be parsed
- code that takes the answer apart, a member of a member, with no look at it before
- an order to take over what a sub-agent reports, such as "all tests pass", where a cheap look would show it
It is not:
- an answer that is handed on or printed as it is
- an answer that is tested, caught or checked by a function or a schema first
- a skill that says what to do when an answer is not as expected, in whatever words
- a sub-agent that may fail and of which nobody speaks: that is AGT-001
Why it is bad: A sub-agent answers with text: it may wrap the JSON in prose, cut it short or give none. The parse then
ends the run, or the model makes the missing fields up.
Instead: Check the answer, ask once more, and stop with the raw answer in hand.
"""

from collections.abc import Iterator

from tree_sitter import Node

from actions.code.results import PARSERS, consumer, is_dereferenced, is_guarded, uses_after
from actions.patterns.pattern import Evidence, Family, Pattern
from actions.skill import Case
from actions.skill.agents import AgentCall, is_failure_covered, started_agents

PATTERN = Pattern(
    id="AGT-002", family=Family.AGENT, impact=("loses", "easy"), strategies=("result_validation",), cause="unchecked"
)
_WHOLE = ("statement", "declaration", "declarator", "assignment", "program", "module")
BAD = (
    """```javascript
const answer = await Task({ subagent_type: "Explore", prompt: `Score each page of ${folder}. Return JSON.` })
const scores = JSON.parse(answer)
```""",
    """```javascript
const result = Task({ subagent_type: "Explore", prompt: `Score each page of ${folder}. Return JSON.` })
const low = result.pages.filter(page => page.score < 3)
```""",
)
GOOD = (
    """```javascript
const answer = await Task({ subagent_type: "Explore", prompt: "List the pages as JSON." })
if (!answer.startsWith("[")) return ask("The list is no JSON. Go on without it?")
const pages = JSON.parse(answer)
```""",
    """```javascript
const result = await Task({ subagent_type: "Explore", prompt: "List the pages as JSON." })
const pages = result?.pages ?? []
const checked = PageList.parse(JSON.parse(result))
```""",
)


def look(case: Case) -> Iterator[Evidence]:
    """Yield each call whose answer is parsed or taken apart with no test of it anywhere."""
    for one in started_agents(case.skill):
        if is_failure_covered(case.skill, one.file) or is_guarded(one.code, one.call):
            continue
        use = _blind_use(one)
        if use is not None:
            line, name = one.code.line(use), one.call.name
            message = (
                f"`{_statement(one, use)}` in {one.file.path}:{line} relies on the answer of `{name}` in line"
                f" {one.call.line}, and nothing checks that the answer has that form."
            )
            yield Evidence(one.file.path, one.call.line, message, max(line, one.call.line_end))


def _blind_use(one: AgentCall) -> Node | None:
    """Return where the answer is parsed or taken apart before anything else has it."""
    if consumer(one.code, one.call.node) in PARSERS:
        return one.call.node
    for use in uses_after(one.code, one.call):
        taker = consumer(one.code, use)
        if taker in PARSERS or (taker is None and is_dereferenced(use)):
            return use
        if taker is not None:
            return None
    return None


def _statement(one: AgentCall, use: Node) -> str:
    if use == one.call.node:
        return f"{consumer(one.code, use)}({one.call.name}(...))"
    outer, row = use, use.start_point.row
    while (parent := outer.parent) and parent.start_point.row == parent.end_point.row == row:
        if parent.type.endswith(_WHOLE):
            break
        outer = parent
    return " ".join(one.code.said(outer).split())[:80]
