"""A passage is much longer than it needs to be.

It is:
- a paragraph or list of at least 60 words whose rules can all be stated in at most half as many: the shorter text can be written down
- two or more sentences that tell a model what it knows anyway: what a common tool, format or term of the field is
- praise, history or announcements between the rules ("in this section we will see how important it is to")
It is not:
- a reason for a rule, an example, an exception or a case: they change what the model does
- a definition that gives a common word a special meaning
- a passage that is repeated (TKN-001, TKN-006)
- a text that the skill passes on unchanged: a template, an example of an output, words for the user
- a reference that is read only when it is needed
Why it is bad: The words cost tokens with every use of the skill, and the rules between them are harder to find.
Instead: Keep each rule, number, name, condition and reason, and say it in the fewest words; leave out text that does not guide the model.
"""

from actions.patterns.pattern import Pattern

PATTERN = Pattern(id="TKN-008", impact=("every_run",), strategies=("prompt_compression",))
BAD = """## Dates

Dates are a very important part of any invoice, and it goes without saying that we want to get them right. Whenever you come across a date in an invoice, please make sure that you always write it down in the form
YYYY-MM-DD, which is also known as ISO 8601. If the day is missing, use the last day of the month.
"""
GOOD = "## Dates\n\nWrite each date as YYYY-MM-DD. If the day is missing, use the last day of the month.\n"
