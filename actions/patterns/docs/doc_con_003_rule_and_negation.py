"""An instruction and its negation.

What it sees: Two rules about the same act in the same words, one with must or always, the other with never or not, neither with a
condition; a prohibition of five words or more whose very words a plain order uses elsewhere; and a prohibition whose act, in other
words but the same case, a sentence elsewhere orders.
Why it is bad: Whatever the model does, it breaks a rule; which one depends on what it read last.
Instead: Keep the one that is meant; if both are, say in each when it holds.
May be wrong: A heading above may set the case in which the rule holds; rules under headings of a mode are still compared.
"""

from collections.abc import Iterator

from actions.facts.docs.contradictions import contradictions
from actions.facts.docs.negations import opposites
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="DOC-CON-003",
    family=Family.CONFLICT,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("drop_contradicted_rule",),
)
BAD = (
    "# Postcards\n\n- Always sign the card with the name that the buyer gave.\n- Forty words.\n- Don't sign the card; the stamp is enough.\n",
    {
        "SKILL.md": "# Ferry log\n\n- Always print the captain's name in the log; the harbour asks for it.\n",
        "phases/2-write.md": "# Write\n\nWrite `log.md`. Never put the captain's name into the log; it goes on the cover.\n",
    },
    {
        "SKILL.md": "# Survey\n\n- Every tree gets a metal number plate.\n\nRead `phases/2-mark.md`.\n",
        "phases/2-mark.md": "# Mark\n\nDo not make a metal number plate for every tree: one per row will do.\n",
    },
    {
        "SKILL.md": "# Plan\n\n- Always commit the plan file.\n\nRead `phases/01-plan.md`.\n",
        "phases/01-plan.md": "# Plan\n\nWrite the plan. **Never commit the plan file.**\n",
    },
    "# 发布\n\n- 必须修改锁定文件。\n- 写变更说明。\n\n## 规则\n\n- 禁止修改锁定文件。\n",
    "# Ask\n\nYou must ask the user about each file.\n\n## Speed\n\nDo not ask the user about each file.\n",
    "# Cellar\n\n- Wash every wheel with brine on Mondays.\n- Note the weight.\n- Never wash a wheel with brine; a dry brush does.\n",
    "# 冷链\n\n- 超温时立即打开箱门检查冰排。\n- 记录时间。\n- 超温时切勿打开箱门，等到站后再处理。\n",
    {
        "SKILL.md": "# Desk\n\nDelete the temporary files after each run.\n\nSee `references/audit.md`.\n",
        "references/audit.md": "# Audit\n\nNever remove temporary files; the auditors want them.\n",
    },
    "# Move\n\nDo not show the seller the lowest offer; it weakens the buyer.\n\n## Talk\n\nGreet the owner and show the seller the lowest offer.\n",
)
GOOD = (
    "# Ferry\n\nThe new timetable is tried out, never printed on a public board.\n\n## Hand over\n\nNothing is printed on a public board, not even when asked.\n",
    "# Branches\n\n- Add a changelog entry for each fix.\n- Squash before you push.\n- Don't add changelog entries for typos: nobody reads them.\n",
    "# Postcards\n\n- Always sign the card with the shop's name.\n- Do not sign the envelope; the stamp is enough.\n\n**A Card Must Include**\n",
    {
        "SKILL.md": "# Survey\n\n- Delete the old branch of the survey tree after the merge.\n\nRead `phases/2-mark.md`.\n",
        "phases/2-mark.md": "# Mark\n\nDo not create a branch of the survey tree.\n",
    },
    "# Cellar\n\n- Wash every wheel with brine on Mondays.\n\n## Rules\n\n- Never wash a wheel with plain water.\n- Do not turn a wheel after washing.\n",
    "# 冷链\n\n- 超温时立即打开箱门检查。\n- 记录时间。\n- 超温时切勿更换车辆。\n",
    "# Tube\n\nShake the tube before opening it.\n\n## Never\n\n- Shake the tube after opening it.\n",
    "# Move\n\nDo not show the seller the lowest offer.\n\n## Talk\n\nWhen the buyer agrees, show the seller the lowest offer.\n",
    "# Plan\n\n- Always commit the plan file before the review.\n- Never commit the plan file during the review.\n",
    "# 发布\n\n- 必须修改锁定文件。\n- 禁止修改配置文件。\n",
    "# Ask\n\nYou must ask the user about each file.\n\n## Never\n\nNever ask the user about folders.\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each forbidding rule that another rule demands, in the same words or in others."""
    told: set[tuple[str, int]] = set()
    for pair in (*opposites(case.skill), *contradictions(case.skill)):
        if (pair.file, pair.line) in told:
            continue
        told.add((pair.file, pair.line))
        message = f"This forbids what {pair.other}:{pair.at} demands: “{pair.demand[:100]}”."
        yield Evidence(pair.file, pair.line, message, also=(f"{pair.other}:{pair.at}: {pair.demand[:120]}",))
