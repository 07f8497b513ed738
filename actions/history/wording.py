"""Format parts of messages about lines of a text: the number of runs in which a line failed, and its quote."""

from collections.abc import Callable, Collection, Sequence

from actions.grouping import group_by_key
from actions.history.joins import JoinedUse, LineHistory
from templates.filters import counted

_MAX_VERSIONS = 5
"""Maximum number of Claude Code versions in a message, which names the newest ones."""


def count_sessions(uses: Collection[JoinedUse]) -> int:
    """Return the number of sessions to which uses belong."""
    return len({one.use.session for one in uses})


def describe_failures(one: LineHistory) -> str:
    """Return a clause with the number of runs in which a line failed, by version of Claude Code."""
    text = f"failed in {len(one.failed_uses)} of {counted(len(one.ran_uses), 'run')}"
    failed = set(map(id, one.failed_uses))
    return text + _describe_versions(one.ran_uses, lambda use: id(use) in failed)


def _describe_versions(uses: Sequence[JoinedUse], holds: Callable[[JoinedUse], bool]) -> str:
    """Return in parentheses, for each known Claude Code version, the share of uses for which `holds` is true; or ""."""
    known = group_by_key((use.use.version, use) for use in uses if use.use.version)
    parts = [f"{version}: {sum(map(holds, same))} of {len(same)}" for version, same in known.items()]
    return f" (Claude Code {', '.join(parts[-_MAX_VERSIONS:])})" if parts else ""


def name_text(text: str, most: int = 70) -> str:
    """Return the beginning of a text as a code span for a message."""
    line = " ".join(text.replace("`", "'").split())
    return f"`{line if len(line) <= most else line[: most - 1] + '…'}`"
