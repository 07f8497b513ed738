"""A long instruction text is loaded at once.

It is:
- a SKILL.md whose body has more than 7,000 tokens: two fifths over the 5,000 that Claude Code keeps of a skill after a compaction (proven)
- an order to read all files of the skill before the first step, if they have more than 5,000 tokens together
It is not:
- references of any length that are read when a step needs them
- a copy for another tool, in a folder such as `.cursor`, `integrations/windsurf` or `birds-codex`
- a text that says that it is generated: its source must be made shorter
- a SKILL.md in the root of a plugin that Claude Code does not load, because the plugin has other skills
- a body of fewer than 7,280 tokens, if the skill has references already
- rules after the cut (CTX-006), or sections that only one branch needs (TKN-007)
Low when:
- the body has fewer than 10,000 tokens, or fewer than 10,400 if the skill has references already
- the text says that it is vendored or updates itself, or a file beside it has the version of the tool that installed it
Why it is bad: All of it is in the context from the start, and a compaction drops everything after the first 5,000 tokens.
Instead: Keep in SKILL.md what every use needs; for the rest, name the file and say when to read it.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.upkeep import is_installed, is_loaded_from_project
from actions.skill.budget import SURVIVING_TOKENS, find_last_surviving_line, map_tokens_by_line

PATTERN = Pattern(id="CTX-005", impact=("every_run", "easy"), strategies=("split_to_references",))
_MIN_TOKENS, _MIN_MEDIUM_TOKENS = 7_000, 10_000
"""The sizes from which a text is reported, and with which severity.

Below them, a compaction loses little, and most findings that were judged were debatable.
"""
_MIN_SPLIT_TOKENS, _MIN_MEDIUM_SPLIT_TOKENS = 7_280, 10_400
"""The same sizes for a skill that has references: what is left in SKILL.md is harder to move."""
_SHEET = "Sheet {0} lies in drawer {1}; its label names the finder, the day, and the meadow.\n\n"
BAD = (
    "# Herbarium\n\n" + "".join(_SHEET.format(n, n % 40) for n in range(340)),
    "# 标本\n\n"
    + "".join(f"第 {n} 号标本放在第 {n % 40} 个抽屉，标签写明采集人、日期和地点。\n\n" for n in range(800)),
)
GOOD = (
    {
        "SKILL.md": "# Herbarium\n\nLook the sheet up in [the drawers](references/drawers.md).\n",
        "references/drawers.md": "# Drawers\n\n" + "".join(_SHEET.format(n, n % 40) for n in range(300)),
    },
    "# Herbarium\n\n" + "".join(_SHEET.format(n, n % 40) for n in range(150)),
)


def check(case: Case) -> Iterator[Finding]:
    """Report the line at which a compaction cuts the text."""
    skill, body, tokens_by_line = case.skill, case.skill.body_tokens, map_tokens_by_line(case.skill)
    is_split = len(skill.instructions) > 1
    least, medium = (_MIN_SPLIT_TOKENS, _MIN_MEDIUM_SPLIT_TOKENS) if is_split else (_MIN_TOKENS, _MIN_MEDIUM_TOKENS)
    cut = find_last_surviving_line(skill) + 1
    if body > least and cut in tokens_by_line and is_loaded_from_project(case.project, case.unit, skill):
        all_tokens = max(tokens_by_line.values())
        message = (
            f"SKILL.md is about {all_tokens:,} tokens. After a compaction Claude Code keeps the first"
            f" {SURVIVING_TOKENS:,} (up to line {cut}); about {all_tokens - SURVIVING_TOKENS:,} are not kept."
        )
        is_low = body < medium or is_installed(case.unit, skill)
        yield Finding("SKILL.md", cut, message, severity=Severity.LOW if is_low else PATTERN.severity)
