"""An instruction leaves open what it asks for.

It is:
- an instruction whose outcome depends on a word without a criterion ("improve it as needed", "handle edge cases properly"): one can name two outcomes that both follow it, of which the user would accept only one
- a choice between approaches with different results ("pick the best approach"), without saying what decides or that the user decides
- a step that only names a topic ("Security."), and says neither what to look at nor what to do
It is not:
- a judgment that all experts would make alike, or that is itself the model's task: to write, to review, to find words
- freedom that is intended: the skill says so, or names the options and each of them serves the user
- a name, a place or an order of things for which the field has a usual default
- a general word that a list, an example, a checklist, a script or a reference anywhere in the skill explains
- a goal in a description, an introduction or a heading, before the steps that say how to reach it
Low when:
- only the form of the outcome differs: wording, order, layout
Why it is bad: Each run fills the gap in its own way, so the results differ from run to run.
Instead: Say what is wanted and how it is measured: a number, a list of cases, an example of a good outcome.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="APV-008", impact=("every_run", "easy"), strategies=("instruction_clarification",))
BAD = "## Check the translation\n\nRead it once more and fix what does not look right. Make it suitable for the audience.\n"
GOOD = """## Check the translation

Compare sentence by sentence: numbers, names and units are those of the source; no sentence is missing. Address the
reader as "you"; where the source has a term of the [glossary](glossary.md), use its translation there.
"""
