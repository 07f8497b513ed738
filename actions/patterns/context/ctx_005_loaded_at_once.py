"""A long instruction text is loaded at once.

It is:
- a SKILL.md whose body has more than 8,000 tokens, of which Claude Code keeps 5,000 after a compaction (proven)
- an order to read all files of the skill before the first step, if they have more than 5,000 tokens together
It is not:
- references of any length that are read when a step needs them
- a text that Claude Code does not load: in a folder for another tool, such as `.cursor`, `.agents` or `birds-codex`, if `.claude/skills` has no link to it; in a project that has the configuration of another tool, such as `opencode.json`, and nothing of Claude Code; in the root of a plugin that has other skills
- a text whose source is elsewhere and must be made shorter there: it is generated or replaces itself, a notice beside it says that `SKILL.md` is unchanged, an installer left its version, or a lock file has its source or its digest
- rules after the cut (CTX-006), or sections that only one branch needs (TKN-007)
Low when:
- the body has at most 10,000 tokens, so that a compaction keeps half of it
Why it is bad: All of it is in the context from the start, and a compaction drops everything after the first 5,000 tokens.
Instead: Keep in SKILL.md what every use needs; for the rest, name the file and say when to read it.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity
from actions.project.loaders import is_for_claude_code
from actions.skill.budget import SURVIVING_TOKENS, find_last_surviving_line, map_tokens_by_line

PATTERN = Pattern(id="CTX-005", impact=("every_run", "easy"), strategies=("split_to_references",), in_source=True)
_MIN_TOKENS, _MIN_MEDIUM_TOKENS = 8_000, 10_000
"""The sizes above which a text is reported, and with which severity: a compaction loses three eighths of it, or half.

They were fitted to findings that had been judged. What is behind the cut (steps, rules, examples, lists) did not tell
the true ones from the debatable ones; size, loader and owner did. Below 8,000, half of them were debatable.
"""
_SHEET = "Sheet {0} lies in drawer {1}; its label names the finder, the day, and the meadow.\n\n"
BAD = (
    "# Herbarium\n\n" + "".join(_SHEET.format(n, n % 40) for n in range(420)),
    "# 标本\n\n"
    + "".join(f"第 {n} 号标本放在第 {n % 40} 个抽屉，标签写明采集人、日期和地点。\n\n" for n in range(1000)),
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
    cut = find_last_surviving_line(skill) + 1
    if body <= _MIN_TOKENS or cut not in tokens_by_line:
        return
    if is_for_claude_code(case.project, case.unit):
        all_tokens = max(tokens_by_line.values())
        message = (
            f"SKILL.md is about {all_tokens:,} tokens. After a compaction Claude Code keeps the first"
            f" {SURVIVING_TOKENS:,} (up to line {cut}); about {all_tokens - SURVIVING_TOKENS:,} are not kept."
        )
        severity = PATTERN.severity if body > _MIN_MEDIUM_TOKENS else Severity.LOW
        yield Finding("SKILL.md", cut, message, severity=severity)
