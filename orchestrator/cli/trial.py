"""`tune-skill trial`: runs of a skill before and after, on the same tasks."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orchestrator.cli.model_options import amount
from orchestrator.cli.output.progress import quiet_option
from orchestrator.cli.output.text import printable, safe, warned
from orchestrator.errors import Refused, all_asked
from orchestrator.exits import Exit
from orchestrator.extras import require_extra

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.tuning.trial.consent import Request
    from orchestrator.tuning.trial.plan import Plan
    from orchestrator.tuning.trial.tasks import Task
    from schemas.options import TrialOptions


def trial_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a trial at its end."""
    for option in (
        click.option("--trial-cost-usd", type=click.FloatRange(0, 1000, min_open=True), callback=amount, default=5.0,
                     show_default=True, metavar="X", help="The most that the trial may cost, besides the judge."),
        click.option("--trial-runs", type=click.IntRange(2, 50), default=5, show_default=True,
                     help="Runs of each task with each version."),
        click.option("--trial-tasks", metavar="FILE", help="What the trial asks. [default: the skill's evals/]"),
        click.option("--trial", is_flag=True,
                     help="Then try it on tasks, before and after; what makes it worse is rolled back."),
    ):  # fmt: skip
        command = option(command)
    return command


def asked_trial(
    skill: str, *, trial_tasks: str | None, trial_runs: int, trial_cost_usd: float, yes: bool
) -> "tuple[TrialOptions, Request]":
    """Return a trial that can be held, and what the user allowed for it now, before anything else happens."""
    require_extra("trial", "a trial")
    from dataclasses import replace

    from orchestrator.project.skill_finder import find_skill
    from orchestrator.tuning.trial.conduct import ensure_possible
    from orchestrator.tuning.trial.consent import build_request
    from orchestrator.tuning.trial.tasks import tasks_of
    from orchestrator.tuning.trial.versions import version_in
    from schemas.options import TrialOptions

    root = find_skill(skill)
    _, tasks = all_asked(ensure_possible, lambda: tasks_of(root, trial_tasks))
    request = build_request(tasks, (version_in(root, "today"),))
    ensure_allowed(tasks, request, root, yes=yes)
    asked = TrialOptions(str(Path(trial_tasks).absolute()) if trial_tasks else None, trial_runs, trial_cost_usd)
    return asked, replace(request, max_cost_usd=trial_cost_usd)


@click.command()
@click.argument("skill")
@click.option("--against", required=True, metavar="before|REV|FOLDER",
              help="The other version: the backup of your newest run, a commit, or a folder.")  # fmt: skip
@click.option("--tasks", metavar="FILE", help="What is asked. [default: those in the skill's evals/]")
@click.option("--draft-tasks", type=click.IntRange(1, 20), metavar="N", help="Let a model draft this many tasks.")
@click.option(
    "--runs", type=click.IntRange(2, 50), default=5, show_default=True, help="Runs of each task with each version."
)
@click.option("--max-cost-usd", type=click.FloatRange(0, 1000, min_open=True), callback=amount, default=5.0,
              show_default=True, metavar="X", help="The most that the trial may cost.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 8), default=1, show_default=True, help="Runs side by side.")
@click.option("--model", default="", metavar="M", help="The model of all runs. [default: that of Claude Code]")
@click.option("--yes", is_flag=True, help="Allow what the tasks run here, and go on without a question.")
@click.option("--format", "format_", type=click.Choice(["text", "markdown", "html", "json"]), default="text",
              show_default=True)  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write there instead of stdout.")
@quiet_option
def trial(
    skill: str, against: str, tasks: str | None, draft_tasks: int | None, runs: int, max_cost_usd: float, jobs: int,
    model: str, yes: bool, format_: str, output: str | None, quiet: bool,
) -> Exit:  # fmt: skip
    """Let Claude Code work with SKILL as it is and as it was, and report: better, worse, or not known.

    Each run has an empty home and project of its own. The exit code is 1 when the skill of today is worse.

    \b
    Examples:
      tune-skill trial my-skill --against before
      tune-skill trial my-skill --against HEAD~1 --runs 10 --max-cost-usd 20
      tune-skill trial my-skill --against before --draft-tasks 5
      tune-skill trial my-skill --against ../old/my-skill --tasks tasks.yaml
      tune-skill trial my-skill --against before --format markdown -o trial.md
    """
    require_extra("trial", "a trial")
    from orchestrator.run.store import system_clock
    from orchestrator.tuning.trial import conduct
    from orchestrator.tuning.trial.consent import Consent

    if draft_tasks and tasks:
        raise click.UsageError("--draft-tasks and --tasks exclude each other; give one", click.get_current_context())
    if draft_tasks:
        conduct.ensure_possible()
        from orchestrator.cli.drafted_tasks import drafted_tasks
        from orchestrator.project.skill_finder import find_skill

        root = find_skill(skill)
        file, spent, goes_on = drafted_tasks(root, draft_tasks, model, max_cost_usd, ask=_someone() and not yes)
        if not (goes_on or yes):
            return Exit.PAUSED
        tasks, max_cost_usd = str(file), max_cost_usd - spent
    _, plan = all_asked(
        conduct.ensure_possible,
        lambda: conduct.planned(skill, against, tasks, rounds=runs, ceiling=max_cost_usd, jobs=jobs, model=model),
    )
    if not agreed(plan, yes=yes):
        warned("nothing was run; the same command asks again")
        return Exit.PAUSED
    consent = Consent(plan.root, "the same command asks again")
    try:
        result = conduct.held(plan, system_clock(), lambda sentence: None if quiet else warned(sentence), consent)
    except KeyboardInterrupt:
        warned("the trial is stopped; the same command goes on with it, and pays nothing twice")
        return Exit.INTERRUPTED
    _show(result, format_, output)
    return Exit.GATE if result["verdict"] == "worse" else Exit.OK


def agreed(plan: "Plan", *, yes: bool) -> bool:
    """Tell the plan and what it may cost; return whether the user wants it. Raises as `ensure_allowed`."""
    from orchestrator.tuning.trial.consent import build_request
    from orchestrator.tuning.trial.plan import sentences

    for sentence in sentences(plan):
        warned(sentence)
    ensure_allowed(plan.tasks, build_request(plan.tasks, (plan.before, plan.after)), plan.root, yes=yes)
    return yes or not _someone() or click.confirm("Go on?", err=True)


def _someone() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def ensure_allowed(tasks: "Sequence[Task]", request: "Request", subject: Path, *, yes: bool) -> None:
    """Have the user allow, once, what the tasks run on this machine, and note it for a skill or the work dir of a run.

    Raises Refused where no one allows it.
    """
    from orchestrator.tuning.trial import consent

    if consent.is_given(request, subject):
        return
    for line in consent_lines(tasks, request):
        click.echo(line, err=True)
    if consent.commands_of(tasks):
        if not yes and not _someone():
            raise Refused("the tasks run this on your machine, as you; look at it, then say --yes")
        if not yes and not click.confirm("The tasks run this on your machine, as you. Allow it?", err=True):
            raise Refused(
                "what the tasks run here is not allowed, so nothing was run; take it out of the tasks, or allow it"
            )
    consent.give(request, subject)


def consent_lines(tasks: "Sequence[Task]", request: "Request") -> "Iterator[str]":
    """Yield what the tasks run, each line of a command on a line of its own, and the scripts that it may start."""
    from orchestrator.tuning.trial.consent import commands_of

    for task, command in commands_of(tasks):
        first, *others = command.rstrip("\n").split("\n")
        yield f"  {safe(task)}: {printable(first)}"
        yield from (f"    | {printable(line)}" for line in others)
    scripts = sorted({name for version in request.versions for name in version})
    if scripts:
        yield f"  they may start files of the skill: {safe(', '.join(scripts))}"
    if request.scripts:
        yield f"  they name scripts outside of the run: {safe(', '.join(request.scripts))}"


def _show(result: dict[str, Any], format_: str, output: str | None) -> None:
    from orchestrator.cli.look import written_to
    from orchestrator.cli.output.text import json_text
    from orchestrator.tuning.trial import report

    match format_:
        case "json":
            text = json_text(result)
        case "html":
            text = report.html(result).encode()
        case "markdown":
            text = report.markdown(result).encode()
        case _:
            text = "".join(f"{safe_line}\n" for safe_line in _lines(result)).encode()
    if output:
        written_to(Path(output), text)
    else:
        click.echo(text, nl=False)


def _lines(result: dict[str, Any]) -> list[str]:
    from orchestrator.tuning.trial import report

    found = result["difference"]
    told = [report.headline(result)]
    if found:
        told.append(
            f"difference {100 * found['mean']:+.0f} points, {100 * found['confidence']:.1f} % interval "
            f"{100 * found['low']:+.0f} to {100 * found['high']:+.0f}"
        )
    told += ["", *report.picture(result), ""]
    for one in report.measures(result):
        told.append(f"{one['name']:<12} {one['before']:>10} before {one['after']:>10} today  ({one['between']})")
    told += ["", f"{result['why']}; {result['cost']['usd']:.2f} of {result['cost']['ceiling']:.2f} USD"]
    told += [f"note: {safe(note)}" for note in result["notes"]]
    return [*told, f"transcripts: {safe(result['folder'])}/sessions"]
