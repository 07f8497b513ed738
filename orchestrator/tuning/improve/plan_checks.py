"""Reject a plan that cannot prove an improvement, or that could exceed its cost limit, before the first run."""

from functools import partial
from math import inf
from pathlib import Path

from msgspec.structs import replace

from actions.improve.split import MIN_SIDE, Split, find_repeated_tasks
from actions.project.facts.models import find_window
from actions.project.listing import read_listed_skill
from actions.project.model_listings import ListingSettings, compute_listings
from actions.project.units import Unit
from actions.skill.paths import MAIN
from orchestrator.errors import BadInput, BadInputs, Refused, call_all
from orchestrator.model.budget import find_family
from orchestrator.tuning.improve.history import History, find_stopped, list_plans_of_skill
from orchestrator.tuning.improve.plan import ImprovementPlan, Settings, build_plan
from orchestrator.tuning.improve.unfinished import find_dependent
from orchestrator.tuning.trial.conduct import find_trial_name, get_default_model
from orchestrator.tuning.trial.drafting import DraftForecast
from orchestrator.tuning.trial.plan import name_price_list
from orchestrator.tuning.trial.statistics import Pairs, can_decide, compute_last_level
from orchestrator.tuning.trial.tasks import Task
from orchestrator.tuning.trial.versions import read_version
from schemas.vocabulary import UnitKind
from templates.filters import counted


def plan_improvement(skill: str, settings: Settings) -> ImprovementPlan:
    """Build the plan of a requested improvement.

    Raises Refused if another improvement of the skill must be continued or ended first, and BadInput, with one line for
    each problem.
    """
    plan = build_plan(skill, settings)
    _ensure_no_other(plan)
    ensure_provable(plan)
    return plan


def ensure_provable(plan: ImprovementPlan) -> None:
    """Raise BadInput, with one line for each problem, if a plan can prove nothing or could exceed its cost limit."""
    checks = (_ensure_distinct, _ensure_listed, _ensure_enough_tasks, _ensure_payable)
    call_all(*(partial(check, plan) for check in checks))


def ensure_draftable(root: Path, settings: Settings, forecast: DraftForecast) -> None:
    """Raise an error like `plan_improvement`, as far as that can be known before the tasks are drafted and paid."""
    names = tuple(f"drafted-{number}" for number in range(1, forecast.tasks + 1))
    exam = round(settings.exam * len(names))
    settings = replace(settings, model=settings.model or get_default_model())
    plan = ImprovementPlan(
        settings, find_trial_name(root), root, read_version(root, "today"),
        tuple(Task(name, name, (), name) for name in names), (), Split(names[exam:], names[:exam]), History(),
    )  # fmt: skip
    _ensure_no_other(plan)
    checks = (_ensure_listed, _ensure_enough_tasks, partial(_ensure_payable, drafts_usd=forecast.usd))
    call_all(*(partial(check, plan) for check in checks))


def _ensure_no_other(plan: ImprovementPlan) -> None:
    """Raise Refused if an improvement of the skill with another plan was paid for: a new one would have a new limit.

    One whose plan cannot be read is left to `create_folder`, because it cannot be continued.
    """
    found = find_dependent(plan.root) if find_stopped(plan.root, plan.key) is None else None
    if found and dict(list_plans_of_skill(plan.root))[found.folder].get("key"):
        raise Refused(
            f"{found.sentence}, and the skill, a task or a setting changed since; undo this, then `{found.resume}` "
            f"continues it without paying twice; to start a new one, end it: `{found.resume} --give-up`"
        )


def _ensure_distinct(plan: ImprovementPlan) -> None:
    places = {task.name: task.where for task in plan.tasks}
    repeated = [
        BadInput(f"{places[second]}: {second} has the same prompt, files and user as {first}; remove or merge one")
        for first, second in find_repeated_tasks(list(plan.texts.values()))
    ]
    if repeated:
        raise BadInputs(repeated)


def _ensure_listed(plan: ImprovementPlan) -> None:
    """Raise BadInput if the listing truncates the description, because the runs would test only a part of it."""
    if all(task.calls(plan.name) for task in plan.tasks):
        return
    path = f".claude/skills/{plan.name}/{MAIN}"
    skill = read_listed_skill(Unit(UnitKind.SKILL, path, plan.name), plan.full_version.main.decode("utf-8", "replace"))
    window = find_window(plan.settings.model or find_family(plan.settings.model))
    listed = compute_listings("", [skill], ListingSettings(), [window]).models[0].entries if window else ()
    for entry in listed:
        if entry.state != "shown":
            raise BadInput(
                f"{plan.root / MAIN}: its description is {entry.state} in the listing for {window}, so the runs would "
                f"not test it as it is; correct it (see `tune-skill listing`), or begin every prompt with /{plan.name}"
            )


def _ensure_enough_tasks(plan: ImprovementPlan) -> None:
    practice, exam = len(plan.split.practice), len(plan.split.exam)
    if practice >= MIN_SIDE and exam >= MIN_SIDE:
        return
    has_used_tasks = any(text.digest in plan.history.opened for text in plan.texts.values())
    reopen = ", or pass --reopen to use the tasks of an earlier exam again, at a stricter significance level"
    notes = "".join(f"; {note}" for note in plan.split.notes)
    raise BadInput(
        f"{counted(practice, 'task')} for practice and {exam} for the exam; at least {MIN_SIDE} are needed for each: "
        f"write more tasks{reopen if has_used_tasks else ''}{notes}"
    )


def _ensure_payable(plan: ImprovementPlan, drafts_usd: float = 0.0) -> None:
    if not plan.split.exam:
        return
    limit = plan.settings.max_cost_usd
    unlimited = replace(plan, settings=replace(plan.settings, max_cost_usd=inf))  # a low limit lowers the reserve
    exam = unlimited.price_exam(plan.run_price)
    needed = exam + plan.practice_price + drafts_usd
    drafts = f", the drafts {drafts_usd:.2f}" if drafts_usd else ""
    if needed > limit:
        raise BadInput(
            f"the exam costs about {exam:.2f} USD and the practice {plan.practice_price:.2f}{drafts}, at the list "
            f"price of {name_price_list(plan.settings.model)}; raise --max-cost-usd to at least "
            f"{needed + plan.run_price:.2f}, or use a cheaper --model or fewer --exam-runs"
        )
    rounds = plan.settings.exam_runs
    no_runs = [Pairs(name, (), ()) for name in plan.split.exam]
    if not can_decide(no_runs, rounds, compute_last_level(rounds, rounds) / (plan.openings + 1)):
        raise BadInput(f"an exam of {counted(len(no_runs), 'task')} with {rounds} runs of each cannot decide anything; "
                       "use more --exam-runs, or more tasks")  # fmt: skip
