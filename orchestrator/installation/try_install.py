"""Test an installation: check its files, whether Claude Code may start the server, and whether the server answers."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from orchestrator.errors import Refused, one_line
from orchestrator.guard.sessions.paths import find_project_root
from orchestrator.installation.command import NAME, build_display_command
from orchestrator.installation.install import is_plugin_enabled, plan_command_files
from orchestrator.installation.settings import read_settings
from orchestrator.installation.targets import InstallTarget, find_user_target, list_settings_files
from orchestrator.model.consent import read_consent
from orchestrator.model.environment import find_access_problem

_SERVER_SECONDS = 30
"""Time limit for the server to start and list its tools, in seconds."""
_ENABLED_KEY, _DISABLED_KEY, _ENABLE_ALL_KEY = (
    "enabledMcpjsonServers",
    "disabledMcpjsonServers",
    "enableAllProjectMcpServers",
)
_RESET_ADVICE = "run `claude mcp reset-project-choices`, start Claude Code, and choose “Use this MCP server”"


class InstallationPart(msgspec.Struct, frozen=True):
    """A part of an installation. `problem` is what is wrong and what to do, or "". `note` has other details."""

    name: str
    problem: str = ""
    note: str = ""


def try_install(target: InstallTarget, version: str) -> list[InstallationPart]:
    """Check the parts of an installation.

    The server is started only if all other parts are correct, because it could belong to another program.
    """
    stale_files = {change.path for change in plan_command_files(target, version)}
    files = {"command /tune-skill": target.skill, "agent": target.judge, "server": target.servers}
    parts = [
        _check_file(name, path, is_stale=bool({path, path.resolve()} & stale_files)) for name, path in files.items()
    ]
    if target.name == "project":
        parts.append(_check_permission())
    if not any(part.problem for part in parts):
        parts.append(_try_server())
    return [*parts, _check_model()]


def _check_file(name: str, path: Path, *, is_stale: bool) -> InstallationPart:
    """Check a file of the installation. `is_stale` is true if `install` would change the file."""
    state = "is from another version" if path.exists() else "does not exist"
    return InstallationPart(name, f"{path} {state}; run `tune-skill install`" if is_stale else "", str(path))


def _check_permission() -> InstallationPart:
    name = "server allowed"
    choices = list(_read_choices())
    if any(NAME in _get_names(choice, _DISABLED_KEY) for choice in choices):
        return InstallationPart(
            name, f"Claude Code continues without the server, as chosen at its start; {_RESET_ADVICE}"
        )
    if any(NAME in _get_names(choice, _ENABLED_KEY) or choice.get(_ENABLE_ALL_KEY) is True for choice in choices):
        return InstallationPart(name)
    if is_plugin_enabled():
        return InstallationPart(name, note="by the plugin")
    return InstallationPart(name, note="not decided: Claude Code asks at its next start; choose “Use this MCP server”")


def _read_choices() -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that may contain the user's choice.

    These are the settings, and Claude Code's record of this project.
    """
    for path in list_settings_files().values():
        try:
            yield read_settings(path)[2]
        except Refused:
            continue
    try:
        known = read_settings(find_user_target().servers)[2].get("projects")
    except Refused:
        return
    project = known.get(str(find_project_root())) if isinstance(known, dict) else None
    if isinstance(project, dict):
        yield project


def _get_names(settings: dict[str, Any], key: str) -> list[Any]:
    value = settings.get(key)
    return value if isinstance(value, list) else []


def _try_server() -> InstallationPart:
    """Start the server like Claude Code, and ask for its tools."""
    name, command = "server answers", [*build_display_command(), "mcp"]
    try:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            timer = threading.Timer(_SERVER_SECONDS, process.kill)
            timer.start()
            try:
                tools = _list_tools(process)
            finally:
                timer.cancel()
                process.kill()
            errors = process.stderr.read() if process.stderr and tools is None else ""
    except OSError as error:
        return InstallationPart(name, f"{command[0]} cannot be started: {error.strerror}")
    if tools is None:
        last = errors.strip().splitlines()[-1:] or [f"no answer within {_SERVER_SECONDS} seconds"]
        return InstallationPart(name, f"`{' '.join(command)}` does not answer: {one_line(last[0])[:200]}")
    return InstallationPart(name, note=f"{len(tools)} tools")


def _list_tools(process: "subprocess.Popen[str]") -> list[Any] | None:
    assert process.stdin is not None and process.stdout is not None
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": NAME, "version": "1"}}
    try:
        for message in (
            {"id": 1, "method": "initialize", "params": params},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/list"},
        ):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            answer = json.loads(line)
            if answer.get("id") == 2:
                tools: list[Any] = answer["result"]["tools"]
                return tools
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return None


def _check_model() -> InstallationPart:
    """Report what will answer questions: the server with the user's login, or agents. Neither is a problem."""
    if why := find_access_problem(os.environ):
        return InstallationPart("model", note=f"agents in your session answer questions: {why}")
    notes = {
        None: "the server asks once whether it may use the login of your Claude Code",
        True: "the server uses the login of your Claude Code, as you have allowed",
        False: "agents in your session answer questions, because you did not let the server use your login",
    }
    return InstallationPart("model", note=notes[read_consent()])
