"""Read lines in the syntax of .gitignore as patterns that match in linear time."""

from collections.abc import Sequence

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_STAR, _FOLDERS = "[^/]*", "(?:/.+)?"
"""The regular expressions of pathspec for `*` and `/**`."""
_MAX_LINE = 4_096
"""Maximum number of characters of a line: the length of the longest path."""


class _LinearPattern(GitIgnoreSpecPattern):
    """A pattern in which `*` does not backtrack. Otherwise a hostile pattern could take exponential time."""

    @classmethod
    def pattern_to_regex(cls, pattern: str) -> tuple[str | None, bool | None]:  # type: ignore[override]
        """Translate a gitignore pattern to a regular expression.

        After a `*`, the expression takes the first match of the text before the next `*` and never tries a later one.
        """
        regex, include = super().pattern_to_regex(pattern)
        if (regex or "").count(_FOLDERS) > 1:
            raise ValueError(f"{pattern!r} has more than one **")
        first, *rest = (regex or "").split(_STAR)
        steps = (_STAR + part if _FOLDERS in part else f"(?>{_STAR}?{part})" for part in rest[:-1])
        return (regex and "".join((first, *steps, *(_STAR + part for part in rest[-1:])))), include


def read_lines(lines: Sequence[str]) -> GitIgnoreSpec:
    """Build a matcher from lines. Raises ValueError if a line is invalid, too long or has more than one `**`."""
    for line in lines:
        if len(line) > _MAX_LINE and not line.startswith("#"):
            raise ValueError(f"{line[:40]!r}… has more than {_MAX_LINE:,} characters; shorten it")
        if line.removesuffix("/**").count("**") > 1:
            raise ValueError(f"{line!r} has more than one **; split it into several lines")
    return GitIgnoreSpec.from_lines(lines, _LinearPattern, backend="simple")
