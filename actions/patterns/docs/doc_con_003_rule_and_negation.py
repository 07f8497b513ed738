"""One instruction orders what another forbids.

It is:
- two instructions about the same action in the same situation, one of which orders what the other forbids
- a step that does what a rule of the skill forbids, although the rule names no exception
It is not:
- a rule and its exception ("never push, unless the user asks")
- instructions for different modes, phases, files or readers
- an example of what not to do
- two different values of one setting (DOC-CON-001)
Low when:
- the outcome differs only in form: order, wording, layout
Why it is bad: Whatever the model does, it breaks a rule; which one depends on what it read last.
Instead: Keep the instruction that is intended; if both are, say in each when it applies.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="DOC-CON-003", impact=("every_run", "easy"), strategies=("drop_contradicted_rule",))
BAD = {
    "SKILL.md": """# Release notes

- Always list pull requests by number.

Keep to `references/style.md`.
""",
    "references/style.md": "# Style\n\nWrite for users. Do not put numbers of pull requests into the notes.\n",
}
GOOD = {
    "SKILL.md": "# Release notes\n\nThe internal notes list every merged pull request by its number.\n",
    "references/style.md": "# Style of the public notes\n\nDo not put numbers of pull requests into them.\n",
}
