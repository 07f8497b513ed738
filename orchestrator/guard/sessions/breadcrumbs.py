"""Build and parse breadcrumbs, which identify a point in a session: `s_{8}/c_{n}/g_{7}/p_{8|none}/t_{epoch}`."""

import re
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from orchestrator.errors import BadInput
from orchestrator.fs.git_files import read_head_commit
from orchestrator.guard.sessions.cycles import load_agent_state
from orchestrator.guard.sessions.paths import find_project_root
from orchestrator.guard.sessions.state import SessionState

_PARTS = {
    "s": ("session_id", re.compile(r"s_([\w-]{1,8})", re.ASCII)),
    "c": ("cycle", re.compile(r"c_(\d{1,9})", re.ASCII)),
    "g": ("git_hash", re.compile(r"g_([0-9a-f]{7})", re.ASCII)),
    "p": ("prompt_uuid", re.compile(r"p_(none|[\w-]{1,8})", re.ASCII)),
    "t": ("timestamp", re.compile(r"t_(\d{1,12})", re.ASCII)),
}
_REQUIRED = ("s", "c", "p")
_MAX_LENGTHS = {"s": 8, "g": 7, "p": 8}


def get_breadcrumb(session_id: str = "", prompt_id: str | None = None, root: Path | None = None) -> str:
    """Return the current breadcrumb of a session.

    The default is the most recent session of the project. The session, cycle, commit and prompt are read at most once
    per second.
    """
    prefix = _build_prefix(session_id, prompt_id, root or find_project_root(), int(time.monotonic()))
    return f"{prefix}/t_{int(time.time())}"


def parse_breadcrumb(breadcrumb: str) -> dict[str, Any] | None:
    """Return session_id, cycle, git_hash, prompt_uuid and timestamp of a breadcrumb, whose parts may be in any order.

    A missing commit or time becomes None, and so does the prompt `none`. Returns None if the text is not a breadcrumb.
    """
    values = _parse_parts(breadcrumb) if isinstance(breadcrumb, str) else None
    required = {_PARTS[letter][0] for letter in _REQUIRED}
    if not values or not values.keys() >= required:
        return None
    return {name: None for name, _ in _PARTS.values()} | values


def parse_breadcrumb_parts(parts: str | Mapping[str, Any]) -> dict[str, Any]:
    """Parse parts of a breadcrumb: a text, or a mapping of names or letters to values.

    Long ids and commits are shortened. The result has the same keys as that of `parse_breadcrumb`. Raises BadInput for
    an unknown part.
    """
    text = parts if isinstance(parts, str) else "/".join(_format_part(key, value) for key, value in parts.items())
    values = _parse_parts(text)
    if not values:
        raise BadInput(
            f"'{text}' is not part of a breadcrumb; a complete one looks like"
            " s_1a2b3c4d/c_1/g_1a2b3c4/p_none/t_1772357400"
        )
    return values


def _format_part(key: str, value: object) -> str:
    letter = next((letter for letter, (name, _) in _PARTS.items() if key in (letter, name)), None)
    if letter is None:
        raise BadInput(f"unknown part {key} of a breadcrumb; use {', '.join(name for name, _ in _PARTS.values())}")
    text = "none" if value is None else str(value).removeprefix(f"{letter}_")
    return f"{letter}_{text[: _MAX_LENGTHS.get(letter)]}"


def _parse_parts(text: str) -> dict[str, Any] | None:
    """Return the values of a breadcrumb by name. Returns None if a part is invalid or occurs twice."""
    values: dict[str, Any] = {}
    for part in text.strip().split("/"):
        letter = part[:1]
        name, pattern = _PARTS.get(letter, ("", None))
        match = pattern.fullmatch(part) if pattern else None
        if match is None or name in values:
            return None
        if letter in "ct":
            values[name] = int(match[1])
        else:
            values[name] = None if match[1] == "none" else match[1]
    return values


def get_git_hash(root: Path | None = None) -> str | None:
    """Return the first seven characters of the HEAD commit. Returns None outside git."""
    commit = read_head_commit(root or find_project_root())
    return commit[:7] if commit else None


@lru_cache(maxsize=64)
def _build_prefix(session_id: str, prompt_id: str | None, root: Path, second: int) -> str:
    """Build a breadcrumb without its time. second: is not used, but makes a cached result valid for one second."""
    state = load_agent_state(root)
    session = session_id or str(state["last_session_id"] or "unknown")
    prompt = prompt_id or SessionState.load(session, root=root).current_prompt_uuid
    commit = get_git_hash(root)
    return "/".join(
        [f"s_{_shorten(session)}", f"c_{state['current_cycle_number']}"]
        + ([f"g_{commit}"] if commit else [])
        + [f"p_{_shorten(prompt) if prompt else 'none'}"]
    )


def _shorten(id: str) -> str:
    return re.sub(r"[^\w-]", "-", id[:8], flags=re.ASCII) or "unknown"
