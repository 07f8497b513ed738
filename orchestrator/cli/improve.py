"""`tune-skill improve`: edit a skill where its runs fail; keep an edit only if it passes a test on unseen tasks."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.options import check_amount, quiet_option
from orchestrator.cli.input.terminal import can_ask
from orchestrator.cli.output.registry import format_option
from orchestrator.cli.output.results import ImprovementResult
from orchestrator.cli.output.text import safe, warn
from orchestrator.cli.output.write import check_output, output_option, write_result
from orchestrator.errors import BadInput, Interrupted, Refused
from orchestrator.exits import Exit
from orchestrator.extras import require_extra

if TYPE_CHECKING:
    from orchestrator.tuning.improve.plan import ImprovementPlan
    from schemas.improvement import Improvement


@click.command()
@click.argument("skill")
@click.option("--tasks", metavar="FILE", help="The file with the tasks. [default: the skill's evals/]")
@click.option(
    "--draft-tasks", "draft", type=click.IntRange(4, 40), metavar="N",
    help="Let a model draft this many tasks, starting with four for each open finding.",
)  # fmt: skip
@click.option("--exam", type=click.FloatRange(0.2, 0.8), default=0.5, show_default=True, metavar="SHARE",
              help="The share of the tasks that are kept for the exam.")  # fmt: skip
@click.option("--steps", type=click.IntRange(1, 12), default=4, show_default=True, help="The maximum number of edits.")
@click.option("--practice-runs", type=click.IntRange(2, 10), default=3, show_default=True,
              help="Runs of each practice task with each version of the text.")  # fmt: skip
@click.option("--exam-runs", type=click.IntRange(2, 50), default=5, show_default=True,
              help="Runs of each exam task, with and without the edits.")  # fmt: skip
@click.option("--max-cost-usd", type=click.FloatRange(0, 1000, min_open=True), callback=check_amount, required=True,
              metavar="X", help="Maximum cost of all runs and questions, in USD.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 8), default=1, show_default=True, help="Number of simultaneous runs.")
@click.option("--model", default="", metavar="M", help="The model of all runs. [default: Claude Code's]")
@click.option("--reopen", is_flag=True, help="Reuse an exam that was already run, at a stricter significance level.")
@click.option("--yes", is_flag=True, help="Start and allow the tasks' commands without asking.")
@format_option(ImprovementResult)
@output_option
@quiet_option
def improve(
    skill: str, tasks: str | None, draft: int | None, exam: float, steps: int, practice_runs: int, exam_runs: int,
    max_cost_usd: float, jobs: int, model: str, reopen: bool, yes: bool, format_: str, output: str | None, quiet: bool,
) -> Exit:  # fmt: skip
    """Let Claude Code do tasks with SKILL, edit its text where it causes failures, and prove that the edits help.

    The tasks are split once into practice tasks and an exam: tasks that the editing model never sees. Edits are applied
    only if they pass the exam; `tune-skill rollback` undoes them. The exit code is 1 if the skill is not changed.

    \b
    Examples:
      tune-skill improve my-skill --max-cost-usd 30
      tune-skill improve my-skill --tasks t.yaml --max-cost-usd 9 --model haiku
      tune-skill improve my-skill --draft-tasks 12 --max-cost-usd 60
      tune-skill improve my-skill --max-cost-usd 60 --exam-runs 10 --jobs 4
      tune-skill improve my-skill --max-cost-usd 30 --format html -o improve.html
    """
    require_extra("trial", "an improvement")
    from orchestrator.cli.input.improvements import ensure_user_continues
    from orchestrator.errors import call_all
    from orchestrator.project.skill_finder import find_skill
    from orchestrator.tuning.improve import history
    from orchestrator.tuning.improve.plan import Settings
    from orchestrator.tuning.improve.plan_checks import ensure_draftable, plan_improvement
    from orchestrator.tuning.trial.conduct import ensure_possible

    check_output(format_, output)
    if folder := history.find_applying(find_skill(skill)):
        state = finish_applying(folder, quiet=quiet)
        write_result(ImprovementResult(state), format_, output)
        return get_exit(state)
    if draft and tasks:
        raise click.UsageError("--draft-tasks and --tasks are mutually exclusive", click.get_current_context())
    if draft:
        ensure_possible("improvement")
        from orchestrator.cli.input.draft_tasks import can_draft, draft_tasks_of_open_findings

        root = find_skill(skill)
        _ensure_none_stopped(root)
        wanted = Settings(None, exam, steps, practice_runs, exam_runs, max_cost_usd, model, jobs, reopen)
        ensure = partial(ensure_draftable, root, wanted)
        drafts = draft_tasks_of_open_findings(root, draft, model, max_cost_usd, ensure, ask=can_draft())
        if not drafts.is_accepted:
            return Exit.PAUSED
        tasks, max_cost_usd = str(drafts.file), max_cost_usd - drafts.usd
    settings = Settings(tasks, exam, steps, practice_runs, exam_runs, max_cost_usd, model, jobs, reopen)
    try:
        _, plan = call_all(lambda: ensure_possible("improvement"), lambda: plan_improvement(skill, settings))
    except BadInput:
        if draft:
            warn(safe(f"to pay for no other drafts, repeat the command with --tasks {tasks} instead of --draft-tasks"))
        raise
    if stopped := history.find_stopped(plan.root, plan.key):
        ensure_user_continues(stopped)
    if not _confirm(plan, yes=yes):
        warn("nothing was run; repeat the command to be asked again")
        return Exit.PAUSED
    state = run_plan(plan, "repeat the command to be asked again", quiet=quiet)
    write_result(ImprovementResult(state), format_, output)
    return get_exit(state)


def _ensure_none_stopped(skill: Path) -> None:
    """Raise Refused if an improvement of the skill was stopped, because runs with new tasks would cost again."""
    from orchestrator.tuning.improve import history

    if folder := history.find_stopped(skill):
        raise Refused(
            f"{folder.name} of this skill was stopped: `tune-skill resume {folder.name}` continues it without paying "
            f"twice; to draft new tasks, move {folder} elsewhere"
        )


def get_exit(state: "Improvement") -> Exit:
    """Return the exit code of an improvement that has ended."""
    from schemas.improvement import Stage

    return Exit.OK if state.stage is Stage.APPLIED else Exit.GATE


def run_plan(plan: "ImprovementPlan", advice: str, *, quiet: bool, subject: Path | None = None) -> "Improvement":
    """Run a plan that the user agreed to, or continue it. Raises Interrupted.

    subject: the path under which the user's consent to the tasks and the cost limit is recorded, by default the
    skill's path.
    """
    from orchestrator.run.store import system_clock
    from orchestrator.tuning.improve.conduct import run_improvement
    from orchestrator.tuning.trial.consent import Consent

    say, consent = _make_printer(quiet=quiet), Consent(subject or plan.root, advice)
    try:
        return run_improvement(plan, system_clock, say, consent, _apply)
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted("nothing was started") from None


def finish_applying(folder: Path, *, quiet: bool) -> "Improvement":
    """Finish an improvement that was interrupted while applying its edits. Raises Interrupted."""
    from orchestrator.run.store import system_clock
    from orchestrator.tuning.improve import conduct

    say = _make_printer(quiet=quiet)
    say(f"an earlier improvement was interrupted while applying its edits; finishing it first: {folder}")
    return conduct.finish_applying(folder, system_clock, say, _apply)


def _apply(state: "Improvement", note: "Callable[[str], None]") -> str:
    from orchestrator.cli.output.console import Console
    from orchestrator.run.improved import apply_improvement

    return apply_improvement(state, note, Console(quiet=True, ask=False))


def _make_printer(*, quiet: bool) -> "Callable[[str], None]":
    return lambda message: None if quiet else warn(safe(message))


def _confirm(plan: "ImprovementPlan", *, yes: bool) -> bool:
    """Print the plan and its cost, and ask the user to continue. Raises Refused if the user cannot be asked."""
    from orchestrator.cli.trial import ensure_allowed
    from orchestrator.tuning.improve.plan import describe_plan
    from orchestrator.tuning.trial.consent import build_request

    for message in describe_plan(plan):
        warn(safe(message))
    ensure_allowed(plan.tasks, build_request(plan.tasks, (plan.full_version,)), plan.root, yes=yes)
    return yes or not can_ask() or click.confirm("Continue?", err=True)
