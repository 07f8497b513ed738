"""Format the result of a trial as text, Markdown or HTML, with a table and a chart."""

from collections.abc import Mapping
from typing import Any

from templates import render
from templates.filters import counted

_CHART_WIDTH = 41
"""The width of the chart's axis in characters. The axis has rates from 0 to 1."""

_UNITS = {"tokens": ("tokens", 0), "usd": ("USD", 4), "seconds": ("seconds", 1), "turns": ("turns", 1),
          "compactions": ("compactions", 2)}  # fmt: skip

_MAX_COMMANDS = 3
_OUTCOMES = {"done": "done", "lost": "lost", "false_claim": "false claim", "stuck": "stuck"}


def format_headline(result: Mapping[str, Any]) -> str:
    """Summarize the result, for example "the current skill succeeds in 17 of 20 against 11, noise floor 2: better"."""
    before, after = result["before"], result["after"]
    of_runs = "" if before["runs"] == after["runs"] else f" of {before['runs']}"
    against = f"{before['succeeded']}{of_runs}"
    return (
        f"the current skill succeeds in {after['succeeded']} of {after['runs']} against {against}, "
        f"noise floor {_format_floor(result['noise_floor'])}: {result['verdict']}"
    )


def format_markdown(result: Mapping[str, Any]) -> str:
    """Format the result as Markdown for a pull request."""
    return render("trial.md", **_build_context(result), picture=draw_rates(result))


def format_html(result: Mapping[str, Any]) -> str:
    """Format the result as an HTML page that needs neither network nor scripts."""
    return render("html/trial.html", **_build_context(result))


def draw_rates(result: Mapping[str, Any]) -> list[str]:
    """Return the lines of a chart: the rates of each task before (o) and after (x), and the interval below them."""
    tasks = [task for task in result["tasks"] if task["before"] and task["after"]]
    width = max((len(task["task"]) for task in tasks), default=0)
    lines = [
        f"{task['task']:<{width}} |{_draw_row(_compute_rate(task['before']), _compute_rate(task['after']))}|"
        for task in tasks
    ]
    interval = result["difference"]
    if interval:
        bar = [" "] * _CHART_WIDTH
        low, high, mean = (round((interval[key] + 1) / 2 * (_CHART_WIDTH - 1)) for key in ("low", "high", "mean"))
        bar[low : high + 1] = ["-"] * (high - low + 1)
        bar[_CHART_WIDTH // 2] = ":"
        bar[mean] = "#"
        scale = f"{'-100':<{_CHART_WIDTH // 2 - 1}}0{'+100':>{_CHART_WIDTH - _CHART_WIDTH // 2}}"
        lines += ["", f"{'difference':<{width}} |{''.join(bar)}|", f"{'':<{width}}  {scale}"]
    return lines


def _draw_row(before: float, after: float) -> str:
    row = ["."] * _CHART_WIDTH
    first, last = sorted(round(rate * (_CHART_WIDTH - 1)) for rate in (before, after))
    row[first : last + 1] = ["-"] * (last - first + 1)
    row[round(before * (_CHART_WIDTH - 1))] = "o"
    row[round(after * (_CHART_WIDTH - 1))] = "x" if before != after else "8"
    return "".join(row)


def describe_finding(finding: Mapping[str, Any]) -> str:
    """Describe how the original skill fails the fixture in which a finding causes harm, or why there is no test."""
    if finding["why"]:
        return f"no test: {finding['why']}"
    labels = ", ".join(finding["vacuous"])
    vacuous = f"; checks that did not fail and do not count: {labels}" if labels else ""
    return f"the original fails where the fault causes harm ({', '.join(finding['outcomes']) or 'failed'}){vacuous}"


def format_counts(row: Mapping[str, Any]) -> str:
    """Format how the runs of one kind of fixture ended, as in "3 runs: 1 done, 2 lost; called in 2: gh pr list"."""
    outcomes = [f"{row[key]} {word}" for key, word in _OUTCOMES.items() if row[key]]
    calls = [f"; called in {call['runs']}: {call['command']}" for call in row["commands"][:_MAX_COMMANDS]]
    return f"{counted(row['runs'], 'run')}: {', '.join(outcomes) or 'not known'}{''.join(calls)}"


def _build_context(result: Mapping[str, Any]) -> dict[str, Any]:
    tasks = [
        {"name": task["task"], "before": sum(task["before"]), "of_before": len(task["before"]),
         "after": sum(task["after"]), "of_after": len(task["after"]),
         "rates": (_compute_rate(task["before"]), _compute_rate(task["after"]))}
        for task in result["tasks"]
    ]  # fmt: skip
    return {
        "result": result,
        "headline": format_headline(result),
        "floor": _format_floor(result["noise_floor"]),
        "tasks": tasks,
        "measures": format_measures(result),
        "failures": list(_count_failures(result)),
        "fixtures": [
            {
                "finding": finding["finding"],
                "about": describe_finding(finding),
                "rows": [{**row, "text": format_counts(row)} for row in finding["counts"]],
            }
            for finding in result["fixtures"]
        ],
    }


def format_measures(result: Mapping[str, Any]) -> list[dict[str, str]]:
    """Format the measures other than success: means before and after, their difference and its interval."""
    return [_format_measure(measure) for measure in result["measures"] if measure["before"] is not None]


def _format_measure(measure: Mapping[str, Any]) -> dict[str, str]:
    unit, digits = _UNITS[measure["name"]]
    interval = measure["difference"]
    between = f"{interval['low']:+,.{digits}f} to {interval['high']:+,.{digits}f}" if interval else "not known"
    before, after = measure["before"], measure["after"]
    return {"name": unit, "before": f"{before:,.{digits}f}", "after": f"{after:,.{digits}f}",
            "difference": f"{after - before:+,.{digits}f}", "between": between}  # fmt: skip


def _count_failures(result: Mapping[str, Any]) -> "list[dict[str, Any]]":
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for run in result["runs"]:
        for check in run["checks"]:
            if check["passed"] is not True:
                row = rows.setdefault((run["task"], check["label"]), {"before": 0, "after": 0, "why": check["why"]})
                row[run["version"]] += 1
    return [{"task": task, "label": label, **row} for (task, label), row in sorted(rows.items())]


def _compute_rate(runs: "list[bool]") -> float:
    return sum(runs) / len(runs) if runs else 0.0


def _format_floor(floor: float | None) -> str:
    return "not known" if floor is None else f"{floor:.0f}"
