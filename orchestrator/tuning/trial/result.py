"""Build the result of a trial (`trial.schema.json`)."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from actions.grouping import group_by_key
from orchestrator.tuning.trial.ledger import Key
from orchestrator.tuning.trial.outcomes import Outcome
from orchestrator.tuning.trial.proof import Proof
from orchestrator.tuning.trial.statistics import Interval, Pairs, compute_noise_floor, estimate_interval
from schemas.codec import to_json

if TYPE_CHECKING:
    from orchestrator.tuning.trial.trial import Trial

_MAX_LENGTH, _MAX_COMMANDS = 200, 10
CONFIDENCE = 0.95
"""The confidence of the intervals of the measures other than success."""

MEASURES: dict[str, Callable[[dict[str, Any], dict[str, Any]], float]] = {
    "tokens": lambda finished, graded: finished["session"]["usage"]["total"],
    "usd": lambda finished, graded: finished["usd"],
    "seconds": lambda finished, graded: finished["session"]["seconds"],
    "turns": lambda finished, graded: finished["session"]["turns"],
    "compactions": lambda finished, graded: finished["session"]["compactions"],
}
"""The functions that compute the measures other than success, from the records of a run and of its grading."""


def build_result(trial: "Trial") -> dict[str, Any]:
    """Build the result of a finished trial."""
    plan, pairs, comparison = trial.plan, trial.pair_runs(), trial.comparison
    floor = compute_noise_floor(pairs)
    return {
        "schema_version": 1,
        "skill": {"name": plan.name, "path": str(plan.root)},
        "against": plan.before.name,
        "same_text": plan.before.digest == plan.after.digest,
        "model": next((record["session"]["model"] for record in trial.ledger.finished.values()), plan.model),
        "verdict": comparison.verdict if comparison else "not known",
        "why": trial.why,
        "is_continuable": trial.is_continuable,
        "rounds": {"planned": plan.rounds, "held": trial.rounds},
        "before": _summarize_version(trial, pairs, "before"),
        "after": _summarize_version(trial, pairs, "after"),
        "difference": _convert_interval(comparison.interval) if comparison and comparison.interval else None,
        "p_better": comparison.p_better if comparison else 1.0,
        "p_worse": comparison.p_worse if comparison else 1.0,
        "level": comparison.level if comparison else 0.0,
        "noise_floor": floor,
        "measures": [_compare_measure(trial, name) for name in MEASURES],
        "tasks": [{"task": pair.task, "before": list(pair.before), "after": list(pair.after)} for pair in pairs],
        "fixtures": [_describe_finding(trial, proof) for proof in trial.proofs],
        "runs": [_convert_run(trial, key) for key in sorted(trial.ledger.graded)],
        "cost": {"usd": trial.ledger.spent, "ceiling": plan.max_cost_usd},
        "notes": list(_list_notes(trial)),
        "folder": str(trial.folder),
    }


def _summarize_version(trial: "Trial", pairs: Sequence[Pairs], version: str) -> dict[str, Any]:
    runs = [passed for pair in pairs for passed in getattr(pair, version)]
    used = sum(bool(trial.ledger.graded[key]["used"]) for key in trial.list_compared() if key.version == version)
    return {"runs": len(runs), "succeeded": sum(runs), "used": used}


def _convert_interval(interval: Interval) -> dict[str, float]:
    return {"mean": interval.mean, "low": interval.low, "high": interval.high, "confidence": interval.confidence}


def _compare_measure(trial: "Trial", name: str) -> dict[str, Any]:
    """Return the mean of a measure for both versions, and the confidence interval of the difference.

    All tasks have equal weight.
    """
    values: dict[str, dict[str, list[float]]] = {}
    for key in trial.list_compared():
        value = MEASURES[name](trial.ledger.finished[key], trial.ledger.graded[key])
        values.setdefault(key.task, {}).setdefault(key.version, []).append(float(value))
    tasks = [task for task in values.values() if len(task) == 2]
    differences = [fmean(task["after"]) - fmean(task["before"]) for task in tasks]
    interval = estimate_interval(differences, CONFIDENCE) if len(differences) > 1 else None
    means = {key: fmean(fmean(task[key]) for task in tasks) if tasks else None for key in ("before", "after")}
    return {"name": name, **means, "difference": _convert_interval(interval) if interval else None}


def _describe_finding(trial: "Trial", proof: Proof) -> dict[str, Any]:
    """Return the results of a finding's fixtures: the proof, and a row for each fixture kind and version."""
    kinds = {task.name: task.fixture.kind.value for task in trial.plan.tasks
             if task.fixture and task.fixture.finding == proof.finding}  # fmt: skip
    found = group_by_key(
        ((kinds[key.task], key.version), trial.ledger.graded[key]) for key in trial.list_compared() if key.task in kinds
    )
    rows = [_count_outcomes(kind, version, list(runs)) for (kind, version), runs in found.items()]
    return {**to_json(proof), "outcomes": list(proof.outcomes), "counts": rows}


def _count_outcomes(kind: str, version: str, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Count the outcomes of runs, and for each command line of a stub the runs that called it."""
    ended = Counter(word for run in runs for word in run.get("outcomes", ()))
    called = Counter(line for run in runs for line in dict.fromkeys(run.get("commands", ())))
    counts = {word.replace(" ", "_"): ended[word] for word in Outcome}
    commands = [{"command": line[:_MAX_LENGTH], "runs": count} for line, count in called.most_common(_MAX_COMMANDS)]
    return {"kind": kind, "version": version, "runs": len(runs), **counts, "commands": commands}


def _convert_run(trial: "Trial", key: Key) -> dict[str, Any]:
    finished, graded = trial.ledger.finished[key], trial.ledger.graded[key]
    session = finished["session"]
    return {
        "task": key.task, "number": key.number, "version": key.version, "passed": graded["passed"],
        "used": graded["used"], "checks": graded["checks"], "outcomes": graded.get("outcomes", []),
        "commands": graded.get("commands", []), "usd": finished["usd"] + graded["usd"],
        "tokens": session["usage"]["total"], "seconds": session["seconds"], "turns": session["turns"],
        "compactions": session["compactions"], "transcript": trial.find_transcript(key),
    }  # fmt: skip


def _list_notes(trial: "Trial") -> Iterator[str]:
    graded = trial.ledger.graded
    if undecided := sum(record["passed"] is None for record in graded.values()):
        yield f"{undecided} runs have no known result and are not counted"
    if missing := sum(not trial.find_transcript(key) for key in graded):
        yield f"{missing} runs left no transcript, or it could not be saved"
    if trial.plan.before.digest == trial.plan.after.digest:
        yield "both versions have the same text, so any difference is noise"
    interval = trial.comparison.interval if trial.comparison else None
    if interval and interval.low == interval.high:
        yield "every task shows the same difference, so the interval says nothing about other tasks"
    if len(trial.pair_runs()) == 1:
        yield "there is only one task, so the result applies only to this task"
