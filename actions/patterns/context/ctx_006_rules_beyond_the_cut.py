"""Rules stand where a compaction cuts them off.

It is:
- a sentence of SKILL.md that its author marked as binding (MUST, NEVER, ALWAYS, 必须, 禁止) behind the first 5,000 tokens of the body
It is not:
- a rule that is also said before the cut, or in another file of the skill, in whatever words
- a sentence in a template, a quote, a table, a heading or a code block
- a long text without binding sentences (CTX-005)
Low when:
- only its place is known: nobody has read whether the text before the cut says the same in other words
Why it is bad: After a compaction Claude Code attaches only the first 5,000 tokens of the skill, and the session works on without these rules.
Instead: Bring the rules before the cut: move up what binds, and move out what only one branch or a late phase needs.
"""

from collections.abc import Iterator

from actions.patterns.pattern import Evidence, Family, Pattern, Severity
from actions.skill import Case
from actions.skill.budget import SURVIVING_TOKENS, last_surviving_line, lost_rules

PATTERN = Pattern(
    id="CTX-006", family=Family.CONTEXT, impact=("loses",), strategies=("split_to_references", "repeat_rule")
)
_FILL = "".join(
    f"The column `field_{n}` of the export holds the amount that was booked in week {n} of the year, in whole cents.\n\n"
    for n in range(220)
)
_RULE = "NEVER send the file to an outside address.\n"
BAD = (
    f"# Export\n\n## Columns\n\n{_FILL}## Closing\n\n{_RULE}",
    f"# Export\n\n## Columns\n\n{_FILL}## Hand over\n\n- **Totals**: they MUST equal the ledger's.\n",
)
GOOD = (
    f"# Export\n\n{_RULE}\n## Columns\n\n{_FILL}## Closing\n\n{_RULE}",
    {
        "SKILL.md": f"# Export\n\nRead [the last phase](phases/send.md) last.\n\n{_FILL}{_RULE}",
        "phases/send.md": f"# Send\n\n{_RULE}",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Yield one finding at the first rule that is lost; the others are named in `also`."""
    lost = lost_rules(case.skill)
    if lost:
        first, *rest = lost
        count = "A rule stands" if not rest else f"{len(lost)} rules stand"
        cut = last_surviving_line(case.skill) + 1
        where = f"behind line {cut} of SKILL.md, where a compaction cuts it at {SURVIVING_TOKENS:,} tokens"
        message = f"{count} {where}, {'the first of them ' if rest else ''}in line {first.line}: “{first.text[:120]}”"
        also = tuple(f"SKILL.md:{rule.line}: {rule.text[:160]}" for rule in rest[:20])
        yield Evidence("SKILL.md", first.line, message, also=also, severity=Severity.LOW)
