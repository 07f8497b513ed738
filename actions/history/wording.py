"""Describe what sessions show of a line, in numbers of runs."""

from collections.abc import Callable, Collection, Sequence

from actions.grouping import group_by_key
from actions.history.joins import JoinedUse, LineHistory
from templates.filters import counted

_SHOWN = 5


def count_sessions(uses: Collection[JoinedUse]) -> int:
    """Return the number of sessions that some uses belong to."""
    return len({one.use.session for one in uses})


def describe_failures(one: LineHistory) -> str:
    """Say in how many runs a line failed, and with which versions of Claude Code."""
    text = f"failed in {len(one.failed_uses)} of {counted(len(one.ran_uses), 'run')}"
    failed = set(map(id, one.failed_uses))
    return text + _describe_versions(one.ran_uses, lambda use: id(use) in failed)


def _describe_versions(uses: Sequence[JoinedUse], holds: Callable[[JoinedUse], bool]) -> str:
    """Say how many of the uses of each version of Claude Code something holds for; "" if none of them is known."""
    known = group_by_key((use.use.version, use) for use in uses if use.use.version)
    parts = [f"{version}: {sum(map(holds, same))} of {len(same)}" for version, same in known.items()]
    return f" (Claude Code {', '.join(parts[-_SHOWN:])})" if parts else ""


def name_text(text: str, most: int = 70) -> str:
    """Return words of a text as a code span for a message."""
    line = " ".join(text.replace("`", "'").split())
    return f"`{line if len(line) <= most else line[: most - 1] + '…'}`"
