"""The skill does not say what its result looks like, or when it is good.

It is:
- a skill whose last step delivers a report, file or answer, while nothing in the skill states its parts, form or length
- a result that another program, skill or step uses, while its fields or its format are left to the model
- a demand for quality ("a thorough, professional analysis") that is all the skill says about the result, without a part, criterion or example
It is not:
- a result whose template, schema, example, checklist or list of parts is anywhere in the skill, or whose format is a known one that it names
- code, or an edit of existing files: the language and those files determine the form
- a skill that delivers no result of its own, such as knowledge about a library or rules for other work
- a conversation, in which the user's question determines the form
Low when:
- only people read the result, and any readable form will do
Why it is bad: The result has a different form in each run; its reader cannot rely on it, and no one can judge whether it is good.
Instead: Show the form once: a template, a schema or a short example, and two or three criteria to check it by.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="APV-009", impact=("every_run", "easy"), strategies=("output_specification",))
BAD = "# Review of a contract\n\nRead the contract, think about its risks, and write a high-quality review into `review.json`.\n"
GOOD = """# Review of a contract

Write `review.json`: a list of `{"clause": "7.2", "risk": "high|medium|low", "why": "one sentence"}`, worst first. Each
clause of the contract that gives a right to the other side is in it once.
"""
