"""Work that could run in parallel runs sequentially.

It is:
- four or more sub-agents that are started and awaited one at a time, although none needs the result of another
- a loop that hands the same task to a sub-agent for each file or item, one at a time, with no reason given
It is not:
- steps where a later one reads what an earlier one wrote, or writes the same files
- an order that limits how many run at once, because of cost, rate limits or a shared file
- a skill that does not say when they are started: the model may start them together
- two or three calls, or work that the main conversation does itself
Why it is bad: The run takes the time of all of them together instead of the time of the slowest.
Instead: Start them together in one message, and continue when all have answered.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="AGT-011", impact=("every_run",), strategies=("parallel_execution",))
BAD = (
    "For each of the twelve chapters: start a sub-agent that proofreads it, wait for its list of errors, then take the\n"
    "next chapter. The chapters do not refer to each other.\n"
)
GOOD = "Start one sub-agent per chapter, all in one message, and collect their lists of errors when all are back.\n"
