"""`tune-skill hooks`: puts the hooks into the settings of Claude Code, and looks after them."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import click

from orchestrator.cli.emit import Helpful, emit, json_option
from orchestrator.cli.exits import Exit
from orchestrator.cli.text import safe
from orchestrator.hooks.dispatch import HANDLERS, dispatch
from orchestrator.hooks.logging import recent_lines
from orchestrator.sessions.config import ConsciousnessConfig
from orchestrator.sessions.paths import find_project_root

_scope = click.option("--user", is_flag=True, help="In the user's settings instead of the project's.")


@click.group(cls=Helpful)
def hooks() -> None:
    """Install, look at and try the hooks that record sessions.

    \b
    Examples:
      tune-skill hooks install
      tune-skill hooks status --user
    """


@hooks.command()
@_scope
@json_option
def install(user: bool, as_json: bool) -> Exit:
    """Put the hooks into settings.json; what stood there is kept beside it, other hooks stay as they are."""
    from orchestrator.sessions import claude_settings

    path = _path(user)
    backup = claude_settings.install(path, _speaks())
    return _said(path, backup, f"{len(HANDLERS)} hooks stand in", as_json)


@hooks.command()
@_scope
@json_option
def uninstall(user: bool, as_json: bool) -> Exit:
    """Take the hooks out of settings.json; other hooks stay as they are."""
    from orchestrator.sessions import claude_settings

    path = _path(user)
    return _said(path, claude_settings.uninstall(path), "no hook of tune-skill stands in", as_json)


@hooks.command()
@_scope
@json_option
def status(user: bool, as_json: bool) -> Exit:
    """Show which hooks are installed; exit code 1 when one is missing or of another installation."""
    from orchestrator.sessions import claude_settings

    path = _path(user)
    found = claude_settings.installed(path, _speaks())
    missing = sorted(set(HANDLERS) - {one.event for one in found})
    about = {
        "path": str(path),
        "hooks": [{"event": one.event, "command": one.command, "current": one.current} for one in found],
        "missing": missing,
    }

    def lines() -> Iterator[str]:
        yield f"{safe(str(path))}"
        yield from (f"{one.event:<18} {'' if one.current else 'OUTDATED '}{safe(one.command)}" for one in found)
        yield from (f"{event:<18} not installed" for event in missing)

    emit(about, lines, as_json)
    return Exit.OK if not missing and all(one.current for one in found) else Exit.GATE


@hooks.command()
@click.argument("event", required=False, type=click.Choice(list(HANDLERS)))
@json_option
def test(event: str | None, as_json: bool) -> Exit:
    """Call each handler (or that of EVENT) with a made-up input; nothing is changed."""
    rows = [_tried(name) for name in ([event] if event else HANDLERS)]
    lines = (f"{row['event']:<18} {row['milliseconds']:>6.1f} ms  {json.dumps(row['answer'])[:120]}" for row in rows)
    return emit(rows, lambda: lines, as_json)


@hooks.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many lines.")
@json_option
def logs(limit: int, as_json: bool) -> Exit:
    """Show what went wrong in hooks, the newest at the end."""
    found = [{"session_id": session, "line": line} for session, line in recent_lines(limit)]
    return emit(found, lambda: (f"{safe(one['session_id'][:8])}  {safe(one['line'])}" for one in found), as_json)


def _tried(event: str) -> dict[str, object]:
    given = {"session_id": "00000000-test", "hook_event_name": event, "cwd": str(Path.cwd()), "source": "startup"}
    began = time.perf_counter()
    answer = dispatch(event, json.dumps(given), testing=True)
    return {"event": event, "milliseconds": (time.perf_counter() - began) * 1000, "answer": answer}


def _said(path: Path, backup: Path | None, sentence: str, as_json: bool) -> Exit:
    about = {"path": str(path), "backup": str(backup) if backup else None}
    kept = [f"the file as it was: {safe(str(backup))}"] if backup else []
    return emit(about, lambda: [f"{sentence} {safe(str(path))}", *kept], as_json)


def _path(user: bool) -> Path:
    from orchestrator.sessions import claude_settings

    return claude_settings.settings_path(None if user else find_project_root())


def _speaks() -> bool:
    return bool(ConsciousnessConfig().get("hooks", "speak_at_tools"))
