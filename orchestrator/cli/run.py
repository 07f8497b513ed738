"""`tune-skill run`: tune a skill."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from msgspec.structs import replace

from orchestrator.cli.input.options import judge_option, max_cost_option, quiet_option, read_sessions, sessions_options
from orchestrator.cli.input.terminal import is_started_by_model
from orchestrator.cli.output.registry import format_option, print_result
from orchestrator.cli.output.results import RunResult
from orchestrator.cli.output.write import ensure_ordinary_folder
from orchestrator.cli.trial import prepare_trial, trial_options
from orchestrator.errors import Interrupted
from orchestrator.exits import Exit
from schemas.vocabulary import FOCUS, LOADED_KINDS

if TYPE_CHECKING:
    from orchestrator.project.unit_finder import LocatedUnit
    from orchestrator.tuning.trial.consent import Request
    from schemas.options import Options


def parse_focus(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Parse `--focus a,b`. Raises click.BadParameter."""
    names = tuple(dict.fromkeys(name.strip() for name in (value or "").split(",") if name.strip()))
    for name in names:
        if name not in FOCUS:
            raise click.BadParameter(f"{name} is not one of {', '.join(FOCUS)}")
    return names


@contextmanager
def _report_early_interrupt() -> Iterator[None]:
    """Convert KeyboardInterrupt to Interrupted in the block, before a run exists."""
    try:
        yield
    except Interrupted:
        raise
    except (KeyboardInterrupt, click.Abort):
        raise Interrupted("nothing was started or changed") from None


_SIMPLIFY_FOCUS = ("token_consumption",)
"""The area whose patterns find text that can be shortened or removed."""


@click.command()
@click.argument("unit", metavar="UNIT")
@click.option("--issue", default="", metavar="TEXT", help="What bothers you, in your own words (English or Chinese).")
@click.option("--focus", callback=parse_focus, metavar="F,…", help=f"Diagnose only these: {', '.join(FOCUS)}.")
@sessions_options("sessions that used the skill here")
@judge_option("auto", can_wait=True)
@max_cost_option
@click.option(
    "--apply", "apply_", type=click.Choice(["ask", "safe", "all", "none"]), default="ask", show_default=True,
    help="Which fixes to apply: ask you about each, safe (low risk), all or none.",
)  # fmt: skip
@click.option(
    "--max-iterations",
    type=click.IntRange(1, 20),
    default=5,
    show_default=True,
    help="Maximum number of rounds.",
)
@click.option("--deep", is_flag=True, help="Add a deep analysis (needs a model).")
@click.option("--simplify", is_flag=True, help="Only shorten the skill, and keep every rule (needs a model).")
@click.option("--work-dir", metavar="DIR", help="Folder for state, backup and report, outside the skill.")
@format_option(RunResult)
@click.option("--yes", is_flag=True, help="Use the most likely meaning of an unclear request. No fixes are chosen.")
@click.option("--pause", is_flag=True, help="Stop at each question with exit code 3; then use `answer` or `apply`.")
@trial_options
@quiet_option
@_report_early_interrupt()
def run(
    unit: str, issue: str, focus: tuple[str, ...], sessions: tuple[str, ...], no_sessions: bool, judge: str,
    max_cost_usd: float | None, apply_: str, max_iterations: int, deep: bool, simplify: bool,
    work_dir: str | None, format_: str, yes: bool, pause: bool, quiet: bool, trial: bool, **trial_arguments: Any,
) -> Exit:  # fmt: skip
    """Tune UNIT, a skill (its folder) or another unit (its file): diagnose, propose fixes, apply, verify, report.

    A unit is a skill, agent, command, hooks or settings file, manifest, .mcp.json, CLAUDE.md or output style, by its
    path or its name. It is not changed before you choose. Each fix is verified or rolled back, and you can undo it.

    \b
    Examples:
      tune-skill run my-skill                        choose fixes by their diffs
      tune-skill run my-skill --apply safe           apply fixes with low risk
      tune-skill run my-skill --apply none           report only
      tune-skill run my-skill --issue "it forgets"   say what bothers you
      tune-skill run my-skill --simplify             only shorten it
      tune-skill run my-skill --apply safe --trial   compare it before and after
      tune-skill run .claude/agents/reviewer.md      fix an agent
      tune-skill run my-plugin:reviewer              fix the agent of a plugin
    """
    from orchestrator.cli.input.model_consent import choose_judge, explain_no_model
    from orchestrator.project.targets import find_target
    from orchestrator.run.unfinished import ensure_startable
    from schemas.options import Options

    context = click.get_current_context()
    if work_dir and is_started_by_model():
        ensure_ordinary_folder(Path(work_dir))
    target = find_target(unit)
    is_skill = isinstance(target, Path)
    has_sessions = isinstance(target, Path) or target.unit.kind in LOADED_KINDS
    if not is_skill:
        _refuse_skill_options(context, has_sessions=has_sessions)
    if simplify and focus:
        raise click.UsageError("--simplify and --focus are mutually exclusive", context)
    if simplify and judge == "none":
        raise click.UsageError("--simplify needs a model, so --judge must not be none", context)
    focus = _SIMPLIFY_FOCUS if simplify else focus
    ensure_startable(target if isinstance(target, Path) else target.path)  # before the user is asked to allow anything
    paths = read_sessions(sessions, no_sessions=no_sessions)
    source = "none" if no_sessions or not has_sessions else "given" if paths else "discover"
    judge = judge if is_skill else "none"
    options = Options(source, paths, judge, apply_, max_cost_usd, deep=deep, yes=yes, format=format_)
    if is_skill and context.get_parameter_source("judge") is ParameterSource.DEFAULT:
        options = replace(options, judge=choose_judge(unit, options, focus))
    allowed = None
    if trial:
        trial_options, allowed = prepare_trial(unit, **trial_arguments, yes=yes)
        options = replace(options, trial=trial_options)
    if simplify and (why := explain_no_model(options.judge)):
        raise click.UsageError(f"--simplify needs a model: {why}", context)
    return _start_run(
        target, options, work_dir, issue=issue, focus=focus, rounds=max_iterations, quiet=quiet, pause=pause,
        allowed=allowed,
    )  # fmt: skip


_SKILL_OPTIONS = ("deep", "simplify", "sessions", "trial", "focus")
"""Options that only skills have. No model reviews other units, and only commands and agents appear in sessions."""


def _refuse_skill_options(context: click.Context, *, has_sessions: bool) -> None:
    """Raise UsageError for an option that only skills have. has_sessions: whether sessions can use the unit."""
    names = [name for name in _SKILL_OPTIONS if name != "sessions" or not has_sessions]
    options = [name for name in names if context.params.get(name)]
    if context.params.get("judge") != "none" and context.get_parameter_source("judge") is not ParameterSource.DEFAULT:
        options.append("judge")
    if options:
        raise click.UsageError(f"--{options[0]} is only for skills; leave it out for other kinds of unit", context)


def _start_run(
    target: "Path | LocatedUnit", options: "Options", work_dir: str | None, *,
    issue: str, focus: tuple[str, ...], rounds: int, quiet: bool, pause: bool, allowed: "Request | None",
) -> Exit:  # fmt: skip
    """Tune a unit in at most `rounds` rounds, and print the result.

    pause: whether the run pauses at each question, so that the user answers with other commands. allowed: what the
    user has allowed the trial of the run to do.
    """
    from orchestrator.cli.input.finished import mark_trial_of_run
    from orchestrator.cli.output.console import Console
    from orchestrator.exits import get_exit_code
    from orchestrator.run.create import start_run
    from orchestrator.run.run import explain_interrupt

    listener = Console(quiet=quiet, ask=options.format == "text", later=pause)
    unit = target if isinstance(target, Path) else target.path
    if earlier := _describe_unfinished_run(unit, quiet=quiet):
        listener.say(earlier)
    with listener:
        run = start_run(
            target, options, listener, work_dir=work_dir, issue=issue, focus=focus, rounds=rounds, allowed=allowed
        )
    try:
        print_result(RunResult(run.store, with_diffs=not listener.showed_diffs), options.format)
        mark_trial_of_run(run.store.state)
        return get_exit_code(run.store.state)
    except KeyboardInterrupt:
        raise explain_interrupt(run.store) from None


def _describe_unfinished_run(unit: Path, *, quiet: bool) -> str:
    """Return where the last run of a unit stopped, and how to continue or undo it.

    Returns "" if it has ended or is still running. quiet: also return "" if it applied no fix.
    """
    from actions.reporting.hints import quote_run
    from orchestrator.cli.output.next_steps import describe_status
    from orchestrator.run.unfinished import find_unfinished

    stopped = find_unfinished(unit)
    if stopped is None or (quiet and not stopped.fixes):
        return ""
    run = quote_run(stopped.state)
    undo = f"to undo {', '.join(stopped.fixes)}: `tune-skill rollback {run} --all`; " if stopped.fixes else ""
    return f"{describe_status(stopped.state)}; to continue it: `tune-skill resume {run}`; {undo}this is a new run"
