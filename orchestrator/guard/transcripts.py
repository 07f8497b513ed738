"""Read the transcripts of sessions and their sub-agents, within limits. Find the sessions that used a skill."""

import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from actions.session.transcript import Transcript
from actions.session.transcript_parse import MAX_KEPT, parse_transcript
from actions.session.transcript_record import Line
from orchestrator.errors import BadInput, reason
from orchestrator.fs.home import claude_folder

_CWD_FIELD = re.compile(rb'"cwd": ?("(?:[^"\\]|\\.){0,4096}")')

MAX_LINE = 8_000_000
"""Maximum length of a line in bytes. Longer lines contain images, which no checker reads, and are skipped."""

MAX_FILE = 1_000_000_000
"""Maximum size of a file in bytes. No session is longer, but a sparse file can have any size."""
MAX_LIST = 8_000_000
"""Maximum size of a transcript that is one JSON list, because parsing it cannot be interrupted."""
MAX_AGENTS = 200
"""Maximum number of sub-agents that are read, in the order of their names."""
JUDGE_MARK = "[tune-skill judge]"
"""The beginning of every question of our own judge, whose sessions never count as evidence."""

_HEAD_BYTES, _SMALL_FILE = 200_000, 64_000_000


def read_transcript(path: Path, characters: int = MAX_KEPT) -> Transcript:
    """Read a session with its sub-agents. Raises BadInput if the session cannot be read.

    characters: the maximum number of characters to keep in memory.
    """
    agent_files = find_agent_files(path)
    share = characters // (len(agent_files) + 1)
    agents = tuple(parse_transcript(_try_read_lines(file), path.stem, agent=id, kept=share) for id, file in agent_files)
    return parse_transcript(read_lines(path), path.stem, agents, kept=share)


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a transcript, or the records of a JSON list. A line longer than MAX_LINE is yielded as None.

    Raises BadInput if the transcript is not a regular file or cannot be read.
    """
    try:
        with _open(path) as file:
            if file.peek(1)[:1] == b"[":  # type: ignore[attr-defined]
                yield from _read_json_list(file, path)
            else:
                yield from _read_json_lines(file)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; give the .jsonl file of a session") from error


def _open(path: Path) -> IO[bytes]:
    """Open a regular file without blocking. Raises BadInput if it is too large, or if it is a pipe or device."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        raise BadInput(f"{path}: {error}; give the .jsonl file of a session") from error
    info = os.fstat(fd)
    if not stat.S_ISREG(info.st_mode) or info.st_size > MAX_FILE:
        os.close(fd)
        why = f"larger than {MAX_FILE // 1_000_000} MB" if stat.S_ISREG(info.st_mode) else "not a regular file"
        raise BadInput(f"{path}: {why}; give the .jsonl file of a session")
    return os.fdopen(fd, "rb", buffering=1 << 18)


def _read_json_lines(file: IO[bytes]) -> Iterator[Line]:
    if os.fstat(file.fileno()).st_size <= _SMALL_FILE:  # any line fits into memory
        for line in file:
            yield line if len(line) <= MAX_LINE else None
        return
    while line := file.readline(MAX_LINE + 1):
        if len(line) <= MAX_LINE:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE)
        yield None


def _read_json_list(file: IO[bytes], path: Path) -> Iterator[Line]:
    if os.fstat(file.fileno()).st_size > MAX_LIST:
        raise BadInput(f"{path}: a JSON list of more than {MAX_LIST // 1_000_000} MB; save it with one record per line")
    try:
        records = json.loads(file.read().decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: {reason(error)}; give the .jsonl file of a session") from error
    yield from records if isinstance(records, list) else ()


def _try_read_lines(path: Path) -> Iterator[Line]:
    with suppress(BadInput):
        yield from read_lines(path)


def find_agent_files(path: Path) -> list[tuple[str, Path]]:
    """Return the id and file of each sub-agent. Older versions of Claude Code write the files next to the session."""
    if not path.name or "\0" in path.name:
        return []
    files = sorted(path.with_suffix("").glob("subagents/agent-*.jsonl"))
    if not files:
        files = [file for file in sorted(path.parent.glob("agent-*.jsonl")) if _belongs_to(file, path.stem)]
    return [(file.stem.removeprefix("agent-"), file) for file in files[:MAX_AGENTS]]


def _belongs_to(file: Path, session_id: str) -> bool:
    return f'"{session_id}"'.encode() in _read_head(file)


def _read_head(path: Path) -> bytes:
    try:
        with _open(path) as file:
            return file.read(_HEAD_BYTES)
    except (OSError, BadInput):
        return b""


def get_projects_folder() -> Path:
    """Return Claude Code's folder of transcripts. Raises BadInput for a user without a home folder."""
    return claude_folder() / "projects"


def find_sessions(
    name: str, project_root: Path, is_used: Callable[[Transcript], bool], limit: int = 50
) -> tuple[Path, ...]:
    """Return at most `limit` sessions of the project that used a unit, newest first.

    Skips the sessions of tune-skill's own judge. A session belongs to the project if the `cwd` in its records does.
    is_used: returns whether a session used the unit. Only sessions that mention the last part of the unit's name
    are parsed.
    """
    found: list[Path] = []
    for path in list_project_sessions((project_root,)):
        if len(found) == limit:
            break
        if _mentions(path, name.rpartition(":")[2].encode()):
            with suppress(BadInput):
                session = parse_transcript(read_lines(path), path.stem)
                if is_evidence(session) and is_used(session):
                    found.append(path)
    return tuple(found)


def list_project_sessions(roots: Sequence[Path], since: float = 0) -> Iterator[Path]:
    """Yield the sessions that ran in one of `roots` and ended after `since` (epoch seconds), newest first."""
    folders = [root.resolve() for root in roots]
    for path in _list_newest_first(get_projects_folder()):
        if path.stat().st_mtime < since:
            return
        head = _read_head(path)
        if any(_is_in_project(head, folder) for folder in folders):
            yield path


def _list_newest_first(folder: Path) -> list[Path]:
    """Return the transcripts of sessions (not those of sub-agents), the most recently changed first."""
    times: dict[Path, float] = {}
    for path in folder.glob("*/*.jsonl"):
        if not path.stem.startswith("agent-"):
            with suppress(OSError):
                times[path] = path.stat().st_mtime
    return sorted(times, key=lambda path: (-times[path], path))


def _is_in_project(head: bytes, project: Path) -> bool:
    """Return whether the first `cwd` near the beginning of a transcript is in the project."""
    found = _CWD_FIELD.search(head)
    cwd = str(json.loads(found[1].decode("utf-8", "replace"), strict=False)) if found else ""
    with suppress(OSError, ValueError):
        return bool(cwd) and Path(cwd).resolve().is_relative_to(project)
    return False


def _mentions(path: Path, name: bytes) -> bool:
    """Return whether a file contains the name. The file is not parsed, because that is slower."""
    tail = b""
    with suppress(OSError, BadInput), _open(path) as file:
        while chunk := file.read(1 << 20):
            if name in tail + chunk:
                return True
            tail = chunk[-len(name) :]
    return False


def is_evidence(transcript: Transcript) -> bool:
    """Return whether a session can be evidence about a skill. A session of tune-skill's own judge cannot."""
    prompts = transcript.prompts
    return not (prompts and prompts[0].text.lstrip().startswith(JUDGE_MARK))


def uses_skill(transcript: Transcript, name: str, root: Path) -> bool:
    """Return whether a session used a skill or a command, identified by its name or its folder."""
    last = name.rpartition(":")[2]
    return any(used.rpartition(":")[2] == last or _is_skill_folder(used, root) for used in transcript.skills)


def _is_skill_folder(used: str, root: Path) -> bool:
    with suppress(OSError, ValueError):
        return used.startswith("/") and Path(used).resolve() == root.resolve()
    return False
