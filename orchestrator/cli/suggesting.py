"""A group of commands that knows which one was meant."""

import click

from templates.filters import did_you_mean


class Suggesting(click.Group):
    """A group whose answer to a slip is the name that is spelled nearly so."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is asked for."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            message = error.message.rstrip(".").replace("No such", "no such")
            raise click.UsageError(f"{message}{did_you_mean(args[0], self.list_commands(ctx))}", ctx) from None
