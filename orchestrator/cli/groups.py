"""Define groups of commands that suggest a name after a typo."""

import click

from templates.filters import did_you_mean

_MAX_SUMMARY = 200
"""Maximum length of a command's summary in the help of its group, in characters. No first sentence is longer."""


class SuggestingGroup(click.Group):
    """A group that suggests the command with the most similar name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. Raises click.UsageError with a suggestion."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            message = error.message.rstrip(".").replace("No such", "no such")
            raise click.UsageError(f"{message}{did_you_mean(args[0], self.list_commands(ctx))}", ctx) from None


class HelpfulGroup(SuggestingGroup):
    """A group that prints its help and exits with 0 if no command is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, or print the help."""
        if not args:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their complete first sentences. (Click would shorten them.)"""
        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(limit=_MAX_SUMMARY)) for name, command in commands if command]
            )
