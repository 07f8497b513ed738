"""Summarize the results of many skills: score distribution, most common patterns, worst skills, duplicates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import quantiles
from typing import Any

from actions.patterns import get_patterns
from actions.patterns.page import get_page
from orchestrator.fleet.duplicates import Records, find_duplicates
from schemas.vocabulary import SCHEMA_VERSION, Gate

_BAND_WIDTH, _BANDS = 10, 10
"""The score distribution has 10 bands, each 10 points wide. The last band also includes a score of 100."""


def summarize(records: Records, limit: int) -> dict[str, Any]:
    """Return the summary of a fleet (`fleet.schema.json`).

    `limit` is the maximum number of worst skills, and of duplicates of each kind.
    """
    scores: list[int] = []
    gates: Counter[str] = Counter(dict.fromkeys(Gate, 0))
    skills_per_pattern, findings_per_pattern = Counter[str](), Counter[str]()
    ranked: list[dict[str, Any]] = []
    failed: list[dict[str, str]] = []
    for record in records():
        row = record["diagnosis"]
        if "error" in row:
            failed.append({"path": record["path"], "error": row["error"]})
            continue
        counts = Counter(issue["pattern"] for issue in row["issues"])
        skills_per_pattern.update(counts.keys())
        findings_per_pattern.update(counts)
        scores.append(row["quality_score"])
        gates[row["quality_gate"]] += 1
        ranked.append(_build_skill_row(record, counts))
        if len(ranked) > 2 * limit:
            ranked = _select_worst(ranked, limit)
    return {
        "schema_version": SCHEMA_VERSION,
        "skills": len(scores) + len(failed),
        "gates": dict(gates),
        "scores": _compute_distribution(scores),
        "patterns": [
            _build_pattern_row(id, count, findings_per_pattern[id]) for id, count in _sort_by_count(skills_per_pattern)
        ],
        "worst": _select_worst(ranked, limit),
        "failed": sorted(failed, key=lambda row: row["path"]),
        "duplicates": find_duplicates(records, limit),
    }


def _build_skill_row(record: Mapping[str, Any], found: Counter[str]) -> dict[str, Any]:
    row = record["diagnosis"]
    return {
        "path": record["path"],
        "name": row["skill"]["name"],
        "score": row["quality_score"],
        "gate": row["quality_gate"],
        **row["issues_by_severity"],
        "patterns": [id for id, _ in _sort_by_count(found)],
    }


def _select_worst(ranked: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return at most `count` skills that fail their gate or score below 100, lowest score first."""
    imperfect = (row for row in ranked if row["score"] < 100 or row["gate"] != Gate.PASS)
    return sorted(imperfect, key=lambda row: (row["score"], -row["critical"], -row["high"], row["path"]))[:count]


def _compute_distribution(scores: list[int]) -> dict[str, Any]:
    """Return the mean and quartiles of the scores, and the number of skills in each score band."""
    counts = Counter(min(score // _BAND_WIDTH, _BANDS - 1) for score in scores)
    bands = [{"from": n * _BAND_WIDTH, "to": (n + 1) * _BAND_WIDTH - 1, "skills": counts[n]} for n in range(_BANDS)]
    bands[-1]["to"] = 100
    low, middle, high = _compute_quartiles(scores)
    mean = round(sum(scores) / len(scores), 1) if scores else None
    return {"mean": mean, "lower_quartile": low, "median": middle, "upper_quartile": high, "bands": bands}


def _compute_quartiles(scores: list[int]) -> Sequence[float | None]:
    if len(scores) > 1:
        return quantiles(scores, method="inclusive")
    return scores * 3 or (None, None, None)


def _sort_by_count(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _build_pattern_row(id: str, skills: int, findings: int) -> dict[str, Any]:
    module = get_patterns().get(id)
    return {"pattern": id, "title": get_page(module)["title"] if module else "", "skills": skills, "findings": findings}
