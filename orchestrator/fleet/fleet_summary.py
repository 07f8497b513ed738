"""Sum up the results of many skills: distribution of scores, most common patterns, worst skills, duplicates."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import quantiles
from typing import Any

from actions.patterns import all_patterns
from actions.patterns.page import get_page
from orchestrator.fleet.duplicates import Records, find_duplicates
from schemas.vocabulary import SCHEMA_VERSION, Gate

_BAND, _BANDS = 10, 10
"""Points of one band of the distribution, and how many there are; the last one holds 100 too."""


def summarize(records: Records, most: int) -> dict[str, Any]:
    """Return the summary by `fleet.schema.json`, with at most `most` skills and duplicates of each kind."""
    scores: list[int] = []
    gates: Counter[str] = Counter(dict.fromkeys(Gate, 0))
    patterns, findings = Counter[str](), Counter[str]()
    ranked: list[dict[str, Any]] = []
    failed: list[dict[str, str]] = []
    for record in records():
        row = record["diagnosis"]
        if "error" in row:
            failed.append({"path": record["path"], "error": row["error"]})
            continue
        found = Counter(issue["pattern"] for issue in row["issues"])
        patterns.update(found.keys())
        findings.update(found)
        scores.append(row["quality_score"])
        gates[row["quality_gate"]] += 1
        ranked.append(_rank(record, found))
        if len(ranked) > 2 * most:
            ranked = _worst(ranked, most)
    return {
        "schema_version": SCHEMA_VERSION,
        "skills": len(scores) + len(failed),
        "gates": dict(gates),
        "scores": _distribution(scores),
        "patterns": [_pattern(id, count, findings[id]) for id, count in _most_common(patterns)],
        "worst": _worst(ranked, most),
        "failed": sorted(failed, key=lambda row: row["path"]),
        "duplicates": find_duplicates(records, most),
    }


def _rank(record: Mapping[str, Any], found: Counter[str]) -> dict[str, Any]:
    row = record["diagnosis"]
    return {
        "path": record["path"],
        "name": row["skill"]["name"],
        "score": row["quality_score"],
        "gate": row["quality_gate"],
        **row["issues_by_severity"],
        "patterns": [id for id, _ in _most_common(found)],
    }


def _worst(ranked: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return the skills that do not pass or score below 100, the lowest score first."""
    below = (row for row in ranked if row["score"] < 100 or row["gate"] != Gate.PASS)
    return sorted(below, key=lambda row: (row["score"], -row["critical"], -row["high"], row["path"]))[:count]


def _distribution(scores: list[int]) -> dict[str, Any]:
    counts = Counter(min(score // _BAND, _BANDS - 1) for score in scores)
    bands = [{"from": n * _BAND, "to": n * _BAND + _BAND - 1, "skills": counts[n]} for n in range(_BANDS)]
    bands[-1]["to"] = 100
    low, middle, high = _quartiles(scores)
    mean = round(sum(scores) / len(scores), 1) if scores else None
    return {"mean": mean, "lower_quartile": low, "median": middle, "upper_quartile": high, "bands": bands}


def _quartiles(scores: list[int]) -> Sequence[float | None]:
    if len(scores) > 1:
        return quantiles(scores, method="inclusive")
    return scores * 3 or (None, None, None)


def _most_common(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _pattern(id: str, skills: int, findings: int) -> dict[str, Any]:
    module = all_patterns().get(id)
    return {"pattern": id, "title": get_page(module)["title"] if module else "", "skills": skills, "findings": findings}
