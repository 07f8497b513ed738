"""Switch colours off: `--no-color` after any command, or NO_COLOR (no-color.org)."""

import os

import click


def is_colour_off() -> bool:
    """Return whether the user has switched colours off. Does not check whether the stream supports colours."""
    ctx = click.get_current_context(silent=True)
    return bool(os.environ.get("NO_COLOR")) or (ctx is not None and ctx.color is False)


def apply_no_color(ctx: click.Context) -> None:
    """Switch colours off for this context if NO_COLOR is set."""
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def add_no_color(command: click.Command) -> click.Command:
    """Add the option `--no-color` to a command and its subcommands."""
    if not any(param.name == "no_color" for param in command.params):
        command.params.append(
            click.Option(["--no-color"], is_flag=True, expose_value=False, is_eager=True, callback=_switch_off,
                         help="Print no colours (like NO_COLOR).")
        )  # fmt: skip
    for subcommand in command.commands.values() if isinstance(command, click.Group) else ():
        add_no_color(subcommand)
    return command


def _switch_off(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.color = False
