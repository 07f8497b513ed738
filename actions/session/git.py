"""What a session did with git and pull requests, and what it saw of the CI."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from actions.session.shell import Command

_COMMITTED = re.compile(r"^\[([^\s\]]+)( \(root-commit\))? [0-9a-f]{7,40}\]", re.MULTILINE)
_REJECTED = re.compile(r"! \[(?:remote )?rejected\]|non-fast-forward|failed to push some refs|fetch first", re.I)
_PR = re.compile(r"https?://[^\s\"]+/(?:pull|pulls|merge_requests)/\d+")
_CI_BAD = re.compile(r"\b(?:fail|failing|failed|failure|X)\b(?!\s*[:=]\s*0)(?! \(0)", re.I)
_CI_GOOD = re.compile(r"\b(?:pass|passing|success|successful|succeeded|✓)\b|all checks", re.I)
_CI_WAITS = re.compile(r"\b(?:pending|in_progress|queued|running|waiting)\b", re.I)
_NOTHING = re.compile(r"nothing (?:to commit|added to commit)|no changes added to commit|^(?:fatal|error): ", re.M)
_STACKS = dict.fromkeys(("create", "modify", "c", "m"), "commit") | dict.fromkeys(("submit", "ss", "s"), "push")
_END = 2_000
_OWN = re.compile(r"^/tmp/|^/private/tmp/|^\$\(mktemp")


class Act(NamedTuple):
    """One thing done with git: the command and the words that show it. `branch` is "" where it is not told."""

    record: int
    result: int
    command: str
    output: str
    branch: str = ""
    agent: str = ""


class Look(NamedTuple):
    """One look at the CI. `passed` is None while it runs."""

    record: int
    passed: bool | None
    line: str


@dataclass(frozen=True)
class Git:
    """What was done, each in order. Repositories that the session made for a trial are left out."""

    commits: tuple[Act, ...] = ()
    refused: tuple[Act, ...] = ()
    pushes: tuple[Act, ...] = ()
    rejected: tuple[Act, ...] = ()
    requests: tuple[Act, ...] = ()
    rebases: tuple[Act, ...] = ()
    looks: tuple[Look, ...] = ()


def git_of(commands: tuple[Command, ...]) -> Git:
    """Sort the git commands of a session."""
    sorted_acts: dict[str, list[Act]] = {}
    looks: list[Look] = []
    for command in commands:
        if not command.ran or not any(name in command.text for name in ("git", "gh ", "glab", "gt ")):
            continue
        if _is_trial(command):
            continue
        for kind, act in _acts(command):
            sorted_acts.setdefault(kind, []).append(act)
        if (look := _look(command)) is not None:
            looks.append(look)
    return Git(**{kind: tuple(acts) for kind, acts in sorted_acts.items()}, looks=tuple(looks))


def _is_trial(command: Command) -> bool:
    made = (part[0] == "cd" and len(part) > 1 and _OWN.search(part[1]) for part in command.parts)
    return any(part[:2] == ("git", "init") for part in command.parts) or any(made)


def _acts(command: Command) -> list[tuple[str, Act]]:
    acts: list[tuple[str, Act]] = []
    output, error = command.output[-_END:], command.result is not None and command.result.error
    end = command.result.record if command.result else command.record
    act = Act(command.record, end, command.text, output, agent=command.agent)
    for part in command.parts:
        verb = _verb(part)
        if verb == "commit":
            made = _COMMITTED.search(output)
            if made or error or not _NOTHING.search(output):
                kind = "refused" if error and not made else "commits"
                acts.append((kind, act._replace(branch=made[1] if made else "")))
        elif verb == "push":
            acts.append(("rejected" if _REJECTED.search(output) else "refused" if error else "pushes", act))
        elif verb in ("rebase", "pull", "merge"):
            acts.append(("rebases", act))
        elif part[:3] in (("gh", "pr", "create"), ("glab", "mr", "create")) and (not error or _PR.search(output)):
            acts.append(("requests", act))
    return acts


def _verb(part: tuple[str, ...]) -> str:
    if part[0] == "gt":
        return _STACKS.get(part[1], "") if len(part) > 1 else ""
    if part[0] != "git":
        return ""
    rest = list(part[1:])
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("-C", "-c") else 1]
    return rest[0] if rest else ""


def _look(command: Command) -> Look | None:
    asked = any(
        part[:3] in (("gh", "pr", "checks"), ("gh", "run", "view"), ("gh", "run", "watch"), ("gh", "run", "list"),
                     ("glab", "ci", "status")) or "statusCheckRollup" in " ".join(part)
        for part in command.parts
    )  # fmt: skip
    if not asked or command.result is None:
        return None
    lines = [line for line in command.output.splitlines() if line.strip()]
    for passed, words in ((False, _CI_BAD), (None, _CI_WAITS), (True, _CI_GOOD)):
        line = next((line for line in lines if words.search(line)), None)
        if line is not None:
            return Look(command.result.record, passed, line)
    return None
