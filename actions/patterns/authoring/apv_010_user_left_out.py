"""The user is left out where it matters, or asked where it does not.

It is:
- a step that cannot be undone (deletes without a copy, overwrites what the user wrote, sends, publishes, pays) and that is taken without the user's consent, although calling the skill does not ask for it
- a value that only the user knows, such as an audience, a budget or a recipient, which the skill lets the model make up without showing it
- three or more questions to the user, one after another, that the skill itself, the files or a default could answer
- a run over many files, items or sub-agents that does not tell the user at the end what failed or was left out
It is not:
- a step that the user clearly asks for by calling the skill, or that git, a copy or a draft can undo
- a command that only documents a tool, in a reference or an example
- a skill that is made to run without a user, and says so
- one question at the start that settles what the whole run needs
Low when:
- the user is only asked once too often, or learns too little
Why it is bad: Work is lost, or something is sent that no one wanted; or the user has to answer what the skill could know, and stops using it.
Instead: Ask once, with a default: before a step that cannot be undone, and for what only the user knows. At the end say what was done and what was not.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="APV-010", impact=("loses", "easy"), strategies=("user_checkpoint",))
BAD = """# Newsletter

1. Draft the newsletter.
2. Send it to the whole list with `mailer send --all`.
"""
GOOD = """# Newsletter

1. Draft the newsletter.
2. Show it to the user with the number of readers.
3. After their yes, send it: `mailer send --all`.
"""
