"""Text of SKILL.md that is also, word for word, in a reference.

What it sees: Whole paragraphs, lists or code blocks of SKILL.md, about 150 tokens or more, that another instruction file of
the skill holds in the same words.

Why it is bad: SKILL.md is loaded with every use of the skill, so the copy is paid each time; when the reference is read
too, it is paid twice. And one of the two will be changed alone one day.

Instead: Leave the text in the reference, and name the reference in SKILL.md with the moment when it is needed.

May be wrong: When the file is given to a sub-agent that does not see SKILL.md.
"""

from collections.abc import Iterator

from actions.facts.docs.verbatim import copies
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Role
from actions.skill.text import tokens_of
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="TKN-006",
    family=Family.TOKENS,
    impact=("every_run", "easy"),
    confidence=Confidence.HIGH,
    strategies=("split_to_references",),
    cause="duplicate",
)
LEAST = 600

_TABLE = "".join(
    f"| `E{n:03}` | The record {n} has no owner | Ask the owner of folder {n} to claim it |\n" for n in range(1, 9)
)
_STEPS = "".join(
    f"{n}. 打开第 {n} 个配置文件，核对其中的端口、用户名与超时时间，并把差异记录到检查表的第 {n} 行以便复核。\n"
    for n in range(1, 16)
)

BAD = (
    {
        "SKILL.md": "# Audit\n\n## Errors\n\n| Code | Meaning | Remedy |\n|---|---|---|\n"
        f"{_TABLE}\nRead [errors](references/errors.md) when an error occurs.\n",
        "references/errors.md": f"# Errors\n\n| Code | Meaning | Remedy |\n|---|---|---|\n{_TABLE}",
    },
    {
        "SKILL.md": f"# 巡检\n\n## 步骤\n\n{_STEPS}\n详见 `phases/check.md`。\n",
        "phases/check.md": f"# 检查\n\n{_STEPS}",
    },
)
GOOD = (
    {
        "SKILL.md": "# Audit\n\n## Errors\n\nRead [errors](references/errors.md) when an error occurs.\n",
        "references/errors.md": f"# Errors\n\n| Code | Meaning | Remedy |\n|---|---|---|\n{_TABLE}",
    },
    {
        "SKILL.md": "# Audit\n\nNever write to the ledger.\n\nRead [rules](references/rules.md).\n",
        "references/rules.md": "# Rules\n\nNever write to the ledger.\n",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each run of copied blocks once, with the first file that holds it."""
    main = case.skill.main
    end = 0
    found = [
        copy for file in case.skill.instructions if file.role is not Role.MAIN for copy in copies(main, file, LEAST)
    ]
    for copy in sorted(found, key=lambda c: (c.start, -c.end)):
        if copy.start > end:
            end = copy.end
            told = (
                f"About {tokens_of(copy.characters)} tokens stand word for word in {copy.other} from line {copy.at} on."
            )
            yield Evidence(main.path, copy.start, told, line_end=copy.end)
