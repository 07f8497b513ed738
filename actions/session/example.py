"""Build the records of example sessions: `user("…")` is a user message, `bash("ls", "a.md")` a Bash call."""

from collections.abc import Mapping
from typing import Any

import msgspec

Part = Mapping[str, Any]
"""A record of an example session."""


def user(text: str) -> Part:
    """Return a user message."""
    return {"role": "user", "content": text}


def agent(text: str) -> Part:
    """Return an assistant message."""
    return {"role": "assistant", "content": text}


def use(tool: str, result: str | None = "", *, error: bool = False, **arguments: Any) -> Part:
    """Return a tool call. If `result` is None, the call has no result."""
    return {"tool": tool, "input": arguments, "result": result, "error": error}


def bash(command: str, result: str | None = "", *, error: bool = False) -> Part:
    """Return a Bash call."""
    return use("Bash", result, error=error, command=command)


def edit(path: str, added: str, removed: str = "") -> Part:
    """Return a successful Edit call."""
    return use("Edit", "updated", file_path=path, new_string=added, old_string=removed)


def write(path: str, text: str) -> Part:
    """Return a successful Write call."""
    return use("Write", "created", file_path=path, content=text)


def todos(**items: str) -> Part:
    """Return a TodoWrite call. `items` maps the texts of the items, with `_` for spaces, to their statuses."""
    todo_items = [{"content": name.replace("_", " "), "status": status} for name, status in items.items()]
    return use("TodoWrite", "Todos have been modified", todos=todo_items)


class Recorded(msgspec.Struct, frozen=True):
    """An example skill or command (the text of its file), and sessions that used it.

    A session is a list of messages. `load()` marks that Claude Code loaded the text, `load("…")` that it loaded an
    older version. `others` maps the paths of the skill's other files to their texts.
    """

    text: str
    sessions: tuple[tuple[Part, ...], ...]
    others: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def files(self) -> Mapping[str, str]:
        """The text and the sessions as files of an example."""
        sessions = {f"session {n}": "\n".join(map(_format, parts)) for n, parts in enumerate(self.sessions, 1)}
        return {"SKILL.md": self.text, **self.others, **sessions}


def load(text: str = "") -> Part:
    """Return the record that loads a text, by default the text of the example."""
    return {"load": text}


def compact(trigger: str = "auto") -> Part:
    """Return the record of a compaction."""
    return {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": trigger}}


def hook(text: str) -> Part:
    """Return the record of text that a hook added to the context."""
    attachment = {"type": "hook_additional_context", "hookEvent": "SessionStart", "content": [text]}
    return {"type": "attachment", "attachment": attachment}


def headless() -> Part:
    """Return the first record of a headless session, which has no user to answer questions."""
    return {"type": "attachment", "entrypoint": "sdk-cli"}


def _format(part: Part) -> str:
    if "load" in part:
        return f"(loads {'an older text' if part['load'] else 'SKILL.md'})"
    if "tool" in part:
        values = ", ".join(map(str, part["input"].values()))
        outcome = " failed" if part["error"] else ""
        return f"{part['tool']}: {values} ->{outcome} {part['result'] or ''}".rstrip()
    if "role" in part:
        return f"{part['role']}: {part['content']}"
    if "attachment" in part:
        return f"(a hook adds: {part['attachment']['content'][0]})"
    return "(a compaction)" if part.get("subtype") else "(no user)"
