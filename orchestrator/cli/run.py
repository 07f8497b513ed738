"""`tune-skill run`: the main job."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import click
from click.core import ParameterSource

from orchestrator.cli.model_options import judge_option, max_cost_option
from orchestrator.cli.output.progress import quiet_option
from orchestrator.cli.trial import asked_trial, trial_options
from orchestrator.errors import Interrupted
from orchestrator.exits import Exit
from schemas.vocabulary import FOCUS


def focus_areas(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Read `--focus a,b`."""
    names = tuple(dict.fromkeys(name.strip() for name in (value or "").split(",") if name.strip()))
    for name in names:
        if name not in FOCUS:
            raise click.BadParameter(f"{name} is not one of {', '.join(FOCUS)}")
    return names


@contextmanager
def _nothing_yet() -> Iterator[None]:
    """Let a Ctrl-C before there is a run say that there is none."""
    try:
        yield
    except Interrupted:
        raise
    except (KeyboardInterrupt, click.Abort):
        raise Interrupted("nothing was started or changed") from None


_SIMPLER = ("token_consumption",)
"""The diagnosis that looks for what can be said in fewer words, or not at all."""


@click.command()
@click.argument("skill")
@click.option("--issue", default="", metavar="TEXT", help="What bothers you, in your words (English or Chinese).")
@click.option("--focus", callback=focus_areas, metavar="F,…", help=f"Only these: {', '.join(FOCUS)}.")
@click.option(
    "--sessions", multiple=True, metavar="PATH", help="Recorded sessions to use as evidence, or folders of them."
)
@click.option("--no-sessions", is_flag=True, help="Use no sessions. [default: those that used the skill here]")
@judge_option("auto", later=True)
@max_cost_option
@click.option(
    "--apply", "apply_", type=click.Choice(["ask", "safe", "all", "none"]), default="ask", show_default=True,
    help="Which fixes to apply: ask you, those of low risk, all, none.",
)  # fmt: skip
@click.option(
    "--max-iterations", type=click.IntRange(1, 20), default=5, show_default=True, help="At most this many rounds."
)
@click.option("--deep", is_flag=True, help="Ask for a deep analysis (needs a judge).")
@click.option("--simplify", is_flag=True, help="Only make it shorter, without losing a rule (needs a judge).")
@click.option("--work-dir", metavar="DIR", help="Where state, backup and report go (never inside the skill).")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--yes", is_flag=True, help="Take the likeliest reading of what is unclear. It selects no fixes.")
@click.option("--pause", is_flag=True, help="Wait at each question (exit code 3) for `answer` and `apply`.")
@trial_options
@quiet_option
@_nothing_yet()
def run(
    skill: str, issue: str, focus: tuple[str, ...], sessions: tuple[str, ...], no_sessions: bool, judge: str,
    max_cost_usd: float | None, apply_: str, max_iterations: int, deep: bool, simplify: bool,
    work_dir: str | None, format_: str, yes: bool, pause: bool, quiet: bool, trial: bool, **of_trial: Any,
) -> Exit:  # fmt: skip
    """Tune SKILL (a folder with a SKILL.md): diagnose, propose fixes, apply, verify, report.

    Nothing is written into the skill before a fix is chosen; each fix is verified or rolled back, and can be undone.

    \b
    Examples:
      tune-skill run my-skill                        choose fixes by their diffs
      tune-skill run my-skill --apply safe           apply what is of low risk
      tune-skill run my-skill --apply none           only the report
      tune-skill run my-skill --issue "it forgets"   say what bothers you
      tune-skill run my-skill --simplify             only shorter, each rule kept
      tune-skill run my-skill --apply safe --trial   then run it before and after
    """
    from orchestrator.cli.output.evidence import given_sessions
    from orchestrator.cli.permission import no_model, who_judges
    from orchestrator.cli.start import start
    from schemas.options import Options

    context = click.get_current_context()
    if simplify and focus:
        raise click.UsageError("--simplify and --focus exclude each other; give one", context)
    if simplify and judge == "none":
        raise click.UsageError("--simplify needs a judge, and --judge none asks nobody", context)
    focus = _SIMPLER if simplify else focus
    paths = given_sessions(sessions, no_sessions=no_sessions)
    chosen = "none" if no_sessions else "given" if paths else "discover"
    options = Options(chosen, paths, judge, apply_, max_cost_usd, deep=deep, yes=yes, format=format_)
    if context.get_parameter_source("judge") is ParameterSource.DEFAULT:
        options = replace(options, judge=who_judges(skill, options, focus))
    allowed = None
    if trial:
        asked, allowed = asked_trial(skill, **of_trial, yes=yes)
        options = replace(options, trial=asked)
    if simplify and (why := no_model(options.judge)):
        raise click.UsageError(f"--simplify needs a judge: {why}", context)
    return start(
        skill, options, work_dir, issue=issue, focus=focus, rounds=max_iterations, quiet=quiet, pause=pause,
        allowed=allowed,
    )  # fmt: skip
