"""`tune-skill hooks`: install, check and test the hooks in the settings of Claude Code."""

import json
from collections.abc import Iterator
from typing import Any

import click

from orchestrator.cli.config import describe_inactive
from orchestrator.cli.groups import HelpfulGroup
from orchestrator.cli.input.options import json_option
from orchestrator.cli.install import apply_and_print, choose_target, is_speaking, list_hook_notes, scope_options
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
    from orchestrator.installation.install import plan_hooks

    target = choose_target(scope)
    return apply_and_print(target, plan_hooks(target, is_speaking()), as_json, list(list_hook_notes(target)))


@hooks.command()
@scope_options
@json_option
def uninstall(scope: str | None, as_json: bool) -> Exit:
    """Remove the hooks from the settings; keep all other hooks."""
    from orchestrator.installation.install import plan_removal

    target = choose_target(scope)
    return apply_and_print(target, plan_removal(target, with_skill=False), as_json)


@hooks.command()
@json_option
def status(as_json: bool) -> Exit:
    """Show the hooks that are active here and when each last ran; exit code 1 if one is missing, old or duplicated."""
    from orchestrator.guard.log.history import find_last_runs
    from orchestrator.guard.sessions.config import ProjectConfig
    from orchestrator.installation.status import read_status

    speaking = is_speaking()
    found, last_runs, settings = read_status(speaking), find_last_runs(HANDLERS), ProjectConfig()
    about: dict[str, Any] = {
        "hooks": [
            {
                "event": o.event,
                "scope": o.scope,
                "command": o.command,
                "current": o.current,
                "last_run": last_runs.get(o.event),
            }
            for o in found.hooks
        ],
        "missing": found.missing,
        "doubled": found.duplicate_events,
        "problems": list(found.problems),
        "power_steering": bool(settings.get("hooks", "power_steering")),
    }

    def lines() -> Iterator[str]:
        for one in found.hooks:
            when = last_runs.get(one.event)
            yield f"{one.event:<17} {one.scope:<8} {f'last ran {format_time(when)}' if when else 'has not run yet'}"
            if one.other_form:
                yield f"  {_WRONG_FORM_MESSAGES[speaking]}"
            elif not one.current:
                yield f"  CALLS ANOTHER INSTALLATION: {safe(one.command)}"
        yield from (f"{event:<17} not installed" for event in found.missing)
        yield from (f"{event:<17} INSTALLED TWICE: every event is recorded twice" for event in found.duplicate_events)
        yield from (safe(problem) for problem in found.problems)
        how = (
            "on" if about["power_steering"] else "off; to switch it on: tune-skill config set hooks.power_steering true"
        )
        yield from fit(f"{'power steering':<17} ", how)
        yield from describe_inactive(settings)

    emit(about, lines, as_json)
    return Exit.OK if found.is_healthy else Exit.GATE


@hooks.command(epilog=f"Events: {', '.join(HANDLERS)}.")
@click.argument("event", required=False, type=click.Choice(list(HANDLERS)), metavar="[EVENT]")
@json_option
def test(event: str | None, as_json: bool) -> Exit:
    """Run each hook (or only the hook of EVENT) with sample input, as Claude Code would; your project is not changed.

    A hook that is not installed is tested with the command that `tune-skill hooks install` would write. A command
    that this installation did not write is shown but not run.
    """
    from orchestrator.installation.try_hooks import try_hooks

    found = try_hooks([event] if event else list(HANDLERS), is_speaking())

    def lines() -> Iterator[str]:
        for one in found:
            answer = one.problem or (json.dumps(one.answer) if one.answer else "no output")
            head = f"{one.event:<17} {'FAILED' if one.problem else 'ok':<6} {one.milliseconds:>6.0f} ms  "
            yield from fit(head, safe(answer))

    emit(to_json(found), lines, as_json)
    return Exit.GATE if any(one.problem for one in found) else Exit.OK


@hooks.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="Number of lines.")
@json_option
def logs(limit: int, as_json: bool) -> Exit:
    """Show the errors of hooks, newest last."""
    found = [{"session_id": session, "line": line} for session, line in read_recent_lines(limit)]
    rows = (row for one in found for row in fit(f"{safe(one['session_id'][:8])}  ", safe(one["line"])))
    return emit(found, lambda: rows if found else ["no errors in the hooks of this project"], as_json)
