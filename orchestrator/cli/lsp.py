"""`tune-skill lsp`: serve findings, pattern pages and fixes to an editor."""

import click

from orchestrator.exits import Exit
from orchestrator.extras import require_extra


@click.command()
@click.option("--stdio", is_flag=True, help="Use stdin and stdout: always on; editors pass this option.")
def lsp(stdio: bool) -> Exit:
    """Serve an LSP editor on stdin and stdout: show proven findings in the skills that it opens.

    Files outside skills are ignored. A skill is changed only by a fix that you choose. docs/editor.md
    shows how to set up VS Code, Neovim and Helix.

    \b
    Example:
      tune-skill lsp
    """
    require_extra("editor", "`tune-skill lsp`")
    from orchestrator.cli.output.streams import explain_server

    explain_server("this server is started by an editor; docs/editor.md shows how to set it up")
    from orchestrator.servers.lsp.stdio import serve

    return Exit.OK if serve() else Exit.GATE
