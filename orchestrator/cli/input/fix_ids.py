"""Read the arguments `[RUN] [FIX-001 …]` of `apply` and `rollback`."""

import re
from collections.abc import Mapping

import click

from actions.regex import regex

_FIX = regex(r"fix[-_ ]?([0-9]{1,6})|([0-9]{1,3})", re.IGNORECASE)
"""The accepted spellings of a fix id. (A shortened run id has more digits.)"""


def split_run_and_fixes(run: str | None, fixes: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """Return the run (None if no argument is a run) and the ids of the fixes.

    Other spellings such as `fix2`, `2` and `FIX-001,FIX-002` are accepted.
    """
    first = _parse_fix_ids(run or "")
    rest = [id for text in fixes for id in _parse_fix_ids(text) or [text]]
    return (None if first else run), tuple(dict.fromkeys((*first, *rest)))


def _parse_fix_ids(text: str) -> list[str]:
    """Return the fix ids in an argument, or [] if any part of it is not a fix id."""
    matches = [_FIX.fullmatch(part.strip()) for part in text.strip(", ").split(",")]
    return [f"FIX-{int(match[1] or match[2]):03}" for match in matches if match] if all(matches) else []


def ensure_one_choice(run: str | None, fixes: tuple[str, ...], flags: Mapping[str, bool]) -> None:
    """Raise click.UsageError unless the user gave either fixes or exactly one of the flags."""
    choices = [*([" ".join(fixes)] if fixes else []), *(flag for flag, is_set in flags.items() if is_set)]
    context = click.get_current_context()
    if len(choices) > 1:
        raise click.UsageError(f"{' and '.join(choices)} are mutually exclusive; give one of them", context)
    if not choices:
        read_as_run = f"{run} is read as the run; " if run else ""
        raise click.UsageError(f"{read_as_run}name fixes, such as FIX-001, or pass {' or '.join(flags)}", context)
