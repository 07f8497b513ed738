"""Passes a summary on, where a sentence passes on the whole output of an agent or a phase."""

from actions.facts.agents.pasting import passings
from actions.skill import Case
from actions.strategies.edits import Edit, edit
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy(name="context_summarization", mends=("TKN-003",), risk=Risk.MEDIUM)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Draft the summary in the sentence at the issue's line; None for any other shape."""
    file = case.skill.by_path[issue.location.file]
    found = next((p for p in passings(file) if p.line == issue.location.line_start), None)
    line = file.doc.line(found.line) if found else ""
    if found is None or line.count(found.text) != 1:
        return None
    if found.chinese:
        text = f"将{found.subject}的摘要（不超过 10 行）及其路径传给{found.where}"
    else:
        begin = found.text.split()[0]
        text = f"{begin} a summary of {found.subject}, ten lines at most, and its path to {found.where}"
    return Draft(
        writes={file.path: edit(file, [Edit(found.line, found.line, [line.replace(found.text, text)])])},
        description=f"Passes a summary of {found.subject} and its path instead of the whole.",
        rationale="The whole text is paid where it is made and again where it is passed.",
        impact="The receiver reads the whole only when the summary does not do.",
        token_limit=30,
        rewrites=(found.sentence,),
    )


BEFORE = (
    "# Plan\n\nThe explorer writes a report. Pass the complete output of the explorer to the planner.\n",
    "# Plan\n\n1. When it is done, hand over the full report of the auditor to the writer, in one message.\n",
    "# 规划\n\n将探索阶段的完整输出传递给规划代理。\n",
)
AFTER = (
    "# Plan\n\nThe explorer writes a report. "
    "Pass a summary of the output of the explorer, ten lines at most, and its path to the planner.\n",
    "# Plan\n\n1. When it is done, hand a summary of the report of the auditor, ten lines at most, and its path to the writer, "
    "in one message.\n",
    "# 规划\n\n将探索阶段的输出的摘要（不超过 10 行）及其路径传给规划代理。\n",
)
