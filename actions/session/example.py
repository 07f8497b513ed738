"""Small words to write an example session with: each gives a message or two."""

from collections.abc import Mapping
from typing import Any

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
