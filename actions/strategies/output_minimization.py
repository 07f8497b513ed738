"""Lets a sub-agent write its whole text to a file and return the path with a summary."""

import re

from actions.facts.agents.returning import FullReturn, full_returns
from actions.skill import Case
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy(name="output_minimization", mends=("CTX-004",), risk=Risk.MEDIUM)

_AND_MORE = re.compile(r"\s*(?:、|以及|和|及|,?\s+and\s+(?:the|its|all|every)\b)")


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the new request at the issue's line; None where the clause does not stand once on it, or asks for more."""
    file = case.skill.by_path[issue.location.file]
    found = next((f for f in full_returns(file) if f.line == issue.location.line_start), None)
    line = file.doc.line(found.line) if found else ""
    if found is None or line.count(found.text) != 1 or _AND_MORE.match(line.split(found.text)[1]):
        return None
    return Draft(
        writes={file.path: edit(file, [Edit(found.line, found.line, [line.replace(found.text, _asked(found))])])},
        description=f"Asks for a summary and a path instead of “{found.text}”.",
        rationale="What a sub-agent returns enters the main context whole.",
        impact="The main context holds ten lines per sub-agent; the text is in a file.",
        token_limit=30,
        rewrites=(found.sentence,),
    )


def _asked(found: FullReturn) -> str:
    if found.chinese:
        return f"把{found.what}全文写入文件，只返回其路径与不超过 10 行的摘要"
    third = found.verb.lower().split()[0].endswith("s")
    write, verb = ("writes", "returns") if third else ("write", "return")
    begin = write.capitalize() if found.text[0].isupper() else write
    return f"{begin} the full {found.what} to a file and {verb} its path and a summary of ten lines at most"


BEFORE = (
    "# Map\n\nIf the sub-agent fails, ask the user.\n\n```javascript\nTask({\n  subagent_type: 'general-purpose',\n"
    "  prompt: `Explore the billing module.\nReturn the full report.`\n})\n```\n",
    "# Review\n\nStart one sub-agent per module; if it fails, ask the user. Each sub-agent returns its complete analysis.\n",
    "# 审查\n\n为每个模块启动一个子代理，失败时询问用户。子代理返回完整的分析报告。\n",
)
AFTER = (
    "# Map\n\nIf the sub-agent fails, ask the user.\n\n```javascript\nTask({\n  subagent_type: 'general-purpose',\n"
    "  prompt: `Explore the billing module.\n"
    "Write the full report to a file and return its path and a summary of ten lines at most.`\n})\n```\n",
    "# Review\n\nStart one sub-agent per module; if it fails, ask the user. "
    "Each sub-agent writes the full analysis to a file and returns its path and a summary of ten lines at most.\n",
    "# 审查\n\n为每个模块启动一个子代理，失败时询问用户。子代理把分析报告全文写入文件，只返回其路径与不超过 10 行的摘要。\n",
)
