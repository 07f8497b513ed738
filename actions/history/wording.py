"""Format parts of messages about a line of a text: the number of runs that failed at it, and a quote."""

from collections.abc import Callable, Collection, Sequence

from actions.grouping import group_by_key
from actions.history.line_history import LineHistory
from actions.history.matched_uses import MatchedUse
from templates.filters import counted

_MAX_VERSIONS = 5
"""Maximum number of versions of Claude Code in a message, newest first."""


def count_sessions(uses: Collection[MatchedUse]) -> int:
    """Count the sessions that contain the uses."""
    return len({use.use.session for use in uses})


def describe_failures(history: LineHistory) -> str:
    """Return a clause with the number of runs in which a line failed, by version of Claude Code."""
    text = f"failed in {len(history.failed_uses)} of {counted(len(history.executed_uses), 'run')}"
    failed = set(map(id, history.failed_uses))
    return text + _describe_versions(history.executed_uses, lambda use: id(use) in failed)


def _describe_versions(uses: Sequence[MatchedUse], has_failed: Callable[[MatchedUse], bool]) -> str:
    """Return the number of failed uses for each version of Claude Code, in parentheses, or "" if none is known."""
    by_version = group_by_key((matched.use.version, matched) for matched in uses if matched.use.version)
    parts = [
        f"{version}: {sum(map(has_failed, version_uses))} of {len(version_uses)}"
        for version, version_uses in by_version.items()
    ]
    return f" (Claude Code {', '.join(parts[-_MAX_VERSIONS:])})" if parts else ""


def quote_text(text: str, max_characters: int = 70) -> str:
    """Quote a text in a message as a code span of at most `max_characters` characters."""
    line = " ".join(text.replace("`", "'").split())
    return f"`{line if len(line) <= max_characters else line[: max_characters - 1] + '…'}`"
