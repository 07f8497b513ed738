"""The slash command and its agent, rendered for the command that starts this installation."""

import hashlib
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from orchestrator.errors import Refused
from orchestrator.fs import nofollow
from orchestrator.installation.changes import Change, backup_name, resolve_target
from templates import render

SUBCOMMANDS = ("run", "answer", "apply", "resume", "status", "report")
"""What the skill may call without asking: nothing that installs or deletes."""

OWN, PLUGINS = "mcp__tune-skill__", "mcp__plugin_tune-skill_tune-skill__"
"""What the names of the server's tools begin with: of an installed server, and of the plugin's."""
TOOLS = ("diagnose", "question", "answer", "fixes", "apply", "report", "status")
"""The tools that need no permission of their own; what `apply` writes, the user has chosen."""
JUDGE = "skill-judge"

_SEAL = re.compile(rb"^  seal: ([0-9a-f]{16})\n", re.MULTILINE)
_GENERATOR = b"\n  generator: tune-skill "


def skill_text(command: Sequence[str], version: str, prefix: str = OWN) -> bytes:
    """Give SKILL.md for a command and a version. Its seal tells later whether somebody edited it."""
    called = shlex.join(command)
    tools = (f"{prefix}{name}" for name in TOOLS)
    allowed = ", ".join([*(f"Bash({called} {name}:*)" for name in SUBCOMMANDS), "AskUserQuestion", *tools])
    judge = JUDGE if prefix == OWN else f"tune-skill:{JUDGE}"
    return _sealed(
        "claude/skill.md", command=called, version=version, allowed=_quoted(allowed), prefix=prefix, judge=judge
    )


def judge_text(version: str, prefix: str = OWN) -> bytes:
    """Return the agent that answers a question, sealed like the skill."""
    return _sealed("claude/judge.md", version=version, prefix=prefix)


def _sealed(template: str, **values: str) -> bytes:
    text = render(template, **values).encode()
    head, mark, rest = text.partition(b"\n---\n")
    return head + b"\n  seal: " + _digest(text) + mark + rest


def plan_install(path: Path, text: bytes, told: str = "the slash command /tune-skill") -> list[Change]:
    """Give the change that puts a text of ours at `path`; [] when it stands there. Raises Refused for another's."""
    real = resolve_target(path)
    before = _bytes(real)
    if before == text:
        return []
    if before is not None and _GENERATOR not in before:
        raise Refused(f"{path}: tune-skill did not write this; move it away first, nothing was changed")
    backup = backup_name(path) if before is not None and not _is_sealed(before) else None
    return [Change(real, before, text, told, backup)]


def plan_uninstall(path: Path, told: str = "the slash command /tune-skill") -> list[Change]:
    """Give the change that takes a text of ours away; [] when none stands there. An edited one is kept."""
    before = _bytes(path)
    if before is None or _GENERATOR not in before:
        return []
    backup = None if _is_sealed(before) else backup_name(path)
    return [Change(path, before, None, f"{told} is gone", backup)]


def _is_sealed(text: bytes) -> bool:
    """Tell whether a SKILL.md of ours, of whatever version, is as it was written."""
    found = _SEAL.search(text)
    return found is not None and _digest(_SEAL.sub(b"", text, count=1)) == found[1]


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:16].encode()


def _quoted(text: str) -> str:
    """Give a text as a YAML string, plain where that is enough."""
    return text if re.fullmatch(r"[\w()./:*, -]+", text, re.ASCII) else "'" + text.replace("'", "''") + "'"


def _bytes(path: Path) -> bytes | None:
    try:
        return nofollow.read(os.path.realpath(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}; nothing was changed") from error
