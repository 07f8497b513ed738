"""`tune-skill trial`: compare two versions of a skill on the same tasks."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.input.options import check_amount, quiet_option
from orchestrator.cli.input.terminal import can_ask, is_started_by_model
from orchestrator.cli.output.registry import format_option
from orchestrator.cli.output.results import TrialResult
from orchestrator.cli.output.text import printable, safe, warn
from orchestrator.cli.output.write import check_output, output_option
from orchestrator.errors import Interrupted, Refused, call_all
from orchestrator.exits import Exit
from orchestrator.extras import require_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.tuning.trial.consent import Request
    from orchestrator.tuning.trial.plan import Plan
    from orchestrator.tuning.trial.tasks import Task
    from schemas.options import TrialOptions


def trial_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `run --trial` to a command."""
    for option in (
        click.option("--trial-cost-usd", type=click.FloatRange(0, 1000, min_open=True), callback=check_amount,
                     default=5.0, show_default=True, metavar="X",
                     help="Maximum cost of the trial, in addition to --max-cost-usd."),
        click.option("--trial-runs", type=click.IntRange(2, 50), default=5, show_default=True,
                     help="Runs of each task with each version."),
        click.option("--trial-tasks", metavar="FILE", help="The tasks of the trial. [default: the skill's evals/]"),
        click.option("--trial", is_flag=True,
                     help="Afterwards, compare the skill with its old version on tasks; roll back if it is worse."),
    ):  # fmt: skip
        command = option(command)
    return command


def prepare_trial(
    skill: str, *, trial_tasks: str | None, trial_runs: int, trial_cost_usd: float, yes: bool
) -> "tuple[TrialOptions, Request]":
    """Check that a trial is possible and allowed. Return the options of the trial, and what the user has allowed.

    Call this before the run does anything else. Raises BadInput if the trial is impossible, and Refused if it is
    not allowed.
    """
    require_extra("trial", "a trial")
    from msgspec.structs import replace

    from orchestrator.project.skill_finder import find_skill
    from orchestrator.tuning.trial.conduct import ensure_possible
    from orchestrator.tuning.trial.consent import build_request
    from orchestrator.tuning.trial.tasks import read_tasks
    from orchestrator.tuning.trial.versions import read_version
    from schemas.options import TrialOptions

    root = find_skill(skill)
    _, tasks = call_all(ensure_possible, lambda: read_tasks(root, trial_tasks))
    request = build_request(tasks, (read_version(root, "today"),))
    ensure_allowed(tasks, request, root, yes=yes)
    options = TrialOptions(str(Path(trial_tasks).absolute()) if trial_tasks else None, trial_runs, trial_cost_usd)
    return options, replace(request, max_cost_usd=trial_cost_usd)


@click.command()
@click.argument("skill")
@click.option("--against", required=True, metavar="before|REV|FOLDER",
              help="The other version: the backup of your newest run, a commit, or a folder.")  # fmt: skip
@click.option("--tasks", metavar="FILE", help="The tasks. [default: the skill's evals/]")
@click.option(
    "--draft-tasks", "draft", type=click.IntRange(1, 20), metavar="N",
    help="Let a model draft this many tasks, starting with four for each fixed finding.",
)  # fmt: skip
@click.option(
    "--runs", type=click.IntRange(2, 50), default=5, show_default=True, help="Runs of each task with each version."
)
@click.option("--max-cost-usd", type=click.FloatRange(0, 1000, min_open=True), callback=check_amount, default=5.0,
              show_default=True, metavar="X", help="Maximum cost of the trial, in USD.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 8), default=1, show_default=True, help="Number of simultaneous runs.")
@click.option("--model", default="", metavar="M", help="The model of all runs. [default: Claude Code's]")
@click.option("--yes", is_flag=True, help="Allow the tasks' commands without asking.")
@format_option(TrialResult)
@output_option
@quiet_option
def trial(
    skill: str, against: str, tasks: str | None, draft: int | None, runs: int, max_cost_usd: float, jobs: int,
    model: str, yes: bool, format_: str, output: str | None, quiet: bool,
) -> Exit:  # fmt: skip
    """Let Claude Code do tasks with SKILL and with an older version of it, and report: better, worse, or undecided.

    Each run has an empty home folder and its own project. The exit code is 1 if the current version is worse.

    \b
    Examples:
      tune-skill trial my-skill --against before
      tune-skill trial my-skill --against HEAD~1 --runs 10 --max-cost-usd 20
      tune-skill trial my-skill --against before --draft-tasks 5
      tune-skill trial my-skill --against ../old/my-skill --tasks tasks.yaml
      tune-skill trial my-skill --against before --format markdown -o trial.md
    """
    require_extra("trial", "a trial")
    from orchestrator.cli.input import finished
    from orchestrator.run.store import system_clock
    from orchestrator.run.work_dirs import list_own_runs
    from orchestrator.tuning.trial import conduct
    from orchestrator.tuning.trial.consent import Consent, build_request
    from orchestrator.tuning.trial.folders import FOLDER

    check_output(format_, output)
    if draft and tasks:
        raise click.UsageError("--draft-tasks and --tasks are mutually exclusive", click.get_current_context())
    repeat = "repeat the command"
    if draft:
        conduct.ensure_possible()
        from orchestrator.cli.input.draft_tasks import can_draft, draft_tasks
        from orchestrator.project.skill_finder import find_skill

        root = find_skill(skill)
        ensure = partial(conduct.ensure_draftable, root, rounds=runs, max_cost_usd=max_cost_usd, model=model, say=warn)
        drafts = draft_tasks(root, against, draft, model, max_cost_usd, ensure, ask=can_draft())
        if not drafts.is_accepted:
            return Exit.PAUSED
        tasks, max_cost_usd = str(drafts.file), max_cost_usd - drafts.usd
        repeat = safe(f"repeat the command with --tasks {drafts.file} instead of --draft-tasks")
    _, plan = call_all(
        conduct.ensure_possible,
        lambda: conduct.plan_trial(
            skill, against, tasks, rounds=runs, max_cost_usd=max_cost_usd, jobs=jobs, model=model, runs=list_own_runs()
        ),
    )
    if stopped := conduct.find_continued(plan):
        ensure_within_user_limit(stopped, build_request(plan.tasks, (plan.before, plan.after), plan.max_cost_usd))
    elif unseen := finished.find_unseen("trial", plan.key, FOLDER):
        return _show(unseen, format_, output)
    if not confirm_plan(plan, yes=yes):
        warn("nothing was run; repeat the command to be asked again")
        return Exit.PAUSED
    consent = Consent(plan.root, "repeat the command to be asked again")
    try:
        result = conduct.run_trial(plan, system_clock(), lambda message: None if quiet else warn(message), consent)
    except Interrupted:
        raise
    except KeyboardInterrupt:
        warn(f"the trial is stopped; {repeat} to continue it (you do not pay again for finished runs)")
        return Exit.INTERRUPTED
    warn(f"to see the result again: `tune-skill report {Path(result['folder']).name}`")
    return _show(result, format_, output)


def _show(result: dict[str, Any], format_: str, output: str | None) -> Exit:
    from orchestrator.cli.input import finished

    finished.show(TrialResult(result), format_, output)
    return Exit.GATE if result["verdict"] == "worse" else Exit.OK


def ensure_within_user_limit(folder: Path, request: "Request") -> None:
    """Report that a stopped trial or trigger test is continued.

    Raises Refused if Claude Code started the command with a higher cost limit than the user gave.
    """
    from orchestrator.tuning.trial.consent import is_allowed

    if is_started_by_model() and not is_allowed(request, folder):
        raise Refused(
            f"{folder.name} was stopped, and you have not allowed continuing it for {request.max_cost_usd:.2f} USD; "
            "only you can allow this, in a terminal"
        )
    warn(safe(f"this continues {folder.name}; you do not pay again for finished runs"))


def confirm_plan(plan: "Plan", *, yes: bool) -> bool:
    """Print the plan and its cost. Returns whether the user agrees. Raises Refused if the user cannot be asked."""
    from orchestrator.tuning.trial.consent import build_request
    from orchestrator.tuning.trial.plan import describe_plan

    for message in describe_plan(plan):
        warn(message)
    ensure_allowed(plan.tasks, build_request(plan.tasks, (plan.before, plan.after)), plan.root, yes=yes)
    return yes or not can_ask() or click.confirm("Continue?", err=True)


def ensure_allowed(tasks: "Sequence[Task]", request: "Request", subject: Path, *, yes: bool) -> None:
    """Ask the user to allow the commands of the tasks, once for each subject (a skill or a work dir).

    Raises Refused if the user does not allow the commands, or cannot be asked. `yes` is ignored if Claude Code
    started the command, because the model may have chosen the option.
    """
    from orchestrator.tuning.trial import consent

    if consent.is_allowed(request, subject):
        return
    for line in describe_request(tasks, request):
        click.echo(line, err=True)
    if consent.list_commands(tasks):
        if is_started_by_model():
            raise Refused(
                "the tasks run these commands on your machine, as you; Claude Code cannot allow them, even with --yes: "
                "check them, and run this command once in a terminal"
            )
        if not yes and not can_ask():
            raise Refused("the tasks run these commands on your machine, as you; check them, then pass --yes")
        question = "The tasks run these commands on your machine, as you. Allow them?"
        if not yes and not click.confirm(question, err=True):
            raise Refused("the commands of the tasks are not allowed, so nothing was run; allow or remove them")
    consent.save_consent(request, subject)


def describe_request(tasks: "Sequence[Task]", request: "Request") -> "Iterator[str]":
    """Yield lines that list the commands of the tasks, then the scripts that these commands can start."""
    from orchestrator.tuning.trial.consent import list_commands

    for task, command in list_commands(tasks):
        first, *others = command.rstrip("\n").split("\n")
        yield f"  {safe(task)}: {printable(first)}"
        yield from (f"    | {printable(line)}" for line in others)
    scripts = sorted({name for version in request.versions for name in version})
    if scripts:
        yield f"  they may start these files of the skill: {safe(', '.join(scripts))}"
    if request.scripts:
        yield f"  they name these scripts outside the run: {safe(', '.join(request.scripts))}"
