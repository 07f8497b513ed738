"""The command `tune-skill`: one file per group of commands, loaded when it is called; exit codes in one place."""

import os
import sys
from importlib import import_module
from typing import Any

import click

from orchestrator.cli.output.colour import heed_environment, with_no_color
from orchestrator.cli.output.streams import ensure_streams
from orchestrator.cli.suggesting import Suggesting
from orchestrator.errors import BadInput
from orchestrator.exits import Exit, report_error

SECTIONS = {
    "Commands": {
        "run": ("run", "Tune a skill: diagnose, propose, apply, verify, report."),
        "diagnose": ("diagnose", "Report what is wrong with skills; change nothing."),
        "apply": ("decide", "Choose fixes of a paused run, and continue it."),
        "answer": ("decide", "Answer the questions of a paused run."),
        "resume": ("decide", "Continue a stopped or paused run."),
        "status": ("look", "Show where a run stands."),
        "report": ("look", "Show the report of a run."),
        "rollback": ("rollback", "Undo fixes, one or all."),
        "trust": ("trust", "Let a run that was made elsewhere continue here."),
        "lsp": ("lsp", "Serve an editor: findings, pages, fixes."),
        "trial": ("trial", "Try a skill before and after on tasks: better, worse, or not known."),
        "fleet": ("fleet", "Survey thousands of skills, on many cores or machines."),
        "patterns": ("catalogue", "Show what is looked for, and why."),
        "strategies": ("catalogue", "Show how findings are fixed."),
    },
    "Claude Code": {
        "install": ("install", "Put /tune-skill, and hooks, into Claude Code."),
        "uninstall": ("install", "Remove them again."),
        "mcp": ("mcp", "Serve an MCP client: its model reads, its user decides."),
        "hooks": ("hooks", "Install, check and test the hooks that record sessions."),
        "check": ("check", "Check one recorded session as the Stop hook would."),
        "config": ("config", "Show, create or change the project's configuration."),
    },
    "Sessions and agents": {
        "events": ("events", "Show what the event log recorded."),
        "session": ("session", "Show the session's state, time, token budget and breadcrumb."),
        "dev-drv": ("dev_drv", "Show the drives of a session: each prompt and the work on it."),
        "policy": ("policy", "Look up the policies of this project."),
        "agent": ("agent", "Set up the agent of this project."),
        "hook": ("hook", "Answer a hook event; Claude Code calls this."),
    },
}
"""The sections of `--help`. Each command: its module, and its line there (so that help loads no module)."""

COMMANDS = {name: about for section in SECTIONS.values() for name, about in section.items()}


class Lazy(Suggesting):
    """A group whose commands are imported when they are needed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; `help …` is `… --help`."""
        return super().parse_args(ctx, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command's module."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"orchestrator.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return with_no_color(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])


def _version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked:
        from orchestrator.version import version

        click.echo(f"tune-skill {version()}")
        ctx.exit()


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version and exit."
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Tune a Claude Code skill: find what goes wrong, fix it reversibly, prove that it helped.

    \b
    Examples:
      tune-skill diagnose .claude/skills
      tune-skill run my-skill --issue "it forgets the rules halfway"
      tune-skill rollback --all

    Exit codes: 0 done, gate passed · 1 done, gate not passed · 2 wrong usage or bad input · 3 paused, waiting for
    you · 4 the run failed · 5 internal error · 130 interrupted
    """
    heed_environment(ctx)
    if sys.flags.optimize > 1 and ctx.invoked_subcommand != "hook":
        raise BadInput(
            "python -OO takes the patterns' pages away, which are docstrings; start it without (PYTHONOPTIMIZE)"
        )


def main(arguments: list[str] | None = None) -> None:
    """Run the command and exit with its code."""
    if sys.platform == "win32":
        click.echo("tune-skill: native Windows is not supported; use WSL", err=True)
        sys.exit(Exit.USAGE)
    try:
        ensure_streams()
        code: Any = cli.main(arguments, prog_name="tune-skill", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the one map from exceptions to exit codes
        code = report_error(error)
        _drop_what_nobody_takes()
    sys.exit(code if isinstance(code, int) else Exit.OK)


def _drop_what_nobody_takes() -> None:
    """Let the interpreter not try again, at its end, to write what a stream refused."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
