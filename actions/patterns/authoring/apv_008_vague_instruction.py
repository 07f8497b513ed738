"""An instruction leaves open what it asks for.

It is:
- an order whose outcome hangs on a word without a measure ("improve it as needed", "handle edge cases properly"): two outcomes can be named that both obey it, and the user would take only one of them
- a choice between ways with different results ("pick the best approach"), with no word on what decides it or that the user decides
- a step that only names a topic ("Security."), and says neither what to look at nor what to do
It is not:
- a judgement that any expert would make alike, or that is the very task of the model: to write, to review, to find words
- a freedom that is meant: the skill says so, or names the ways and each of them serves the user
- a name, a place or an order of things for which the trade has an ordinary default
- a general word that a list, an example, a checklist, a script or a reference of the skill explains, wherever it is
- an aim in a description, an introduction or a heading, before the steps that say how
Low when:
- only the form of the outcome differs: wording, order, layout
Why it is bad: Each run fills the gap in its own way, and what comes out differs from one run to the next.
Instead: Say what is wanted and by which measure: a number, a list of cases, an example of a good outcome.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="APV-008", impact=("every_run", "easy"), strategies=("instruction_clarification",))
BAD = "## Check the translation\n\nRead it once more and fix what does not look right. Make it suitable for the audience.\n"
GOOD = """## Check the translation

Compare sentence by sentence: numbers, names and units are those of the source; no sentence is missing. Address the
reader as "you"; where the source has a term of the [glossary](glossary.md), use its translation there.
"""
