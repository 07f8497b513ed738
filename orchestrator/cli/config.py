"""`tune-skill config`: the configuration of a project for hooks and sessions."""

from collections.abc import Iterator

import click

from orchestrator import durable
from orchestrator.cli.emit import Helpful, emit, json_option
from orchestrator.cli.exits import Exit
from orchestrator.cli.text import safe
from orchestrator.errors import Refused
from orchestrator.sessions.config import DEFAULTS, ConsciousnessConfig


@click.group(cls=Helpful)
def config() -> None:
    """Look at the project's .maceff/config.json, or make one.

    \b
    Examples:
      tune-skill config init
      tune-skill config show --json
    """


@config.command()
@click.option("--force", is_flag=True, help="Write the defaults over a file that is there.")
@json_option
def init(force: bool, as_json: bool) -> Exit:
    """Write a configuration with the defaults."""
    path = ConsciousnessConfig().path
    if path.exists() and not force:
        raise Refused(
            f"{path} is there already; `tune-skill config show` shows it, --force writes the defaults over it"
        )
    durable.ensure_private_dir(path.parent)
    durable.write_json(path, DEFAULTS)
    return emit({"path": str(path)}, lambda: [f"written: {safe(str(path))}"], as_json)


@config.command()
@json_option
def show(as_json: bool) -> Exit:
    """Show each setting as it holds, and what is wrong with the file; exit code 1 when it is not used."""
    found = ConsciousnessConfig()
    settings = {**{key: found.get(key) for key in DEFAULTS}, **found.values}
    settings["agent"] = {key: found.get("agent", key) for key in DEFAULTS["agent"]}
    settings["hooks"] = {key: found.get("hooks", key) for key in DEFAULTS["hooks"]}
    about = {"path": str(found.path), "problem": found.problem, "settings": settings}

    def lines() -> Iterator[str]:
        yield safe(f"{found.path}{'' if found.path.exists() else ' (not there: these are the defaults)'}")
        yield from (f"{key:<16} {safe(durable.encode_value(value).decode())}" for key, value in settings.items())
        if found.problem:
            yield f"the file is not used: {safe(found.problem)}"

    emit(about, lines, as_json)
    return Exit.GATE if found.problem else Exit.OK
