"""Find the entries of MCP servers that Claude Code drops, and why."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from actions.memo import memoize_all
from actions.project.facts.mcp import INTERNAL_TYPES, REQUIRED_KEYS
from actions.project.mcp_file import find_servers
from actions.project.near_name import find_near
from actions.project.project import Project
from actions.project.units import Unit


class ServerFault(msgspec.Struct, frozen=True):
    """A fault for which Claude Code drops a server. `server` is the server's name; `problem` says what is wrong.

    `name` is a key or type that misspells `known`. Both are empty for other faults.
    """

    unit: Unit
    line: int
    server: str
    problem: str
    name: str = ""
    known: str = ""


@memoize_all
def find_server_faults(project: Project) -> Iterator[ServerFault]:
    """Yield the first fault of each server that Claude Code drops."""
    for server in find_servers(project):
        document = project.read_json(server.unit.path)
        key, problem, *names = _find_fault(server.entry)
        if problem and document:
            yield ServerFault(server.unit, document.find_line(*server.steps, key), server.name, problem, *names)


def _find_fault(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the faulty key and the reason, which is "" if there is no fault.

    If a key or a type is misspelled, the wrong name and the right name follow.
    """
    kind = entry.get("type")
    if kind in INTERNAL_TYPES:
        return "", ""
    if isinstance(kind, str) and kind not in REQUIRED_KEYS:
        near = find_near(kind, REQUIRED_KEYS) or ""
        return "type", f"unknown type `{kind[:60]}`" + _format_suggestion(near), kind if near else "", near
    if kind is None and "url" in entry and "command" not in entry:
        return "url", "it has a `url` and no `type`"
    needed = REQUIRED_KEYS[kind] if isinstance(kind, str) else "command"
    if needed not in entry:
        wrong = next((key for key in entry if find_near(key, (needed,))), "")
        instead = f" but `{wrong}`" if wrong else ""
        return wrong, f"it has no `{needed}`{instead}", wrong, needed if wrong else ""
    if not isinstance(entry[needed], str):
        return needed, f"its `{needed}` is not a string"
    if needed == "command" and not entry[needed]:  # a server with an empty `url` is kept, as not configured
        return needed, "its `command` is empty"
    if needed == "command" and not _is_list_of_strings(entry.get("args", [])):
        return "args", "its `args` are not a list of strings"
    variables = entry.get("env", {}) if needed == "command" else {}
    if not isinstance(variables, dict) or not _is_list_of_strings([*variables.values()]):
        return "env", "its `env` is not an object of strings"
    return "", ""


def _format_suggestion(near: str) -> str:
    return f", did you mean `{near}`" if near else ""


def _is_list_of_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
