"""Whether colours are wanted: `--no-color` after any command, or NO_COLOR (no-color.org), switches them off."""

import os

import click


def uncoloured() -> bool:
    """Tell whether the user wants no colours. Whether a stream takes them is another question."""
    ctx = click.get_current_context(silent=True)
    return bool(os.environ.get("NO_COLOR")) or (ctx is not None and ctx.color is False)


def heed_environment(ctx: click.Context) -> None:
    """Let everything that this context prints be plain where NO_COLOR is set."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def with_no_color(command: click.Command) -> click.Command:
    """Give a command, and those below it, the option `--no-color`."""
    if not any(param.name == "no_color" for param in command.params):
        command.params.append(
            click.Option(["--no-color"], is_flag=True, expose_value=False, is_eager=True, callback=_off,
                         help="No colours (NO_COLOR does the same).")
        )  # fmt: skip
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        with_no_color(below)
    return command


def _off(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked:
        ctx.color = False
