"""Render the slash command and its agent, and plan their installation."""

import hashlib
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from orchestrator.errors import Refused
from orchestrator.fs import nofollow
from orchestrator.installation.changes import Change, choose_backup_name, resolve_target
from orchestrator.installation.created import find_digest, was_created, was_written
from templates import render

SUBCOMMANDS = ("run", "answer", "apply", "resume", "status", "report")
"""Subcommands that the skill may call without asking the user. None of them installs or deletes anything."""

SERVER_PREFIX = "mcp__tune-skill__"
"""Prefix of the MCP tools if `tune-skill install` registered the server."""
PLUGIN_PREFIX = "mcp__plugin_tune-skill_tune-skill__"
"""Prefix of the MCP tools if the plugin registered the server."""
TOOLS = ("diagnose", "question", "look", "answer", "fixes", "apply", "report", "status")
"""Tools that the skill may call without asking the user. `apply` writes only fixes that the user chose."""
READ_ONLY_TOOLS = ("findings", "look", "report", "status")
"""Tools that change nothing in the skill and send nothing."""
JUDGE = "skill-judge"
"""Name of the agent that answers the questions."""

_CHECKSUM = re.compile(rb"^  seal: ([0-9a-f]{16})\n", re.MULTILINE)
"""The frontmatter field with the checksum of the rest of the file."""
_GENERATOR = b"\n  generator: tune-skill "


def render_skill(command: Sequence[str], version: str, prefix: str = SERVER_PREFIX) -> bytes:
    """Render SKILL.md of the slash command, with a checksum that shows later whether the user has edited it.

    `command` starts tune-skill. `prefix` is the prefix of the names of the MCP tools.
    """
    line = shlex.join(command)
    tools = (f"{prefix}{name}" for name in TOOLS)
    allowed = ", ".join([*(f"Bash({line} {name}:*)" for name in SUBCOMMANDS), "AskUserQuestion", *tools])
    is_plugin = prefix == PLUGIN_PREFIX
    judge, server = (f"tune-skill:{JUDGE}", "plugin:tune-skill:tune-skill") if is_plugin else (JUDGE, "tune-skill")
    values = {"command": line, "version": version, "allowed": _quote_yaml(allowed), "prefix": prefix}
    return _render_with_checksum("claude/skill.md", **values, judge=judge, server=server)


def render_judge(version: str, prefix: str = SERVER_PREFIX) -> bytes:
    """Render the file of the agent that answers questions, with a checksum."""
    return _render_with_checksum("claude/judge.md", version=version, prefix=prefix)


def _render_with_checksum(template: str, **values: str) -> bytes:
    text = render(template, **values).encode()
    frontmatter, end, body = text.partition(b"\n---\n")
    return frontmatter + b"\n  seal: " + _digest(text) + end + body


def plan_install(path: Path, text: bytes, subject: str = "slash command /tune-skill") -> list[Change]:
    """Plan to write a text to `path`. Returns [] if the file already has this text.

    Raises Refused if the file exists and was not written by tune-skill.
    """
    real_path = resolve_target(path)
    before = _read_bytes(real_path)
    if before == text:
        return []
    if before is not None and _GENERATOR not in before:
        raise Refused(f"{path}: tune-skill did not write this file; move it first, nothing was changed")
    backup = choose_backup_name(path) if before is not None and not _is_unedited(before) else None
    return [Change(real_path, before, text, subject, backup, is_noted=True)]


def plan_uninstall(path: Path, subject: str = "slash command /tune-skill") -> list[Change]:
    """Plan to remove the file at `path`. Returns [] if it was not written by tune-skill, or is committed in git.

    A committed file that `install` replaced is brought back. A backup is kept if the user edited the file. Without a
    note that `install` wrote the file, it stays if git has it, or cannot say so.
    """
    before = _read_bytes(path)
    if before is None or _GENERATOR not in before or _is_of_team(path):
        return []
    committed = _find_committed(path, before)
    if committed == before:
        return []
    backup = None if _is_unedited(before) else choose_backup_name(path)
    what = f"{subject} {'removed' if committed is None else 'as it is committed in git'}"
    return [Change(path, before, committed, what, backup, is_restored=committed is not None)]


def explain_kept(path: Path) -> str | None:
    """Return why `uninstall` leaves the file at `path`, or None if it removes it or tune-skill did not write it."""
    from orchestrator.fs.git import read_committed  # slow to load and rarely needed

    if _GENERATOR not in (_read_bytes(path) or b"") or plan_uninstall(path):
        return None
    is_known = read_committed(Path(os.path.realpath(path))) is not None
    return "it is committed in git" if is_known else "git does not say whether it is committed"


def _is_of_team(path: Path) -> bool:
    """Return whether a file may have come with the repository: no note says that this user's `install` wrote it."""
    from orchestrator.fs.git import may_be_committed  # slow to load and rarely needed

    return find_digest(path) is None and not was_created(path) and may_be_committed(Path(os.path.realpath(path)))


def _find_committed(path: Path, before: bytes) -> bytes | None:
    """Return the content of the file in the last commit that `uninstall` leaves or brings back, or None.

    None if this user's `install` wrote the committed content, or created the file, which the commit had and the project
    did not.
    """
    from orchestrator.fs.git import read_committed  # slow to load and rarely needed

    committed = read_committed(Path(os.path.realpath(path)))
    if committed is None or _GENERATOR not in committed or was_written(path, committed):
        return None
    return None if committed != before and was_created(path) else committed


def _is_unedited(text: bytes) -> bool:
    """Return whether a text is still as tune-skill wrote it, by its checksum."""
    match = _CHECKSUM.search(text)
    return match is not None and _digest(_CHECKSUM.sub(b"", text, count=1)) == match[1]


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:16].encode()


def _quote_yaml(text: str) -> str:
    return text if re.fullmatch(r"[\w()./:*, -]+", text, re.ASCII) else "'" + text.replace("'", "''") + "'"


def _read_bytes(path: Path) -> bytes | None:
    """Return the content of a file, or None if it does not exist. Raises Refused if it cannot be read."""
    try:
        return nofollow.read(os.path.realpath(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}; nothing was changed") from error
