"""`tune-skill agent`: set up the agent of this project."""

from pathlib import Path

import click

from orchestrator.cli.groups import HelpfulGroup
from orchestrator.cli.input.options import json_option
from orchestrator.cli.output.emit import emit
from orchestrator.cli.output.text import safe
from orchestrator.errors import BadInput, Refused
from orchestrator.exits import Exit
from orchestrator.fs import durable
from orchestrator.guard.sessions.config import DEFAULTS, ProjectConfig, safe_id


@click.group(cls=HelpfulGroup)
def agent() -> None:
    """Set up the agent of this project.

    \b
    Example:
      tune-skill agent init --id ada --yes
    """


@agent.command()
@click.option("--id", "agent_id", default="", metavar="ID", help="The agent's id (letters, digits, - and _).")
@click.option("--name", default="", help="The display name of the agent.")
@click.option("--yes", is_flag=True, help="Create the folders even outside the project.")
@json_option
def init(agent_id: str, name: str, yes: bool, as_json: bool) -> Exit:
    """Create the folders for the agent's notes and the configuration with its id; keep existing files."""
    if agent_id and safe_id(agent_id) != agent_id:
        raise BadInput(f"{agent_id}: not a valid agent id; use at most 128 letters, digits, - and _")
    config = ProjectConfig()
    if problem := config.explain_problem():
        raise BadInput(problem)
    _ensure_allowed(config, agent_id, yes)
    created = [*_write_config(config, agent_id, name)]
    config = ProjectConfig(config.root)
    for folder in _list_missing_folders(config):
        durable.ensure_dir(folder)
        created.append(folder)
    about = {"id": config.agent_id, "root": str(config.agent_root), "made": [str(path) for path in created]}
    lines = [
        f"agent {config.agent_id} in {safe(str(config.agent_root))}",
        *(f"created {safe(str(path))}" for path in created),
    ]
    return emit(about, lambda: lines, as_json)


def _ensure_allowed(config: ProjectConfig, agent_id: str, yes: bool) -> None:
    """Raise Refused for folders outside the project, unless the user passed --yes."""
    is_elsewhere = config.environment in ("container", "fallback")
    if is_elsewhere and not yes and (_list_missing_folders(config) or agent_id not in ("", config.agent_id)):
        raise Refused(
            f"the agent's folders would be outside the project, in {config.agent_root}; nothing was changed:"
            " pass --yes to create them there, or set MACF_AGENT_ROOT to another folder"
        )


def _list_missing_folders(config: ProjectConfig) -> list[Path]:
    folders = (config.checkpoints_path, config.reflections_path, config.roadmaps_path)
    return [folder for folder in folders if not folder.is_dir()]


def _write_config(config: ProjectConfig, agent_id: str, name: str) -> list[Path]:
    """Write the configuration unless it already contains these values. Returns its path if it was written."""
    options = {key: value for key, value in (("id", agent_id), ("name", name)) if value}
    values = {**(config.values or DEFAULTS)}
    agent = {**values.get("agent", {}), **options}
    if config.values and agent == values.get("agent", {}):
        return []
    durable.ensure_private_dir(config.path.parent)
    durable.remove_old_temp_files(config.path.parent)
    durable.write_json(config.path, {**values, "agent": agent})
    return [config.path]
