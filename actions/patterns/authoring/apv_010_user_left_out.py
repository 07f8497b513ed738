"""The user is left out where it matters, or asked where it does not.

It is:
- a step that cannot be undone (deletes, overwrites, sends, publishes, pays) and is taken without the user's word, though the request does not contain it
- a choice that only the user can make, such as a name, an audience or a budget, which the skill lets the model make up
- questions to the user that the skill itself, the files or a default could answer, one after another
- a run of many minutes that says nothing to the user until its end, not even what it left out
It is not:
- a step that the user plainly asks for by calling the skill
- a skill that is made to run without anybody there, and says so
- one question at the start that settles what the whole run needs
Low when:
- the user is only asked once too often, or told too little
Why it is bad: Work is lost or goes out that nobody wanted, or the user answers what the skill could know and stops using it.
Instead: Ask once, before what cannot be undone and for what only the user knows, with a default; say in the end what was done and what was not.
"""

from actions.patterns.pattern import Family, Pattern

PATTERN = Pattern(id="APV-010", family=Family.AUTHORING, impact=("loses", "easy"), strategies=("user_checkpoint",))
BAD = ("# Newsletter\n\n1. Draft the newsletter.\n2. Send it to the whole list with `mailer send --all`.\n",)
GOOD = (
    "# Newsletter\n\n1. Draft the newsletter.\n2. Show it to the user with the number of readers.\n"
    "3. After their yes, send it: `mailer send --all`.\n",
)
