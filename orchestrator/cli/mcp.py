"""`tune-skill mcp`: the server by which the model of an MCP client answers, and its user decides."""

import os

import click

from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from orchestrator.extras import require_extra
from orchestrator.fs.home import parse_path


@click.command()
@click.option("--project", metavar="DIR", help="The project whose runs are served. [default: the current folder]")
def mcp(project: str | None) -> Exit:
    """Serve tune-skill to an MCP client on stdin and stdout: its model reads, its user decides.

    \b
    Examples:
      claude mcp add tune-skill -- tune-skill mcp
      tune-skill mcp --project ~/my-project
    """
    require_extra("mcp", "`tune-skill mcp`")
    if project is not None:
        try:
            os.chdir(parse_path(project))
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise BadInput(f"{project}: {why}; give the folder of a project") from None
    from orchestrator.cli.output.streams import tell_who_typed

    tell_who_typed(
        "an MCP client starts `tune-skill mcp` and speaks to it: `claude mcp add tune-skill -- tune-skill mcp`"
    )
    from orchestrator.servers.mcp.server import serve

    serve()
    return Exit.OK
