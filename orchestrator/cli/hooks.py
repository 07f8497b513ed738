"""`tune-skill hooks`: puts the hooks into the settings of Claude Code, and looks after them."""

import json
from collections.abc import Iterator
from typing import Any

import click

from orchestrator.cli.config import unheeded_lines
from orchestrator.cli.install import carried_out, hook_notes, place_of, scope_options, speaks
from orchestrator.cli.output.emit import Helpful, clock, emit, json_option
from orchestrator.cli.output.text import safe
from orchestrator.cli.output.wrap import fitted
from orchestrator.exits import Exit
from orchestrator.guard.hooks.dispatch import HANDLERS
from orchestrator.guard.hooks.logging import recent_lines

_OTHER_FORM = {
    True: "ONLY RECORDS, though hooks.speak_at_tools is true: `tune-skill hooks install` lets it speak",
    False: "STARTS THE WHOLE PROGRAM, though hooks.speak_at_tools is false: `tune-skill hooks install` makes it fast",
}
"""What is wrong with a hook of the other form, by whether it is to speak."""


@click.group(cls=Helpful)
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
    """Add the hooks to the settings; the old file is kept as a backup, and other hooks stay as they are."""
    from orchestrator.installation.install import plan_hooks

    place = place_of(scope)
    return carried_out(place, plan_hooks(place, speaks()), as_json, list(hook_notes(place)))


@hooks.command()
@scope_options
@json_option
def uninstall(scope: str | None, as_json: bool) -> Exit:
    """Remove the hooks from the settings; other hooks stay as they are."""
    from orchestrator.installation.install import plan_removal

    place = place_of(scope)
    return carried_out(place, plan_removal(place, with_skill=False), as_json)


@hooks.command()
@json_option
def status(as_json: bool) -> Exit:
    """Show which hooks are active here and when each ran last; exit code 1 when one is missing, old or doubled."""
    from orchestrator.guard.log.history import find_last_runs
    from orchestrator.guard.sessions.config import ConsciousnessConfig
    from orchestrator.installation.status import read_status

    speaking = speaks()
    found, ran, settings = read_status(speaking), find_last_runs(HANDLERS), ConsciousnessConfig()
    about: dict[str, Any] = {
        "hooks": [
            {
                "event": o.event,
                "scope": o.scope,
                "command": o.command,
                "current": o.current,
                "last_run": ran.get(o.event),
            }
            for o in found.hooks
        ],
        "missing": found.missing,
        "doubled": found.doubled,
        "problems": list(found.problems),
        "power_steering": bool(settings.get("hooks", "power_steering")),
    }

    def lines() -> Iterator[str]:
        for one in found.hooks:
            when = ran.get(one.event)
            yield f"{one.event:<17} {one.scope:<8} {f'last ran {clock(when)}' if when else 'has not run yet'}"
            if one.other_form:
                yield f"  {_OTHER_FORM[speaking]}"
            elif not one.current:
                yield f"  OF ANOTHER INSTALLATION: {safe(one.command)}"
        yield from (f"{event:<17} not installed" for event in found.missing)
        yield from (f"{event:<17} DOUBLED: every event is recorded twice" for event in found.doubled)
        yield from (safe(problem) for problem in found.problems)
        how = "on" if about["power_steering"] else "off (tune-skill config set hooks.power_steering true)"
        yield f"{'power steering':<17} {how}"
        yield from unheeded_lines(settings)

    emit(about, lines, as_json)
    return Exit.OK if found.is_healthy else Exit.GATE


@hooks.command(epilog=f"Events: {', '.join(HANDLERS)}.")
@click.argument("event", required=False, type=click.Choice(list(HANDLERS)), metavar="[EVENT]")
@json_option
def test(event: str | None, as_json: bool) -> Exit:
    """Run each hook (or that of EVENT) with a sample, as Claude Code would; your project is not touched.

    It takes the hooks that are installed, and those that would be where none is. A command that this installation did
    not write is named, not run.
    """
    from dataclasses import asdict

    from orchestrator.installation.try_hooks import try_hooks

    found = try_hooks([event] if event else list(HANDLERS), speaks())

    def lines() -> Iterator[str]:
        for one in found:
            answer = one.problem or (json.dumps(one.answer) if one.answer else "says nothing")
            head = f"{one.event:<17} {'FAILED' if one.problem else 'ok':<6} {one.milliseconds:>6.0f} ms  "
            yield from fitted(head, safe(answer))

    emit([asdict(one) for one in found], lines, as_json)
    return Exit.GATE if any(one.problem for one in found) else Exit.OK


@hooks.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many lines.")
@json_option
def logs(limit: int, as_json: bool) -> Exit:
    """Show what went wrong in hooks, the newest at the end."""
    found = [{"session_id": session, "line": line} for session, line in recent_lines(limit)]
    rows = (row for one in found for row in fitted(f"{safe(one['session_id'][:8])}  ", safe(one["line"])))
    return emit(found, lambda: rows if found else ["no errors in the hooks of this project"], as_json)
