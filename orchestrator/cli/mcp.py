"""`tune-skill mcp`: serve an MCP client, whose model answers the questions and whose user decides."""

import os

import click

from orchestrator.errors import BadInput
from orchestrator.exits import Exit
from orchestrator.extras import require_extra
from orchestrator.fs.home import parse_path


@click.command()
@click.option("--project", metavar="DIR", help="The project to serve. [default: the current folder]")
def mcp(project: str | None) -> Exit:
    """Serve an MCP client on stdin and stdout: its model reviews the skill, and its user chooses the fixes.

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
    from orchestrator.cli.output.streams import explain_server

    explain_server(
        "this server is started by an MCP client, for example after `claude mcp add tune-skill -- tune-skill mcp`"
    )
    from orchestrator.servers.mcp.mcp_server import serve

    serve()
    return Exit.OK
