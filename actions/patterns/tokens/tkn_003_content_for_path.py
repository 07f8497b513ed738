"""Content is passed where a path is enough.

It is:
- an instruction to copy the contents of a file into a sub-agent's prompt, although the sub-agent can read files
- a phase that passes its whole output on in the conversation, although it also wrote it to a file
It is not:
- a passage of a few lines, or one that the receiver must know word for word before it acts
- a receiver that has no tool to read files
- the whole state object in a prompt (CTX-002), or a file read and pasted in code (CTX-003)
Low when:
- it happens once in a run
Why it is bad: The text costs its tokens twice, where it is read and where it is passed, and the receiver often needs only a part.
Instead: Pass the path, with one line on what to look for there.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(
    id="TKN-003",
    impact=("every_run", "easy"),
    strategies=("path_reference", "context_summarization"),
    cause="content-by-value",
)
BAD = """1. Write the findings of each interview to `interviews/<name>.md`.
2. For each theme start a sub-agent. Copy the full text of all interview files into its prompt, and ask for quotes on the theme.
"""
GOOD = """1. Write the findings of each interview to `interviews/<name>.md`.
2. For each theme start a sub-agent. Name the theme and the folder `interviews/` in its prompt, and ask for quotes with the
   file they come from.
"""
