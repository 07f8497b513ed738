"""`tune-skill dev-drv`: show a drive (a prompt and the work on it) by its breadcrumb."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.options import json_option
from orchestrator.cli.output.emit import emit
from orchestrator.cli.output.text import printable, safe
from orchestrator.errors import BadInput
from orchestrator.exits import Exit

if TYPE_CHECKING:
    from orchestrator.guard.activity.dev_drive import DriveReport


@click.command("dev-drv")
@click.argument("breadcrumb", required=False)
@click.option(
    "--transcript",
    metavar="FILE",
    help="The .jsonl file of the session. [default: the breadcrumb's session, or the last one]",
)
@json_option
def dev_drv(breadcrumb: str | None, transcript: str | None, as_json: bool) -> Exit:
    """Show the drive at BREADCRUMB: a prompt and the work on it. Without BREADCRUMB, list the last session's drives.

    \b
    Examples:
      tune-skill dev-drv
      tune-skill dev-drv s_1a2b3c4d/c_2/g_0123456/p_9f8e7d6c/t_1772357400
    """
    import msgspec

    from orchestrator.guard.activity.dev_drive import read_drives
    from orchestrator.guard.sessions.breadcrumbs import parse_breadcrumb
    from orchestrator.guard.sessions.session import current_session_id, find_transcript

    crumb = parse_breadcrumb(breadcrumb) if breadcrumb else None
    if breadcrumb and (crumb is None or crumb["prompt_uuid"] is None):
        raise BadInput(f"{breadcrumb} has no prompt; write a breadcrumb such as s_1a2b3c4d/c_1/p_9f8e7d6c/t_1772357400")
    session = crumb["session_id"] if crumb else current_session_id()
    path = Path(transcript) if transcript else find_transcript(session or "")
    if path is None:
        missing = f"session {session} has no transcript" if session else "this project has no session"
        raise BadInput(f"{missing}; pass a transcript with --transcript FILE")
    drives = read_drives(path, crumb["prompt_uuid"] if crumb else "")
    if crumb and not drives:
        raise BadInput(f"{path.name}: no drive for {breadcrumb}; `tune-skill dev-drv` lists the drives")
    lines = partial(_format_drives, drives, crumb is not None)
    return emit(msgspec.to_builtins(drives), lines, as_json, f"{path.name}: no drive in this transcript")


def _format_drives(drives: "list[DriveReport]", with_details: bool) -> Iterator[str]:
    for drive in drives:
        yield f"p_{safe(drive.prompt_uuid[:8])}  {safe(drive.started)} .. {safe(drive.ended)}  {_shorten(drive.prompt)}"
        if with_details:
            yield f"  tools: {', '.join(f'{safe(name)} {count}' for name, count in drive.tools.items()) or 'none'}"
            yield f"  failed calls: {drive.failures}; tokens out: {drive.usage.output:,}"
            yield from (f"  wrote {safe(path)}" for path in drive.files)
            yield from (f"  | {printable(line)}" for line in drive.answer.splitlines())


def _shorten(text: str) -> str:
    line = safe(text)
    return line if len(line) <= 80 else f"{line[:79]}…"
