"""A sub-agent returns full content.

It is:
- a sub-agent that is asked to return a whole text to the main session: the full report, complete files, all the code it read
- several sub-agents whose full answers are all collected in the main session
It is not:
- a bounded answer: a summary, a list of findings with locations, JSON with a few fields, a maximum number of words
- a sub-agent that writes to a file and returns the path
- what a bundled script or a function of the user's program returns
Low when:
- there is one sub-agent and its answer is what the user asked for
Why it is bad: A sub-agent has its own context so that the text it reads does not fill the main one; what it returns stays in the main one.
Instead: Let the sub-agent write the text to a file, and return the path with a summary of a few lines.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="CTX-004", impact=("every_run", "easy"), strategies=("output_minimization",))
BAD = """For each module start a sub-agent:

> Read every file of the module {module}. Return the complete source of each function that handles money, with your full
> analysis of it.
"""
GOOD = """For each module start a sub-agent:

> Read every file of the module {module}. Write your analysis to `audit/{module}.md`. Return its path and, in at most ten
> lines, the functions that handle money with file and line.
"""
