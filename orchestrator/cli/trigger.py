"""`tune-skill trigger`: measure which skill Claude Code calls for a prompt."""

from pathlib import Path

import click

from orchestrator.cli.input.options import check_amount, quiet_option
from orchestrator.cli.input.terminal import can_ask
from orchestrator.cli.output.registry import format_option
from orchestrator.cli.output.results import TriggerResult
from orchestrator.cli.output.text import safe, warn
from orchestrator.cli.output.write import output_option, write_result
from orchestrator.errors import call_all
from orchestrator.exits import Exit
from orchestrator.extras import require_extra


@click.command()
@click.argument("skill", metavar="SKILL|FOLDER")
@click.option("--prompts", required=True, metavar="FILE",
              help="The prompts: ours, skill-creator's, waza's, or a folder of plugin-eval cases.")  # fmt: skip
@click.option("--among", multiple=True, metavar="PATH",
              help="List these beside it: a skill, plugin or project. Can be repeated. [default: its plugin or folder]",
)  # fmt: skip
@click.option("--arm", type=click.Choice(["among", "alone", "uncut"]), default="among", show_default=True,
              help="List all skills, the skill alone, or all with whole descriptions.")  # fmt: skip
@click.option("--runs", type=click.IntRange(1, 9), default=3, show_default=True,
              help="Runs that must all be wrong for a fault; a right prompt is run once.")  # fmt: skip
@click.option("--max-cost-usd", type=click.FloatRange(0, 1000, min_open=True), callback=check_amount, default=2.0,
              show_default=True, metavar="X", help="Maximum cost, in USD.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1, 16), default=1, show_default=True, help="Runs at the same time.")
@click.option("--model", default="", metavar="M", help="The model of all runs. [default: that of Claude Code]")
@click.option("--yes", is_flag=True, help="Start without asking.")
@format_option(TriggerResult)
@output_option
@quiet_option
def trigger(
    skill: str, prompts: str, among: tuple[str, ...], arm: str, runs: int, max_cost_usd: float, jobs: int, model: str,
    yes: bool, format_: str, output: str | None, quiet: bool,
) -> Exit:  # fmt: skip
    """Let Claude Code answer prompts, and report which skill it calls: the expected one, another, or none.

    Each run has an empty home folder and its own project, with the skills under their real names. It ends at the first
    call of a skill. The exit code is 1 if a prompt is wrong in all its runs, or if its result is not known.

    \b
    Examples:
      tune-skill trigger my-skill --prompts evals/trigger.json
      tune-skill trigger plugins/review --prompts prompts.yaml --jobs 4
      tune-skill trigger my-skill --prompts p.yaml --among ~/.claude/skills
      tune-skill trigger my-skill --prompts p.yaml --format html -o trigger.html
    """
    require_extra("model", "a trigger test")
    from actions.trigger.causes import Arm
    from orchestrator.run.store import system_clock
    from orchestrator.tuning.trial.conduct import ensure_possible, get_default_model
    from orchestrator.tuning.trigger.conduct import run_trigger
    from orchestrator.tuning.trigger.plan import describe_plan, plan_trigger

    _, plan = call_all(
        lambda: ensure_possible("trigger test"),
        lambda: plan_trigger(
            skill,
            Path(prompts),
            among,
            arm=Arm(arm),
            runs=runs,
            max_cost_usd=max_cost_usd,
            model=model or get_default_model(),
            jobs=jobs,
        ),
    )
    for sentence in describe_plan(plan):
        warn(safe(sentence))
    if not (yes or not can_ask() or click.confirm("Continue?", err=True)):
        warn("nothing was run; repeat the command to be asked again")
        return Exit.PAUSED
    try:
        result = run_trigger(plan, system_clock(), lambda sentence: None if quiet else warn(safe(sentence)))
    except KeyboardInterrupt:
        warn("the test was stopped; repeat the command to continue it (finished runs are not repeated)")
        return Exit.INTERRUPTED
    write_result(TriggerResult(result), format_, output)
    has_fault = any(one["faults"] for one in result["classes"])
    return Exit.OK if result["is_complete"] and not has_fault else Exit.GATE
