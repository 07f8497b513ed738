"""A sub-agent that returns full content.

What it sees: A prompt of a sub-agent, or a sentence about one, that asks it to return a whole text: the full report, the
complete file contents, all the code.

Why it is bad: A sub-agent has a context of its own so that its reading does not fill the main one. What it returns enters
the main context whole, and stays there.

Instead: Let it write the text to a file and return the path with a short summary.

May be wrong: When the whole text is short, or when the main session needs each word of it.
"""

from collections.abc import Iterator

from actions.facts.agents.conveying import Way, conveyances
from actions.facts.agents.returning import full_returns
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="CTX-004",
    family=Family.CONTEXT,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("output_minimization",),
)

BAD = (
    "# Map\n\n```javascript\nTask({\n  subagent_type: 'explorer',\n"
    "  prompt: `Explore the billing module. Return the full source of every file that you read.`\n})\n```\n",
    "# Review\n\nStart one sub-agent per module. Each sub-agent returns its complete report.\n",
    '# Review\n\n```python\nAgent(prompt="""Review the module.\nReturn the entire analysis.""")\n```\n',
    "# 审查\n\n为每个模块启动一个子代理。子代理返回完整的分析报告。\n",
    "# 翻译\n\n每章交给一个子代理，子代理返回该章的全部正文。\n",
    "# Scan\n\nStart a sub-agent per folder. Ask it to send back everything it read, unabridged.\n",
    "# Scan\n\n| Agent | Returns |\n|---|---|\n| explorer | full source of each module |\n",
    "# 扫描\n\n请一个子代理查看目录。它看完后把文件原文全部贴回来，不要总结。\n",
    "# Law\n\nOne general-purpose helper per statute, this prompt:\n\n> Find the statute. In your answer give its wording from the first paragraph to the last, nothing left out.\n\nIf it fails, note “not found”.\n",
    "# 合同\n\n每份合同派一个帮手，提示：\n\n> 找出违约条款。回话时把整份合同一字不落抄在后面。\n\n没回话就记“未查”。\n",
    "# Mail\n\n```js\nconst r = Agent({ subagent_type: 'general-purpose', prompt: `Read the thread ${id}. Answer with every mail of it, word for word.` })\nif (!r) stop()\n```\n",
    "# Mail\n\nHelpers read the threads; each one hands back the mails in full.\n\nIf one fails, leave it out.\n",
    "# 邮件\n\n帮手读完后，把邮件原文全部交上来。\n\n失败时跳过。\n",
)
GOOD = (
    "# Map\n\n```javascript\nTask({ prompt: `Explore the billing module. Write the report to ${out} and return its path.` })\n```\n",
    "# Review\n\nEach sub-agent returns its verdict in one line. A sub-agent never returns the full report.\n",
    "# Zotero\n\n```python\npath = zot.dump(item)  # returns the full file path\n```\n",
    "# 审查\n\n子代理把报告写入文件，只返回路径与摘要。\n",
    "# Scan\n\nHave the sub-agent read each contract in its entirety and reply with the clause numbers.\n",
    "# Scan\n\nThe worker agent's answer must be a summary, not the whole document.\n",
    "# Law\n\nOne general-purpose helper per statute, this prompt:\n\n> Read the statute from the first paragraph to the last. In your answer give its number and one line.\n\nIf it fails, note “not found”.\n",
    "# 合同\n\n每份合同派一个帮手，提示：\n\n> 从头到尾看完合同，回话只要条款号。\n\n没回话就记“未查”。\n",
    "# Letter\n\nThe user's letter:\n\n> Please send the whole file back.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each such request."""
    for file in case.skill.instructions:
        asked = {found.line: found.text.strip() for found in full_returns(file)}
        asked = {found.line: found.subject for found in conveyances(file) if found.way is Way.BACK} | asked
        for line, text in sorted(asked.items()):
            if not file.doc.is_counterexample(line):
                yield Evidence(file.path, line, f"The sub-agent returns a whole text ({text}) into the main context.")
