"""Read the commits, pushes, pull requests and CI status of a session."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import msgspec

from actions.grouping import group_by_key
from actions.regex import regex
from actions.session.ci import CiStatus, read_ci_status
from actions.session.shell import Command

_COMMIT_LINE = regex(r"\n\[([^\s\]]+)( \(root-commit\))? [0-9a-f]{7,40}\]")
_REJECTION_LINES = ("! [rejected]", "! [remote rejected]", "\nerror: failed to push some refs")
_PUSH_LINE = regex(r"(?m)^\s.*\S -> \S|^Everything up-to-date")
_PR_LINK = regex(r"https?://[^\s\"]+/(?:pull|pulls|merge_requests)/\d+")
_NOTHING_TO_COMMIT = ("nothing to commit", "nothing added to commit", "no changes added to commit")
_ERROR_LINES = ("\nfatal: ", "\nerror: ")
_MERGE_LINE = regex(r"Merged pull request|\"state\": ?\"MERGED\"")
_STACK_VERBS = dict.fromkeys(("create", "modify", "c", "m"), "commit") | dict.fromkeys(("submit", "ss", "s"), "push")
_CREATE_COMMANDS = (("gh", "pr", "create"), ("glab", "mr", "create"))
_DISCARDED_OUTPUT = regex(r"\d?>(?:&\d|\s?/dev/null)")
_READ_PROGRAMS = frozenset("cat cd echo grep head jq ls pwd rg tail wc which".split())
_READ_SUBCOMMANDS = frozenset("blame branch diff log ls-files remote rev-parse show status".split())
_MAX_ENDING = 2_000
_TEMPORARY_FOLDER = regex(r"^/tmp/|^/private/tmp/|^\$\(mktemp")


class GitAction(NamedTuple):
    """A git action: the records of its call and its result, the command and its output.

    `branch` is "" if it is unknown. `parts` are the simple commands in the command.
    """

    record: int
    result_record: int
    command: str
    output: str
    branch: str = ""
    agent: str = ""
    parts: tuple[tuple[str, ...], ...] = ()


class GitActions(msgspec.Struct, frozen=True):
    """The git actions by kind, in order, without those in repositories that the session created for tests."""

    commits: tuple[GitAction, ...] = ()
    refused_commits: tuple[GitAction, ...] = ()
    pushes: tuple[GitAction, ...] = ()
    rejected_pushes: tuple[GitAction, ...] = ()
    pull_requests: tuple[GitAction, ...] = ()
    rebases: tuple[GitAction, ...] = ()
    merges: tuple[GitAction, ...] = ()
    ci: tuple[CiStatus, ...] = ()


_REQUEST_NOUNS = frozenset({"pr", "mr", "pull-request", "merge-request"})
_OPENING_VERBS = frozenset({"create", "open", "new"})
_SUBMIT_HINTS = ("submit", "pr", "mr", "request")
"""Every command that submits changes contains one of these."""
_PRINTERS = frozenset("git gh glab echo printf cat grep rg head tail ls sed awk jq".split())


def may_submit(command: Command) -> bool:
    """Return whether a program other than git may have committed, pushed and opened a pull request in one step."""
    if not any(map(command.text.__contains__, _SUBMIT_HINTS)):
        return False
    parts = command.parts if command.may_have_run else ()
    return any(part[0] not in _PRINTERS and _is_submission(part[1:4]) for part in parts)


def _is_submission(words: tuple[str, ...]) -> bool:
    opens_request = any(noun in _REQUEST_NOUNS and verb in _OPENING_VERBS for noun, verb in pairwise(words))
    return "submit" in words or opens_request


def read_git(commands: tuple[Command, ...]) -> GitActions:
    """Group the git commands of a session by kind."""
    relevant = [command for command in commands if _is_relevant(command)]
    actions = group_by_key(pair for command in relevant for pair in _list_actions(command))
    ci = tuple(status for command in relevant if (status := read_ci_status(command)) is not None)
    return GitActions(**{kind: tuple(group) for kind, group in actions.items()}, ci=ci)


def _is_relevant(command: Command) -> bool:
    """Return whether a command uses git, outside repositories that the session created for tests."""
    text = command.text
    if not ("git" in text or "gh " in text or "glab" in text or "gt " in text):
        return False
    in_tests = (
        part[:2] == ("git", "init") or (part[0] == "cd" and _TEMPORARY_FOLDER.search("".join(part[1:2])))
        for part in command.parts
    )
    return command.has_run and not any(in_tests)


def _list_actions(command: Command) -> Iterator[tuple[str, GitAction]]:
    """Yield (kind, action) for each git action of a command. The kinds are the fields of `GitActions`."""
    output, is_error = command.output[-_MAX_ENDING:], command.result is not None and command.result.is_error
    end = command.result.record if command.result else command.record
    action = GitAction(command.record, end, command.text, output, "", command.agent, command.parts)
    for part in command.parts:
        if (verb := _get_verb(part)) == "commit":
            yield from _classify_commit(action, is_error)
        elif verb == "push":
            yield _classify_push(output, is_error), action
        elif verb in ("rebase", "pull", "merge"):
            yield "rebases", action
        elif part[:3] in _CREATE_COMMANDS and (not is_error or _PR_LINK.search(output)):
            yield "pull_requests", action
        elif part[:3] in (("gh", "pr", "merge"), ("gh", "pr", "view")) and not is_error and _MERGE_LINE.search(output):
            yield "merges", action


def _classify_push(output: str, is_error: bool) -> str:
    if _contains(output, _REJECTION_LINES):
        return "rejected_pushes"
    return "refused_commits" if is_error and not _PUSH_LINE.search(output) else "pushes"


def _classify_commit(action: GitAction, is_error: bool) -> Iterator[tuple[str, GitAction]]:
    """Yield a made or refused commit with its kind, or nothing if there was nothing to commit."""
    if commit := _COMMIT_LINE.search(f"\n{action.output}"):
        yield "commits", action._replace(branch=commit[1])
    elif not _contains(action.output, _NOTHING_TO_COMMIT) and (is_error or not _contains(action.output, _ERROR_LINES)):
        yield "refused_commits" if is_error else "commits", action


def _contains(output: str, texts: tuple[str, ...]) -> bool:
    return any(map(f"\n{output}".__contains__, texts))


def _get_verb(part: tuple[str, ...]) -> str:
    """Return the git subcommand that a simple command runs, directly or through Graphite's `gt`, or ""."""
    if part[0] == "gt":
        return _STACK_VERBS.get(part[1], "") if len(part) > 1 else ""
    return split_git(part)[0]


def has_unknown_commit(command: Command) -> bool:
    """Return whether a command may have made a commit, but its result is not in the records."""
    return command.result is None and any(_get_verb(part) == "commit" for part in command.parts)


def has_unknown_push(command: Command) -> bool:
    """Return whether a command may have pushed or opened a pull request, but its result is not in the records."""
    return command.result is None and any(
        _get_verb(part) == "push" or part[:3] in _CREATE_COMMANDS for part in command.parts
    )


def is_read_only(command: Command) -> bool:
    """Return whether a command certainly changes nothing."""
    reads = all(part[0] in _READ_PROGRAMS or split_git(part)[0] in _READ_SUBCOMMANDS for part in command.parts)
    return reads and ">" not in _DISCARDED_OUTPUT.sub("", command.text)


def split_git(part: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the git subcommand of a simple command and its arguments, or ("", ()) if it does not call git."""
    rest = list(part[1:]) if part[0] == "git" else []
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("-C", "-c") else 1]
    return (rest[0], tuple(rest[1:])) if rest else ("", ())
