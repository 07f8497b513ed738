"""The result is not checked against the user's request.

It is:
- work in several stages that ends with delivering its result, without ever comparing it with the request
- a request or plan that an early stage writes down and that no later stage reads again
It is not:
- a workflow with a review, test, validation or acceptance step that covers what the user asked for
- a workflow in which the user sees and approves each stage
- a reference, a guide, or a single step that needs no comparison
Why it is bad: Over many stages the work drifts from the request, and no one compares them before the result is delivered.
Instead: Compare the result with the user's request, point by point, before the run ends.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="MEM-005", impact=("every_run",), strategies=("goal_embedding",))
BAD = """1. Write what the user wants to know into `brief.md`.
2. Collect the figures and write `report.md` around them.
3. Print the path of `report.md` and end the run.
"""
GOOD = """1. Write what the user wants to know into `brief.md`.
2. Collect the figures and write `report.md` around them.
3. Read `brief.md` again. Answer each of its questions from `report.md`; where one has no answer, go back to step 2.
"""
