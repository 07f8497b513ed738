"""Correct a misspelled sub-agent type to the only agent, in the skill or built in, that has a similar name."""

import re

from actions.case import Case
from actions.fixes.strategies.edits import draft_line_changes
from actions.fixes.strategies.strategy import Draft, Strategy
from actions.skill.agents import find_intended_type, find_started_agents
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("correct_agent_type", fixes=("AGT-007",), risk=Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Correct the agent type in all calls with this spelling, unless other text also uses the misspelled name."""
    skill, at = case.skill, issue.location
    calls = [call for call in find_started_agents(skill) if call.type]
    calls_at_issue = (
        c for c in calls if c.file.path == at.file and c.call.line <= (at.line_start or 0) <= c.call.line_end
    )
    type = next((call.type for call in calls_at_issue if call.type and find_intended_type(skill, call.type)), "")
    intended = find_intended_type(skill, type) if type else None
    places = [(c.file.path, c.code.line(c.call.named["subagent_type"])) for c in calls if c.type == type]
    if intended is None or skill.is_mentioned(type, ignored_lines=frozenset(places)):
        return None
    quoted_type = re.compile(rf"(?<=[\"'`]){re.escape(type)}(?=[\"'`])")
    lines = {(path, n): quoted_type.sub(intended, skill.by_path[path].doc.line(n)) for path, n in places}
    return draft_line_changes(
        skill,
        lines,
        description=f"Replace the sub-agent type `{type}` with `{intended}`.",
        rationale="No agent has that name, and only one agent has a similar name.",
        impact="The call starts an agent that exists.",
    )


_CALL = """# Review

```python
style = Task(subagent_type="{}", prompt="Judge the style.")
```

When it fails, go on without it.
"""
_AGENT = {"agents/style-reviewer.md": "# Style\n\nJudge style.\n"}
BEFORE = (
    {"SKILL.md": _CALL.format("style-reviwer"), **_AGENT},
    {"SKILL.md": _CALL.format("style-reviewers"), **_AGENT},
)
AFTER = ({"SKILL.md": _CALL.format("style-reviewer"), **_AGENT},) * 2
