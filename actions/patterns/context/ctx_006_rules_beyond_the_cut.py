"""Rules are in the part of SKILL.md that a compaction cuts off.

It is:
- a rule that binds the whole run, marked as binding (MUST, NEVER, ALWAYS, 必须, 禁止), after the first 5,000 tokens of SKILL.md's body
- a mandatory step of a late phase that is stated only there, and in no file that the run reads when it reaches that phase
It is not:
- a rule that is also stated, in any words, before the cut or in another file of the skill
- a sentence in a template, a quote, a table, a heading or a code block
- a long text without binding sentences (CTX-005)
Low when:
- breaking it costs a correction and does no damage, or a line before the cut summarizes it
Why it is bad: After a compaction Claude Code attaches only the first 5,000 tokens of the skill, and the session continues without these rules.
Instead: Move binding rules before the cut, and move text that only one branch or a late phase needs to another file.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="CTX-006", impact=("loses",), strategies=("split_to_references", "repeat_rule"))
_FILL = "".join(
    f"The column `field_{n}` of the export holds the amount that was booked in week {n} of the year, in whole cents.\n\n"
    for n in range(220)
)
_RULE = "NEVER send the file to an outside address.\n"
BAD = (
    f"""# Export

## Columns

{_FILL}## Closing

{_RULE}""",
    f"""# Export

## Columns

{_FILL}## Hand over

- **Totals**: they MUST equal the ledger's.
""",
)
GOOD = (
    f"""# Export

{_RULE}
## Columns

{_FILL}## Closing

{_RULE}""",
    {
        "SKILL.md": f"""# Export

Read [the last phase](phases/send.md) last.

{_FILL}{_RULE}""",
        "phases/send.md": f"# Send\n\n{_RULE}",
    },
)
