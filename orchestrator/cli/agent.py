"""`tune-skill agent`: the agent of this project."""

from pathlib import Path

import click

from orchestrator.cli.output.emit import Helpful, emit, json_option
from orchestrator.cli.output.text import safe
from orchestrator.errors import BadInput, Refused
from orchestrator.exits import Exit
from orchestrator.fs import durable
from orchestrator.guard.sessions.config import DEFAULTS, ConsciousnessConfig, safe_id


@click.group(cls=Helpful)
def agent() -> None:
    """Set up the agent of this project.

    \b
    Example:
      tune-skill agent init --id ada --yes
    """


@agent.command()
@click.option("--id", "agent_id", default="", metavar="ID", help="The agent's id (letters, digits, - and _).")
@click.option("--name", default="", help="The name that people call the agent.")
@click.option("--yes", is_flag=True, help="Create the folders even outside the project.")
@json_option
def init(agent_id: str, name: str, yes: bool, as_json: bool) -> Exit:
    """Create the folders for the agent's notes, and the configuration that names it; existing ones stay as they are."""
    if agent_id and safe_id(agent_id) != agent_id:
        raise BadInput(f"{agent_id}: an agent's id holds letters, digits, - and _ only, 128 at most")
    config = ConsciousnessConfig()
    if config.problem:
        raise BadInput(f"{config.path}: {config.problem}; fix it first")
    _ensure_wanted(config, agent_id, yes)
    made = [*_named(config, agent_id, name)]
    config = ConsciousnessConfig(config.root)
    for folder in _missing(config):
        durable.ensure_dir(folder)
        made.append(folder)
    about = {"id": config.agent_id, "root": str(config.agent_root), "made": [str(path) for path in made]}
    lines = [
        f"agent {config.agent_id} in {safe(str(config.agent_root))}",
        *(f"made {safe(str(path))}" for path in made),
    ]
    return emit(about, lambda: lines, as_json)


def _ensure_wanted(config: ConsciousnessConfig, agent_id: str, yes: bool) -> None:
    """Refuse to make folders in the user's home that nobody asked for."""
    is_elsewhere = config.environment in ("container", "fallback")
    if is_elsewhere and not yes and (_missing(config) or agent_id not in ("", config.agent_id)):
        raise Refused(
            f"the agent's folders would lie outside the project, in {config.agent_root}; --yes creates them there,"
            " MACF_AGENT_ROOT names another folder; nothing was changed"
        )


def _missing(config: ConsciousnessConfig) -> list[Path]:
    wanted = (config.checkpoints_path, config.reflections_path, config.roadmaps_path)
    return [folder for folder in wanted if not folder.is_dir()]


def _named(config: ConsciousnessConfig, agent_id: str, name: str) -> list[Path]:
    """Write the configuration where it lacks something that was given."""
    said = {key: value for key, value in (("id", agent_id), ("name", name)) if value}
    values = {**(config.values or DEFAULTS)}
    agent = {**values.get("agent", {}), **said}
    if config.values and agent == values.get("agent", {}):
        return []
    durable.ensure_private_dir(config.path.parent)
    durable.write_json(config.path, {**values, "agent": agent})
    return [config.path]
