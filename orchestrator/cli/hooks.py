"""`tune-skill hooks`: install, check and test the hooks in the settings of Claude Code."""

import json
from collections.abc import Iterator
from typing import Any

import click

from orchestrator.cli.config import describe_inactive
from orchestrator.cli.groups import HelpfulGroup
from orchestrator.cli.input.options import json_option
from orchestrator.cli.install import (
    apply_and_print,
    choose_target,
    list_hook_notes,
    list_kept_notes,
    read_speak_at_tools,
    scope_options,
)
from orchestrator.cli.output.emit import emit, format_time
from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import fit
from orchestrator.exits import Exit
from orchestrator.guard.hooks.dispatch import HANDLERS
from orchestrator.guard.hooks.logging import read_recent_lines
from schemas.codec import to_json

_WRONG_FORM_MESSAGES = {
    True: "ONLY RECORDS, although hooks.speak_at_tools is true; to change it: `tune-skill hooks install`",
    False: "RETURNS TEXT AND IS SLOW, although hooks.speak_at_tools is false; to change it: `tune-skill hooks install`",
}
"""The message for a hook that does not match the setting `hooks.speak_at_tools`, by the value of the setting."""


@click.group(cls=HelpfulGroup)
def hooks() -> None:
    """Install, check and test the hooks that record sessions.

    \b
    Examples:
      tune-skill hooks install
      tune-skill hooks status
    """


@hooks.command()
@scope_options
@json_option
def install(scope: str | None, as_json: bool) -> Exit:
    """Add the hooks to the settings, after a backup; keep all other hooks."""
    from orchestrator.installation.changes import lock_folders
    from orchestrator.installation.install import plan_hooks

    target = choose_target(scope)
    with lock_folders(target.root):
        changes = plan_hooks(target, read_speak_at_tools())
        return apply_and_print(target, changes, as_json, list(list_hook_notes(target)))


@hooks.command()
@scope_options
@json_option
def uninstall(scope: str | None, as_json: bool) -> Exit:
    """Remove the hooks from the settings; keep all other hooks."""
    from orchestrator.installation.changes import lock_folders
    from orchestrator.installation.install import plan_uninstall

    target = choose_target(scope)
    with lock_folders(target.root):
        changes = plan_uninstall(target, with_skill=False)
        return apply_and_print(target, changes, as_json, list(list_kept_notes(target, with_skill=False)))


@hooks.command()
@json_option
def status(as_json: bool) -> Exit:
    """Show the hooks that are active here and when each last ran; exit code 1 if one is missing, old or duplicated."""
    from orchestrator.guard.log.history import find_last_runs
    from orchestrator.guard.sessions.config import ProjectConfig
    from orchestrator.installation.status import read_status

    speak_at_tools = read_speak_at_tools()
    installed, last_runs, settings = read_status(speak_at_tools), find_last_runs(HANDLERS), ProjectConfig()
    about: dict[str, Any] = {
        "hooks": [
            {
                "event": hook.event,
                "scope": hook.scope,
                "command": hook.command,
                "current": hook.current,
                "last_run": last_runs.get(hook.event),
            }
            for hook in installed.hooks
        ],
        "missing": installed.missing,
        "doubled": installed.duplicate_events,
        "problems": list(installed.problems),
        "power_steering": bool(settings.get("hooks", "power_steering")),
    }

    def lines() -> Iterator[str]:
        for hook in installed.hooks:
            last_run = last_runs.get(hook.event)
            status = f"last ran {format_time(last_run)}" if last_run else "has not run yet"
            yield f"{hook.event:<17} {hook.scope:<8} {status}"
            if hook.other_form:
                yield f"  {_WRONG_FORM_MESSAGES[speak_at_tools]}"
            elif not hook.current:
                yield f"  CALLS ANOTHER INSTALLATION: {safe(hook.command)}"
        yield from (f"{event:<17} not installed" for event in installed.missing)
        yield from (
            f"{event:<17} INSTALLED TWICE: every event is recorded twice" for event in installed.duplicate_events
        )
        yield from (safe(problem) for problem in installed.problems)
        off = "off; to switch it on: tune-skill config set hooks.power_steering true"
        yield from fit(f"{'power steering':<17} ", "on" if about["power_steering"] else off)
        yield from describe_inactive(settings)

    emit(about, lines, as_json)
    return Exit.OK if installed.is_healthy else Exit.GATE


@hooks.command(epilog=f"Events: {', '.join(HANDLERS)}.")
@click.argument("event", required=False, type=click.Choice(list(HANDLERS)), metavar="[EVENT]")
@json_option
def test(event: str | None, as_json: bool) -> Exit:
    """Run each hook (or only the hook of EVENT) with sample input, as Claude Code would; your project is not changed.

    A hook that is not installed is tested with the command that `tune-skill hooks install` would write. A command
    that this installation did not write is shown but not run.
    """
    from orchestrator.installation.try_hooks import try_hooks

    results = try_hooks([event] if event else list(HANDLERS), read_speak_at_tools())

    def lines() -> Iterator[str]:
        for result in results:
            answer = result.problem or (json.dumps(result.answer) if result.answer else "no output")
            head = f"{result.event:<17} {'FAILED' if result.problem else 'ok':<6} {result.milliseconds:>6.0f} ms  "
            yield from fit(head, safe(answer))

    emit(to_json(results), lines, as_json)
    return Exit.GATE if any(result.problem for result in results) else Exit.OK


@hooks.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Number of lines.")
@json_option
def logs(limit: int, as_json: bool) -> Exit:
    """Show the errors of hooks, newest last."""
    errors = [{"session_id": session, "line": line} for session, line in read_recent_lines(limit)]
    rows = (row for error in errors for row in fit(f"{safe(error['session_id'][:8])}  ", safe(error["line"])))
    return emit(errors, lambda: rows if errors else ["no errors in the hooks of this project"], as_json)
