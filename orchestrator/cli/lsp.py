"""`tune-skill lsp`: the server by which an editor shows findings, pages and fixes."""

import click

from orchestrator.exits import Exit
from orchestrator.extras import require_extra


@click.command()
@click.option(
    "--stdio", is_flag=True, help="Use stdin and stdout. Accepted because editors pass it; there is no other way."
)
def lsp(stdio: bool) -> Exit:
    """Serve an editor that speaks LSP, on stdin and stdout: proven findings in the skills that are open in it.

    Files outside of skills are ignored. Nothing is written except by a fix that you choose. docs/editor.md says
    how VS Code, Neovim and Helix start it.

    \b
    Example:
      tune-skill lsp
    """
    require_extra("editor", "`tune-skill lsp`")
    from orchestrator.cli.output.streams import tell_who_typed

    tell_who_typed("an editor starts `tune-skill lsp` and speaks to it; docs/editor.md says how")
    from orchestrator.servers.lsp.stdio import serve

    return Exit.OK if serve() else Exit.GATE
