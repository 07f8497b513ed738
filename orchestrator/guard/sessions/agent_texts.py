"""Store the definitions of a project's sub-agents at the start of a session, because transcripts do not contain them.

Each text is stored once, under its digest. The file of a session maps the path of each agent to its digest.
"""

import os
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path

from orchestrator.errors import TuneSkillError
from orchestrator.fs import durable, nofollow
from orchestrator.guard.sessions.config import safe_id
from orchestrator.guard.sessions.paths import data_dir
from orchestrator.guard.sessions.state import read_json_safely, write_json_safely

_FOLDER = Path(".claude", "agents")
_MAX_AGENTS, _MAX_BYTES, _MAX_ENTRIES = 100, 200_000, 5_000
"""Maximum number of agents, size of a definition in bytes, and number of files and folders that are searched."""


def record_agent_texts(session_id: str, root: Path) -> None:
    """Store the definitions of a project's agents for a session. Skips definitions that cannot be read."""
    texts = dict(_read_texts(root))
    if not texts:
        return
    folder = data_dir(root) / "agents"
    digests: dict[str, str] = {}
    for path, text in texts.items():
        digests[path] = digest = sha256(text).hexdigest()
        if not (folder / f"{digest}.md").exists():
            durable.ensure_private_dir(folder, sync=False)
            durable.write_bytes(folder / f"{digest}.md", text, mode=0o600, sync=False)
    write_json_safely(_get_file(session_id, root), digests, sync=False)


def read_agent_text(session_id: str, path: str, root: Path) -> str | None:
    """Return the definition that the agent at `path` had when the session began, or None if it is unknown."""
    digest = read_json_safely(_get_file(session_id, root)).get(path)
    if not isinstance(digest, str) or not digest.isalnum():
        return None
    try:
        text = nofollow.read(str(data_dir(root) / "agents" / f"{digest}.md"), _MAX_BYTES)
    except (OSError, TuneSkillError):
        return None
    return text.decode("utf-8", "replace") if sha256(text).hexdigest() == digest else None


def _get_file(session_id: str, root: Path) -> Path:
    return data_dir(root) / "sessions" / safe_id(session_id) / "agents.json"


def _read_texts(root: Path) -> Iterator[tuple[str, bytes]]:
    for path in islice(_list_paths(root), _MAX_AGENTS):
        try:
            yield str(path.relative_to(root)), nofollow.read(str(path), _MAX_BYTES)
        except (OSError, TuneSkillError):
            continue


def _list_paths(root: Path) -> Iterator[Path]:
    """Yield the Markdown files among the first entries of the agents' folder.

    Yields nothing if the path of the folder contains a link.
    """
    if any((root / folder).is_symlink() for folder in (_FOLDER.parent, _FOLDER)):
        return
    remaining = _MAX_ENTRIES
    for folder, folders, names in os.walk(root / _FOLDER):
        folders.sort()
        yield from (Path(folder, name) for name in sorted(names)[:remaining] if name.endswith(".md"))
        remaining -= len(names) + len(folders)
        if remaining <= 0:
            return
