"""An instruction and its negation.

What it sees: Two rules about the same act in the same words, one with must or always, the other with never or not, neither with a
condition; or a prohibition of five words or more whose very words a plain order uses elsewhere.
Why it is bad: Whatever the model does, it breaks a rule; which one depends on what it read last.
Instead: Keep the one that is meant; if both are, say in each when it holds.
May be wrong: A heading above may set the case in which the rule holds; rules under headings of a mode are still compared.
"""

from collections.abc import Iterator

from actions.facts.docs.negations import opposites
from actions.model import Case
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="DOC-CON-003",
    family=Family.CONFLICT,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("drop_contradicted_rule",),
)
BAD = (
    {
        "SKILL.md": "# Plan\n\n- Always commit the plan file.\n\nRead `phases/01-plan.md`.\n",
        "phases/01-plan.md": "# Plan\n\nWrite the plan. **Never commit the plan file.**\n",
    },
    "# 发布\n\n- 必须修改锁定文件。\n- 写变更说明。\n\n## 规则\n\n- 禁止修改锁定文件。\n",
    "# Ask\n\nYou must ask the user about each file.\n\n## Speed\n\nDo not ask the user about each file.\n",
    "# Move\n\nDo not show the seller the lowest offer; it weakens the buyer.\n\n## Talk\n\nGreet the owner and show the seller the lowest offer.\n",
)
GOOD = (
    "# Move\n\nDo not show the seller the lowest offer.\n\n## Talk\n\nWhen the buyer agrees, show the seller the lowest offer.\n",
    "# Plan\n\n- Always commit the plan file before the review.\n- Never commit the plan file during the review.\n",
    "# 发布\n\n- 必须修改锁定文件。\n- 禁止修改配置文件。\n",
    "# Ask\n\nYou must ask the user about each file.\n\n## Never\n\nNever ask the user about folders.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each forbidding rule that another rule demands."""
    for pair in opposites(case.skill):
        told = f"This forbids what {pair.other}:{pair.at} demands: “{pair.demand[:100]}”."
        yield Evidence(pair.file, pair.line, told, also=(f"{pair.other}:{pair.at}: {pair.demand[:120]}",))
