"""Write the messages of an example session."""

from collections.abc import Mapping
from typing import Any

Part = Mapping[str, Any]


def user(text: str) -> Part:
    """Return a message of the user."""
    return {"role": "user", "content": text}


def agent(text: str) -> Part:
    """Return a message of the assistant."""
    return {"role": "assistant", "content": text}


def use(tool: str, result: str | None = "", *, error: bool = False, **given: Any) -> Part:
    """Return a tool call of the assistant, without a result if `result` is None."""
    return {"tool": tool, "input": given, "result": result, "error": error}


def bash(command: str, result: str | None = "", *, error: bool = False) -> Part:
    """Return a call of Bash."""
    return use("Bash", result, error=error, command=command)


def edit(path: str, added: str, removed: str = "") -> Part:
    """Return a call of Edit that succeeded."""
    return use("Edit", "updated", file_path=path, new_string=added, old_string=removed)


def write(path: str, text: str) -> Part:
    """Return a call of Write that succeeded."""
    return use("Write", "created", file_path=path, content=text)


def todos(**items: str) -> Part:
    """Return a call of TodoWrite; keywords are items with `_` for spaces, values are statuses."""
    listed = [{"content": name.replace("_", " "), "status": status} for name, status in items.items()]
    return use("TodoWrite", "Todos have been modified", todos=listed)
