"""`tune-skill trigger`: measure which skill Claude Code calls for a prompt."""

import shlex
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orchestrator.cli.input.options import check_amount, quiet_option
from orchestrator.cli.input.terminal import can_ask
from orchestrator.cli.output.registry import format_option
from orchestrator.cli.output.results import TriggerResult
from orchestrator.cli.output.text import printable, safe, warn
from orchestrator.cli.output.write import check_output, output_option
from orchestrator.errors import BadInput, Interrupted, call_all
from orchestrator.exits import Exit
from orchestrator.extras import require_extra
from orchestrator.fs.home import parse_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from orchestrator.tuning.trigger.plan import TriggerPlan


@click.command()
@click.argument("skill", metavar="SKILL|FOLDER")
@click.option("--prompts", metavar="FILE",
              help="A file with prompts, in the format of tune-skill, skill-creator, waza or plugin-eval. "
                   "[default: evals/trigger.yaml of the skill]",
)  # fmt: skip
@click.option("--draft-prompts", "draft", type=click.IntRange(8, 100), metavar="N",
              help="Let a model draft this many prompts, half of them near misses.")  # fmt: skip
@click.option("--tune", is_flag=True, help="Draft other descriptions; keep one that is better on held-out prompts.")
@click.option("--write", is_flag=True, help="With --tune: write a better description into SKILL.md without asking.")
@click.option("--among", multiple=True, metavar="PATH",
              help="Also list these: a skill, plugin or project. Can be repeated. [default: its plugin or folder]",
)  # fmt: skip
@click.option("--arm", type=click.Choice(["among", "alone", "uncut"]), default="among", show_default=True,
              help="List all skills, the skill alone, or all with full descriptions.")  # fmt: skip
@click.option("--runs", type=click.IntRange(1, 9), default=3, show_default=True,
              help="Number of runs that must all be wrong to count as a fault; a right prompt runs once.")  # fmt: skip
@click.option("--max-cost-usd", type=click.FloatRange(0, 1000, min_open=True), callback=check_amount, default=2.0,
              show_default=True, metavar="X", help="Maximum cost, in USD.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 16), default=1, show_default=True, help="Number of simultaneous runs.")
@click.option("--model", default="", metavar="M", help="The model of all runs. [default: Claude Code's]")
@click.option("--yes", is_flag=True, help="Start without asking.")
@format_option(TriggerResult)
@output_option
@quiet_option
def trigger(
    skill: str, prompts: str | None, draft: int | None, tune: bool, write: bool, among: tuple[str, ...], arm: str,
    runs: int, max_cost_usd: float, jobs: int, model: str, yes: bool, format_: str, output: str | None, quiet: bool,
) -> Exit:  # fmt: skip
    """Let Claude Code answer prompts, and report which skill it calls: the expected one, another, or none.

    Each run has an empty home folder and its own project, with the skills under their real names. It ends at the first
    call of a skill. The exit code is 1 if a prompt is wrong in all its runs, or if its result is not known. With --tune
    half of the prompts are held out: no drafting model sees them, and they are used once, to decide.

    \b
    Examples:
      tune-skill trigger my-skill --prompts evals/trigger.json
      tune-skill trigger plugins/review --prompts prompts.yaml --jobs 4
      tune-skill trigger my-skill --prompts p.yaml --among ~/.claude/skills
      tune-skill trigger my-skill --prompts p.yaml --format html -o trigger.html
      tune-skill trigger my-skill --draft-prompts 40
      tune-skill trigger my-skill --tune --max-cost-usd 20
    """
    require_extra("trial" if tune else "model", "a trigger test")
    from actions.trigger.causes import Arm
    from orchestrator.cli.input import finished
    from orchestrator.cli.trial import ensure_within_user_limit
    from orchestrator.run.store import system_clock
    from orchestrator.tuning.trial.conduct import ensure_possible, get_default_model
    from orchestrator.tuning.trial.consent import Request
    from orchestrator.tuning.trial.folders import find_stopped
    from orchestrator.tuning.trigger.conduct import run_trigger
    from orchestrator.tuning.trigger.held_out import FOLDER, find_improved
    from orchestrator.tuning.trigger.plan import TriggerPlan, describe_plan, ensure_draftable, plan_trigger
    from orchestrator.tuning.trigger.skill_set import read_skill_set

    check_output(format_, output)
    if draft and prompts:
        raise click.UsageError("--draft-prompts and --prompts are mutually exclusive", click.get_current_context())
    repeat = "repeat the command"
    if draft:
        from orchestrator.cli.input.draft_prompts import draft_prompts

        ensure_possible("trigger test")
        unplanned = TriggerPlan(
            read_skill_set(skill, among), (), Arm(arm), runs, max_cost_usd, model or get_default_model()
        )
        ensure = partial(ensure_draftable, unplanned, draft, tune=tune)
        drafts = draft_prompts(unplanned.skills, draft, model, max_cost_usd, ensure, ask=can_ask() and not yes)
        if not (drafts.is_accepted or yes):
            return Exit.PAUSED
        prompts, max_cost_usd = str(drafts.file), max_cost_usd - drafts.usd
        repeat = safe(f"repeat the command with --prompts {drafts.file} instead of --draft-prompts")
    if tune:
        _warn_of_written_description(skill, among)
    _, plan = call_all(
        lambda: ensure_possible("trigger test"),
        lambda: plan_trigger(
            skill,
            Path(prompts) if prompts else _find_prompts(skill),
            among,
            arm=Arm(arm),
            runs=runs,
            max_cost_usd=max_cost_usd,
            model=model or get_default_model(),
            jobs=jobs,
            tune=tune,
        ),
    )
    if plan.split and (improved := find_improved(plan.key)):
        warn(safe(f"an earlier tuning found a better description, so nothing is run: {improved['folder']}"))
        return _show(plan, improved, format_, output, write=write)
    for message in describe_plan(plan):
        warn(safe(message))
    if stopped := find_stopped(plan.key, FOLDER, "trigger"):
        ensure_within_user_limit(stopped, Request({}, max_cost_usd=max_cost_usd))
    elif unseen := finished.find_unseen("trigger test", plan.key, FOLDER):
        return _show(plan, unseen, format_, output, write=write)
    if not (yes or not can_ask() or click.confirm("Continue?", err=True)):
        warn("nothing was run; repeat the command to be asked again")
        return Exit.PAUSED
    try:
        result = run_trigger(plan, system_clock(), lambda message: None if quiet else warn(safe(message)))
    except Interrupted:
        raise
    except KeyboardInterrupt:
        warn(f"the test was stopped; {repeat} to continue it (finished runs are not repeated)")
        return Exit.INTERRUPTED
    warn(f"to see the result again: `tune-skill report {Path(result['folder']).name}`")
    return _show(plan, result, format_, output, write=write)


def _show(plan: "TriggerPlan", result: "dict[str, Any]", format_: str, output: str | None, *, write: bool) -> Exit:
    from orchestrator.cli.input import finished

    finished.show(TriggerResult(result), format_, output)
    return _finish_tuning(plan, result, write=write) if plan.split else _choose_exit_code(result)


def _warn_of_written_description(skill: str, among: tuple[str, ...]) -> None:
    """Print how to undo the description that an earlier tuning wrote.

    That tuning may have been killed before it printed this.
    """
    from orchestrator.tuning.trigger.skill_set import read_skill_set
    from orchestrator.tuning.trigger.writing import describe_last_undo

    with suppress(BadInput):  # planning the test reports this
        if undo := describe_last_undo(read_skill_set(skill, among).path):
            warn(safe(undo))


def _choose_exit_code(result: "Mapping[str, Any]") -> Exit:
    """Return the exit code of a trigger test: GATE if a prompt is a fault, or if a result is not known."""
    has_fault = any(row["faults"] for row in result["classes"])
    return Exit.OK if result["is_complete"] and not has_fault else Exit.GATE


def _find_prompts(skill: str) -> Path:
    from orchestrator.cli.input.draft_prompts import PROMPTS_FILE

    file = parse_path(skill) / PROMPTS_FILE
    if file.is_file():
        return file
    raise BadInput(f"{skill}: no prompts in {PROMPTS_FILE}; pass --prompts FILE, or let a model draft some with "
                   f"`tune-skill trigger {shlex.quote(skill)} --draft-prompts 40`")  # fmt: skip


def _finish_tuning(plan: "TriggerPlan", result: "Mapping[str, Any]", *, write: bool) -> Exit:
    """Show a better description as a diff, and write it if the user agrees."""
    from orchestrator.run.workspace import registry
    from orchestrator.tuning.trigger.writing import find_change, format_diff, format_undo, write_description

    tuning = result["tuning"]
    if not tuning["is_better"]:
        return _choose_exit_code(result)
    listed = plan.skills.get(plan.skills.targets[0])
    finalist = next(candidate for candidate in tuning["candidates"] if candidate["version"] == tuning["finalist"])
    file = Path(listed.path)
    change = find_change(file, listed.text, finalist["description"])
    click.echo("\n".join(map(printable, format_diff(change).splitlines())), err=True)
    if not (write or (can_ask() and click.confirm(f"Write it into {safe(str(file))}?", err=True))):
        warn("SKILL.md is unchanged; to write it without running anything again, repeat the command with --write")
        return Exit.OK
    with registry.lock(file.resolve().parent):
        backup = write_description(change, Path(result["folder"]))
    warn(safe(f"written; {format_undo(backup, file)}"))
    return Exit.OK
