"""Plan a trial. Its runs and their estimated cost are shown to the user before the first run."""

from hashlib import sha256
from math import sqrt
from pathlib import Path

import msgspec

from actions.skill.text import estimate_tokens
from orchestrator.model.budget import CACHED_USD, FAMILIES, TOKEN_USD, WRITTEN_USD, estimate_cost, find_family
from orchestrator.tuning.trial.proof import list_proof_keys
from orchestrator.tuning.trial.rubric import list_criteria
from orchestrator.tuning.trial.statistics import Pairs, can_decide, compute_last_level, find_rounds_needed
from orchestrator.tuning.trial.subject import Subject
from orchestrator.tuning.trial.tasks import Task, hash_tasks
from orchestrator.tuning.trial.versions import Version
from templates.filters import counted

MAX_COST_USD = 5.0
"""The default cost limit of a trial."""

ROUNDS = 5
"""The default number of runs of each task with each version."""

_CONTEXT_TOKENS, _TURNS, _OUTPUT_TOKENS = 25_000, 8, 400
"""Estimates for a typical run: context tokens, number of turns, and output tokens per turn."""

_RUN_LIMIT_FACTOR = 4
"""The amount reserved for one run, as a multiple of its estimate."""

_QUERY_TOKENS = 6_000
"""Estimated number of tokens of a question about criteria."""


class Plan(msgspec.Struct, frozen=True):
    """The plan of a trial, which compares two versions of the skill at `root`.

    rounds: the number of runs of each task with each version. jobs: the number of simultaneous runs.
    """

    name: str
    root: Path
    before: Version
    after: Version
    tasks: tuple[Task, ...]
    rounds: int = ROUNDS
    max_cost_usd: float = MAX_COST_USD
    model: str = ""
    jobs: int = 1

    @property
    def key(self) -> str:
        """The digest that identifies this trial, so that a stopped trial can be continued."""
        parts = (str(self.root.resolve()), self.before.digest, self.after.digest, hash_tasks(self.tasks), self.model,
                self.rounds)  # fmt: skip
        return sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()

    @property
    def subject(self) -> Subject:
        """The subject of the runs: both versions, on all tasks."""
        versions = {"before": self.before, "after": self.after}
        return Subject(self.name, self.root, versions, "after", self.tasks, self.model)

    @property
    def runs(self) -> int:
        """The total number of runs."""
        return 2 * len(self.tasks) * self.rounds + len(list_proof_keys(self.tasks))

    @property
    def run_estimate(self) -> float:
        """The estimated cost of one run in USD, at the list price of its model."""
        tokens = max(estimate_tokens(len(version.main)) for version in (self.before, self.after))
        return estimate_run(self.model, _TURNS, _CONTEXT_TOKENS + tokens)

    @property
    def question_estimate(self) -> float:
        """The estimated average cost, in USD, of asking a model whether a run meets its criteria."""
        share = sum(bool(list_criteria(task)) for task in self.tasks) / len(self.tasks)
        return FAMILIES[find_family(self.model)] * estimate_cost(_QUERY_TOKENS) * share

    @property
    def reserve(self) -> float:
        """The amount in USD reserved for an active run. A run that has spent half of it is stopped after its turn."""
        return min(_RUN_LIMIT_FACTOR * self.run_estimate, self.max_cost_usd / 2)

    @property
    def smallest_difference(self) -> float:
        """The difference in success rates that such a trial detects with a probability of 80 %.

        This assumes normal distributions and success rates near ½.
        """
        return (1.96 + 0.84) * sqrt(0.5 / (self.rounds * len(self.tasks)))


def estimate_run(model: str, turns: int, context: int) -> float:
    """Estimate the cost of a run in USD, at the list price of its model. context: the number of tokens at its start."""
    input_usd = context * TOKEN_USD + (turns - 1) * context * CACHED_USD
    return FAMILIES[find_family(model)] * (input_usd + turns * _OUTPUT_TOKENS * WRITTEN_USD)


def name_price_list(model: str) -> str:
    """Return the name of the model family whose list price an estimate uses."""
    family = f"Claude {find_family(model).capitalize()}"
    return family if model else f"{family}, as no model is given"


def describe_plan(plan: Plan) -> tuple[str, ...]:
    """Return the messages that are shown before the first run: the runs, their cost, and what they can detect."""
    usd_per_run = plan.run_estimate + plan.question_estimate
    lines = [
        f"trial of {plan.name}: {plan.before.name} against the current skill, {counted(len(plan.tasks), 'task')}, "
        f"{plan.rounds} runs of each task with each version, {plan.runs} runs in all",
        f"the trial costs at most {plan.max_cost_usd:.2f} USD, or less if it is decided earlier; estimate: "
        f"{plan.runs * usd_per_run:.2f} USD for all runs, at the list price of {name_price_list(plan.model)}",
    ]
    if proofs := len(list_proof_keys(plan.tasks)):
        lines.append(
            f"{counted(proofs, 'fixture')} in which a fault causes harm must first fail with {plan.before.name}, "
            "in one run each; if a fixture passes, the tests of its finding are left out"
        )
    if sameness := _explain_sameness(plan):
        lines.append(sameness)
    points = 100 * min(1.0, plan.smallest_difference)
    detected = f"the trial detects a difference of {points:.0f} points or more with 80 % probability"
    lines.append(_explain_few_runs(plan) or explain_low_limit(plan) or detected)
    return tuple(lines)


def explain_futility(plan: Plan) -> str:
    """Return why a trial cannot have a result, or "". Of the tasks only the number counts."""
    return _explain_sameness(plan) or _explain_few_runs(plan)


def _explain_sameness(plan: Plan) -> str:
    is_same = plan.before.text_digest == plan.after.text_digest
    return "both versions are the same, so the trial only measures noise" if is_same else ""


def _explain_few_runs(plan: Plan) -> str:
    rounds_needed = find_rounds_needed(len(plan.tasks))
    if rounds_needed is not None and plan.rounds >= rounds_needed:
        return ""
    more = f"run each task at least {rounds_needed} times" if rounds_needed else "add tasks"
    return f"too few runs for a result; {more}"


def explain_low_limit(plan: Plan) -> str:
    """Return how many runs the cost limit pays for, by the estimate, or "" if it pays for all."""
    affordable = int(plan.max_cost_usd / (plan.run_estimate + plan.question_estimate) / (2 * len(plan.tasks)))
    if affordable >= plan.rounds:
        return ""
    no_runs = [Pairs(task.name, (), ()) for task in plan.tasks]
    is_enough = affordable > 0 and can_decide(no_runs, affordable, compute_last_level(affordable, plan.rounds))
    what = "which may be too few to decide" if is_enough else "too few to decide, if the estimate is right"
    return f"the cost limit pays for about {affordable} of {plan.rounds} runs of each task, {what}"
