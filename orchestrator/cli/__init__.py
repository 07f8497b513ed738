"""Provide the command `tune-skill`: one file per subcommand, imported when it is called."""

import os
import sys
from importlib import import_module
from typing import Any

import click

from actions.regex import regex
from orchestrator import signals
from orchestrator.cli.groups import SuggestingGroup
from orchestrator.cli.output.colour import add_no_color, apply_no_color
from orchestrator.cli.output.streams import ensure_streams
from orchestrator.errors import BadInput
from orchestrator.exits import Exit, report_error

SECTIONS = {
    "Commands": {
        "diagnose": "Report what is wrong with skills. It changes nothing.",
        "run": "Tune a skill: diagnose, propose fixes, apply, verify, report.",
        "apply": "Choose the fixes of a paused run, and continue it.",
        "status": "Show the state of a run.",
        "report": "Show the report of a run.",
        "rollback": "Undo fixes, one or all.",
    },
    "More on runs": {
        "answer": "Answer the questions of a paused run.",
        "resume": "Continue a paused or stopped run.",
        "trust": "Allow a run that was created elsewhere to continue here.",
        "trial": "Compare a skill before and after tuning, on tasks.",
    },
    "Patterns, editors, many skills": {
        "listing": "Show which skill descriptions the model sees.",
        "trigger": "Measure which skill Claude Code calls for a prompt.",
        "improve": "Edit a skill where tasks fail; a test on unseen tasks decides.",
        "patterns": "Show what tune-skill looks for, and why.",
        "strategies": "Show how tune-skill fixes findings.",
        "lsp": "Serve an editor: findings, pattern pages, fixes.",
        "fleet": "Diagnose thousands of skills, on many cores or machines.",
    },
    "Claude Code": {
        "install": "Install /tune-skill, and hooks, in Claude Code.",
        "uninstall": "Remove what `install` added.",
        "mcp": "Serve an MCP client: its model reviews, its user decides.",
    },
    "Sessions": {
        "hooks": "Install, check and test the hooks that record sessions.",
        "sessions": "Show what recorded sessions did at each line of a skill.",
        "check": "Check one recorded session as the Stop hook would.",
        "config": "Show, create or change the configuration of the project.",
        "events": "Query the event log.",
        "session": "Show the state, time, token budget and breadcrumb of a session.",
    },
    "Compatibility with other tools": {
        "dev-drv": "Show the drives of a session: each prompt and the work on it.",
        "policy": "Show the policies of the project.",
        "agent": "Set up the agent of the project.",
        "hook": "Answer a hook event. Claude Code calls this.",
    },
}
"""The sections of `--help`, with a summary of each command. With them, the help does not import the commands."""

_SERVERS = ("hook", "lsp", "mcp")
"""Commands that Claude Code or an editor starts and ends: they end at once on SIGTERM and SIGHUP."""
_EMPTY_OPTION = regex(r"--[a-z-]+=")
COMMANDS = {name: summary for section in SECTIONS.values() for name, summary in section.items()}


class LazyGroup(SuggestingGroup):
    """A group that imports a command only when the command is called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. `help X` means `X --help`. Raises click.UsageError for an empty argument."""
        for previous, argument in zip(["", *args], args, strict=False):
            if not argument or _EMPTY_OPTION.fullmatch(argument):
                option = argument[:-1] or (previous if previous.startswith("-") else "")
                subject = f" of {option}" if option else ""
                raise click.UsageError(
                    f"the value{subject} is empty; pass a value or omit it (is a shell variable unset?)"
                )
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of `--help`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command from the module of the same name. Returns None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"orchestrator.cli.{name}"), name)
        return add_no_color(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from orchestrator.version import version

        click.echo(f"tune-skill {version()}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Tune Claude Code skills: find what is wrong, fix it, verify each fix, undo any fix.

    \b
    Examples:
      tune-skill diagnose .claude/skills
      tune-skill run my-skill --issue "it forgets the rules halfway"
      tune-skill rollback --all

    Exit codes: 0 done, passed · 1 done, not passed (the gate, or --fail-on of diagnose) · 2 wrong usage or bad input ·
    3 paused, waiting for you · 4 the run failed · 5 internal error · 130 interrupted ·
    129, 143 ended by SIGHUP, SIGTERM (the work of a run is saved)
    """
    apply_no_color(ctx)
    if ctx.invoked_subcommand in _SERVERS:
        signals.restore_default_action()
    if sys.flags.optimize > 1 and ctx.invoked_subcommand != "hook":
        raise BadInput(
            "python -OO removes docstrings, which contain the pattern pages; start without it (see PYTHONOPTIMIZE)"
        )


def main(arguments: list[str] | None = None) -> None:
    """Run the command and exit with its code. arguments: the default is those of this process, which then exits."""
    if sys.platform == "win32":
        click.echo("tune-skill: native Windows is not supported; use WSL", err=True)
        sys.exit(Exit.USAGE)
    with signals.interrupt_on_ending_signals(exits=arguments is None):
        try:
            ensure_streams()
            code: Any = cli.main(arguments, prog_name="tune-skill", standalone_mode=False)
            sys.stdout.flush()
        except BaseException as error:  # noqa: BLE001 - `report_error` maps every exception to an exit code
            code = report_error(error)
            _discard_unwritten()
    sys.exit(signals.get_exit_code() or (code if isinstance(code, int) else Exit.OK))


def _discard_unwritten() -> None:
    """Discard output that a stream did not accept, which the interpreter would try to write again at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
