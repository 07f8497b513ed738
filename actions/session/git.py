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
_DISCARDED_OUTPUT = regex(r"\d?>(?:&\d|\s?/dev/null)")
_READ_PROGRAMS = frozenset("cat cd echo grep head jq ls pwd rg tail wc which".split())
_READ_SUBCOMMANDS = frozenset("blame branch diff log ls-files remote rev-parse show status".split())
_MAX_ENDING = 2_000
_TEMPORARY_FOLDER = regex(r"^/tmp/|^/private/tmp/|^\$\(mktemp")


class Act(NamedTuple):
    """One git action: the records of its call and its result, the command, its output. `branch` is "" if unknown."""

    record: int
    result: int
    command: str
    output: str
    branch: str = ""
    agent: str = ""
    parts: tuple[tuple[str, ...], ...] = ()


class Git(msgspec.Struct, frozen=True):
    """The git actions by kind, in order. Repositories that the session created for tests are left out."""

    commits: tuple[Act, ...] = ()
    refused: tuple[Act, ...] = ()
    pushes: tuple[Act, ...] = ()
    rejected: tuple[Act, ...] = ()
    requests: tuple[Act, ...] = ()
    rebases: tuple[Act, ...] = ()
    merged: tuple[Act, ...] = ()
    ci: tuple[CiStatus, ...] = ()


_REQUEST_NOUNS, _OPENING_VERBS = (
    frozenset({"pr", "mr", "pull-request", "merge-request"}),
    frozenset({"create", "open", "new"}),
)
_SUBMIT_HINTS = ("submit", "pr", "mr", "request")
"""Every command that submits changes contains one of these."""
_PRINTERS = frozenset("git gh glab echo printf cat grep rg head tail ls sed awk jq".split())


def may_submit(command: Command) -> bool:
    """Return whether a program other than git may have committed, pushed and opened a pull request in one go."""
    if not any(map(command.text.__contains__, _SUBMIT_HINTS)):
        return False
    return command.began and any(part[0] not in _PRINTERS and _submits(part[1:4]) for part in command.parts)


def _submits(words: tuple[str, ...]) -> bool:
    opens = any(noun in _REQUEST_NOUNS and verb in _OPENING_VERBS for noun, verb in pairwise(words))
    return "submit" in words or opens


def read_git(commands: tuple[Command, ...]) -> Git:
    """Group the git commands of a session by kind."""
    relevant = [candidate for candidate in commands if _is_relevant(candidate)]
    acts = group_by_key(act for command in relevant for act in _list_acts(command))
    ci = tuple(status for command in relevant if (status := read_ci_status(command)) is not None)
    return Git(**{kind: tuple(found) for kind, found in acts.items()}, ci=ci)


def _is_relevant(command: Command) -> bool:
    """Return whether a command uses git, outside repositories that the session created for tests."""
    text = command.text
    if not ("git" in text or "gh " in text or "glab" in text or "gt " in text):
        return False
    in_tests = (
        part[:2] == ("git", "init") or (part[0] == "cd" and _TEMPORARY_FOLDER.search("".join(part[1:2])))
        for part in command.parts
    )
    return command.ran and not any(in_tests)


def _list_acts(command: Command) -> Iterator[tuple[str, Act]]:
    """Yield (kind, action) for each git action of a command; the kinds are the fields of `Git`."""
    output, error = command.output[-_MAX_ENDING:], command.result is not None and command.result.error
    end = command.result.record if command.result else command.record
    act = Act(command.record, end, command.text, output, "", command.agent, command.parts)
    for part in command.parts:
        if (verb := _get_verb(part)) == "commit":
            yield from _list_commit(act, error)
        elif verb == "push":
            failed = error and not _PUSH_LINE.search(output)
            yield "rejected" if _contains(output, _REJECTION_LINES) else "refused" if failed else "pushes", act
        elif verb in ("rebase", "pull", "merge"):
            yield "rebases", act
        elif part[:3] in (("gh", "pr", "create"), ("glab", "mr", "create")) and (not error or _PR_LINK.search(output)):
            yield "requests", act
        elif part[:3] in (("gh", "pr", "merge"), ("gh", "pr", "view")) and not error and _MERGE_LINE.search(output):
            yield "merged", act


def _list_commit(act: Act, error: bool) -> Iterator[tuple[str, Act]]:
    """Yield a successful or refused commit. Yield nothing if there was nothing to commit."""
    if made := _COMMIT_LINE.search(f"\n{act.output}"):
        yield "commits", act._replace(branch=made[1])
    elif not _contains(act.output, _NOTHING_TO_COMMIT) and (error or not _contains(act.output, _ERROR_LINES)):
        yield "refused" if error else "commits", act


def _contains(output: str, words: tuple[str, ...]) -> bool:
    return any(map(f"\n{output}".__contains__, words))


def _get_verb(part: tuple[str, ...]) -> str:
    if part[0] == "gt":
        return _STACK_VERBS.get(part[1], "") if len(part) > 1 else ""
    return split_git(part)[0]


def is_open_commit(command: Command) -> bool:
    """Return whether a command may have made a commit, but its result is not in the records."""
    return command.result is None and any(_get_verb(part) == "commit" for part in command.parts)


def is_open_push(command: Command) -> bool:
    """Return whether a command may have pushed or opened a pull request, but its result is not in the records."""
    creates = (("gh", "pr", "create"), ("glab", "mr", "create"))
    return command.result is None and any(_get_verb(part) == "push" or part[:3] in creates for part in command.parts)


def only_looks(command: Command) -> bool:
    """Return whether a command changes nothing."""
    looks = all(part[0] in _READ_PROGRAMS or split_git(part)[0] in _READ_SUBCOMMANDS for part in command.parts)
    return looks and ">" not in _DISCARDED_OUTPUT.sub("", command.text)


def split_git(part: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the git subcommand of a simple command and its arguments; "" if it does not call git."""
    rest = list(part[1:]) if part[0] == "git" else []
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("-C", "-c") else 1]
    return (rest[0], tuple(rest[1:])) if rest else ("", ())
