"""Small words to write an example session with: each gives a message or two."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from actions.session.transcript import Transcript
from actions.session.transcript_parse import parse_transcript

Part = Mapping[str, Any]


def user(text: str) -> Part:
    """The user says something."""
    return {"role": "user", "content": text}


def agent(text: str) -> Part:
    """The assistant says something."""
    return {"role": "assistant", "content": text}


def use(tool: str, result: str | None = "", *, error: bool = False, **given: Any) -> Part:
    """The assistant uses a tool; with `result=None` nothing comes back."""
    return {"tool": tool, "input": given, "result": result, "error": error}


def bash(command: str, result: str | None = "", *, error: bool = False) -> Part:
    """The assistant runs a command."""
    return use("Bash", result, error=error, command=command)


def edit(path: str, added: str, removed: str = "") -> Part:
    """The assistant replaces text in a file."""
    return use("Edit", "updated", file_path=path, new_string=added, old_string=removed)


def write(path: str, text: str) -> Part:
    """The assistant writes a file."""
    return use("Write", "created", file_path=path, content=text)


def todos(**items: str) -> Part:
    """The assistant writes its list: words joined by _ = status."""
    listed = [{"content": name.replace("_", " "), "status": status} for name, status in items.items()]
    return use("TodoWrite", "Todos have been modified", todos=listed)


def messages(*parts: Part) -> list[Part]:
    """Return the messages of a session made of these parts."""
    ids = count(1)
    return [message for part in parts for message in _messages(part, f"toolu_{next(ids)}")]


def transcript(*parts: Part) -> Transcript:
    """Return the transcript of a session made of these parts."""
    return parse_transcript(messages(*parts), "example")


def _messages(part: Part, id: str) -> Iterator[Part]:
    if "tool" not in part:
        yield part
        return
    block = {"type": "tool_use", "id": id, "name": part["tool"], "input": part["input"]}
    yield {"role": "assistant", "content": [block]}
    if part["result"] is not None:
        back = {"type": "tool_result", "tool_use_id": id, "content": part["result"], "is_error": part["error"]}
        yield {"role": "user", "content": [back]}
