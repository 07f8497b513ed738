"""A pull request was opened without a description.

It is:
- `gh pr create` or `glab mr create` with an empty body
It is not:
- a body that says too little: only a model can tell
- a description that was written later
Why it is bad: Reviewers must find out from the code what the change is for.
Instead: Say what changes, why, and how it was tested.
"""

from actions.patterns.session_pattern import SessionPattern
from actions.regex import regex
from actions.session.answer import Answer, answer_satisfied, answer_unknown, answer_violated
from actions.session.example import bash, user
from actions.session.git import has_unknown_push
from actions.session.session import Session
from actions.session.shell import Command
from actions.session.transcript import Quote
from actions.session.unseen import find_unseen_pushes

PATTERN = SessionPattern("pr_description")
_TEXT_OPTIONS = ("--body", "-b", "--description", "-d")
_BODY_OPTIONS = frozenset({*_TEXT_OPTIONS, "--body-file", "-F"})
_DESCRIPTION_PROGRAM = regex(r"^[\w-]*\b[pm]r-(?:body|desc)")
"""A program other than gh and glab whose name says that it writes the description of a pull request."""
_EMPTY_WORDS = frozenset({"", '""', "''"})
_BODY = "Sums were wrong for empty lists; see the new test."
BAD = ((user("Open a PR."), bash('gh pr create --title "Fix" --body ""', "https://host.example/o/r/pull/7")),)
GOOD = ((user("Fix it."), bash("ls")),)


def check(session: Session) -> Answer:
    """Find pull requests with an empty description."""
    requests = session.git.pull_requests
    for request in requests:
        if any(_opens_without_description(words) for words in request.parts):
            quote = Quote(request.record, request.command.split("\n")[0], request.agent)
            return answer_violated("a pull request has no description", quote)
    if requests or any(map(_edits_description, session.commands)):
        return answer_unknown("only a judge can assess the content of a description")
    if not all(map(_finds_existing_request, session.submissions)) or any(map(has_unknown_push, session.commands)):
        return answer_unknown("a command may have opened a pull request")
    reason = find_unseen_pushes(session)
    return answer_unknown(reason) if reason else answer_satisfied("no recorded command opened a pull request")


def _edits_description(command: Command) -> bool:
    """Return whether a command writes the description of an existing pull request."""
    return command.may_have_run and any(
        (part[1:3] in (("pr", "edit"), ("mr", "update")) and not _BODY_OPTIONS.isdisjoint(part))
        or any(map(_DESCRIPTION_PROGRAM.search, part[1:4]))
        for part in command.parts
    )


def _finds_existing_request(command: Command) -> bool:
    """Return whether another program's command succeeded and reports that the pull request already existed."""
    return command.result is not None and not command.result.is_error and "already exists" in command.output


def _opens_without_description(words: tuple[str, ...]) -> bool:
    """Return whether a simple command, split into words, opens a pull request with an empty description."""
    pairs = [
        (option, following)
        for option, following in zip(words, (*words[1:], ""), strict=True)
        if option in _TEXT_OPTIONS
    ]
    pairs += [
        (name, value) for name, eq, value in (word.partition("=") for word in words) if eq and name in _TEXT_OPTIONS
    ]
    return words[1:3] in (("pr", "create"), ("mr", "create")) and any(value in _EMPTY_WORDS for _, value in pairs)
