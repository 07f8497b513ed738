"""What a trial will do and may cost, told before the first run."""

from dataclasses import dataclass
from hashlib import sha256
from math import sqrt
from pathlib import Path

from actions.skill.text import tokens_of
from orchestrator.model.budget import CACHED_USD, FAMILIES, TOKEN_USD, WRITTEN_USD, estimate_cost, find_family
from orchestrator.tuning.trial.rubric import list_criteria
from orchestrator.tuning.trial.statistics import Pairs, can_decide, compute_last_level, find_rounds_needed
from orchestrator.tuning.trial.tasks import Task, hash_tasks
from orchestrator.tuning.trial.versions import Version
from templates.filters import counted

CEILING_USD = 5.0
"""What a trial may cost when nothing else is said."""

ROUNDS = 5
"""Runs of each task and version when nothing else is said."""

_CONTEXT, _TURNS, _WRITTEN = 25_000, 8, 400
"""A usual run, guessed before the first: tokens of its context, turns, and tokens that each turn writes."""

_SPARE = 4
"""How many times the guess one run may cost."""

_QUERY = 6_000
"""Tokens of a usual question about criteria."""


@dataclass(frozen=True)
class Plan:
    """Two versions of the skill `name` at `root`, the tasks, how many runs of each, and bounds: `ceiling` in USD."""

    name: str
    root: Path
    before: Version
    after: Version
    tasks: tuple[Task, ...]
    rounds: int = ROUNDS
    ceiling: float = CEILING_USD
    model: str = ""
    jobs: int = 1

    @property
    def key(self) -> str:
        """What tells this trial from others: a killed one is gone on with by its key."""
        told = (str(self.root.resolve()), self.before.digest, self.after.digest, hash_tasks(self.tasks), self.model,
                self.rounds)  # fmt: skip
        return sha256(repr(told).encode("utf-8", "backslashreplace")).hexdigest()

    @property
    def runs(self) -> int:
        """The runs of both versions."""
        return 2 * len(self.tasks) * self.rounds

    @property
    def run_estimate(self) -> float:
        """What one run costs in USD, guessed from the list price of its model."""
        context = _CONTEXT + max(tokens_of(len(version.main)) for version in (self.before, self.after))
        read = context * TOKEN_USD + (_TURNS - 1) * context * CACHED_USD
        return FAMILIES[find_family(self.model)] * (read + _TURNS * _WRITTEN * WRITTEN_USD)

    @property
    def question_estimate(self) -> float:
        """What the questions about a run's criteria cost in USD, guessed, on average."""
        asked = sum(bool(list_criteria(task)) for task in self.tasks) / len(self.tasks)
        return FAMILIES[find_family(self.model)] * estimate_cost(_QUERY) * asked

    @property
    def reserve(self) -> float:
        """What is kept for one run while it lasts: it is stopped at half of it, between two turns."""
        return min(_SPARE * self.run_estimate, self.ceiling / 2)

    @property
    def smallest_difference(self) -> float:
        """The smallest difference of rates that is found in four of five trials, roughly (two normal laws, rate ½)."""
        return (1.96 + 0.84) * sqrt(0.5 / (self.rounds * len(self.tasks)))


def _name_price_list(model: str) -> str:
    family = f"Claude {find_family(model).capitalize()}"
    return family if model else f"{family}, as no model is named"


def describe_plan(plan: Plan) -> tuple[str, ...]:
    """Return what the user must know before anything is paid."""
    each = plan.run_estimate + plan.question_estimate
    needed = find_rounds_needed(len(plan.tasks))
    paid = int(plan.ceiling / each / (2 * len(plan.tasks)))
    told = [
        f"trial of {plan.name}: {plan.before.name} against the skill of today, {counted(len(plan.tasks), 'task')}, "
        f"{plan.rounds} runs of each and version: {plan.runs} runs",
        f"it costs at most {plan.ceiling:.2f} USD, and less when it is decided earlier; guessed: "
        f"{plan.runs * each:.2f} USD for all runs, at the list price of {_name_price_list(plan.model)}",
    ]
    if plan.before.digest == plan.after.digest:
        told.append("both versions are the same: what it measures is noise")
    if needed is None or plan.rounds < needed:
        more = f"from {needed} runs of each task on it can" if needed else "give more tasks"
        told.append(f"so few runs can decide nothing, however they go: {more}")
    elif paid < plan.rounds:
        fresh = [Pairs(task.name, (), ()) for task in plan.tasks]
        can = paid > 0 and can_decide(fresh, paid, compute_last_level(paid, plan.rounds))
        what = "which may be too few to decide" if can else "too few to decide, if the guess is right"
        told.append(f"the ceiling pays for about {paid} of {plan.rounds} runs of each, {what}")
    else:
        points = 100 * min(1.0, plan.smallest_difference)
        told.append(f"it finds a difference of {points:.0f} points or more in four of five trials")
    return tuple(told)
