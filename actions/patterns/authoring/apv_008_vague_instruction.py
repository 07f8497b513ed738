"""An instruction leaves open what it asks for.

It is:
- an order whose outcome hangs on a word without a measure ("improve it as needed", "handle edge cases properly"), where nothing else in the skill says what is meant
- a choice that the model must make ("pick the best approach") with no word on what decides it, though the outcome depends on it
- a step that only names a topic, so that two readers would do different things
It is not:
- a judgement that any expert would make alike, or that the skill leaves to the model on purpose and says so
- a general word that a list, an example, a checklist or a reference of the skill makes plain
- an aim in an introduction, before the steps that say how
Low when:
- only the form of the outcome differs: wording, order, layout
Why it is bad: Each run fills the gap in its own way, and what comes out differs from one run to the next.
Instead: Say what is wanted and by which measure: a number, a list of cases, an example of a good outcome.
"""

from actions.patterns.pattern import Family, Pattern

PATTERN = Pattern(
    id="APV-008", family=Family.AUTHORING, impact=("every_run", "easy"), strategies=("instruction_clarification",)
)
BAD = (
    "## Check the translation\n\nRead it once more and fix what does not look right. Make it suitable for the audience.\n",
)
GOOD = (
    """## Check the translation

Compare sentence by sentence: numbers, names and units are those of the source; no sentence is missing. Address the
reader as "you"; where the source has a term of the [glossary](glossary.md), use its translation there.
""",
)
