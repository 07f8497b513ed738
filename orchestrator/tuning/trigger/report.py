"""Format the result of a trigger test: a summary, the matrix of expected and called skills, and the faults."""

from collections.abc import Mapping
from typing import Any

from actions.trigger.causes import CAUSES, Cause
from templates import render
from templates.filters import counted

NO_SKILL = "no skill"
_MIN_P = 0.001


def format_headline(result: Mapping[str, Any]) -> str:
    """Summarize the result, for example "18 of 20 prompts right, 1 fault, 1 unstable".

    The result of a tuning is that of the current description.
    """
    verdicts = ("right", "unstable", "faults", "unknown")
    counts = {verdict: sum(row[verdict] for row in result["classes"]) for verdict in verdicts}
    noun = "training prompt" if result["tuning"] else "prompt"
    parts = [
        f"{counts['right']} of {counted(sum(counts.values()), noun)} right",
        counted(counts["faults"], "fault"),
    ]
    parts += [
        f"{counts[key]} {word}" for key, word in (("unstable", "unstable"), ("unknown", "not known")) if counts[key]
    ]
    return ", ".join(parts) + (" with the current description" if result["tuning"] else "")


def describe_class(row: Mapping[str, Any]) -> str:
    """Describe the prompts that expect the same skill, as in "9 of 10 right, 1 fault; at most 39 % are missed"."""
    known = row["right"] + row["unstable"] + row["faults"]
    if not known:
        return "not known"
    unstable = f", {row['unstable']} unstable" if row["unstable"] else ""
    what = "are missed" if row["expected"] else "are taken"
    counts = f"{row['right']} of {known} right, {counted(row['faults'], 'fault')}{unstable}"
    return f"{counts}; at most {100 * row['at_most']:.0f} % {what}"


def list_columns(result: Mapping[str, Any]) -> list[str | None]:
    """Return the columns of the matrix: each skill that was expected or called. The last is None (no skill)."""
    names = {name for cell in result["matrix"] for name in (cell["expected"], cell["called"])}
    names |= {row["expected"] for row in result["classes"]}
    return [*sorted(name for name in names if name is not None), None]


def build_rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the matrix. A cell has prompts, their share of the row in tenths, and whether it is right."""
    columns, by_name = list_columns(result), {prompt["name"]: prompt for prompt in result["prompts"]}
    expectations = {prompt["expectation"] for prompt in result["prompts"] if prompt["accepted"][0] is None}
    no_skill_label = expectations.pop() if len(expectations) == 1 else NO_SKILL
    prompts_of = {
        (cell["expected"], cell["called"]): [by_name[name] for name in cell["prompts"] if name in by_name]
        for cell in result["matrix"]
    }
    rows = []
    for row in result["classes"]:
        cells = [(called, prompts_of.get((row["expected"], called), [])) for called in columns]
        total = sum(len(prompts) for _, prompts in cells)
        rows.append({
            "expected": row["expected"] or no_skill_label, "about": describe_class(row),
            "cells": [_build_cell(called, prompts, total) for called, prompts in cells],
        })  # fmt: skip
    return rows


def _build_cell(called: str | None, prompts: list[dict[str, Any]], total: int) -> dict[str, Any]:
    return {
        "called": called or NO_SKILL,
        "count": len(prompts),
        "share": round(10 * len(prompts) / (total or 1)),
        "prompts": prompts,
        "is_right": all(_is_right(prompt, called) for prompt in prompts),
    }


def _is_right(prompt: Mapping[str, Any], called: str | None) -> bool:
    return called not in prompt["refused"] if prompt["refused"] else called in prompt["accepted"]


def list_wrong(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the prompts whose verdict is not `right`, faults first, with descriptions of their calls and causes."""
    order = ("fault", "unknown", "unstable")
    wrong = [prompt for prompt in result["prompts"] if prompt["verdict"] in order]
    wrong.sort(key=lambda prompt: order.index(prompt["verdict"]))
    return [_describe_wrong(result, prompt) for prompt in wrong]


def _describe_wrong(result: Mapping[str, Any], prompt: Mapping[str, Any]) -> dict[str, Any]:
    runs = [run for run in prompt["runs"] if run["arm"] == result["arm"]]
    calls = [f"failed ({run['why']})" if run["why"] else run["called"] or NO_SKILL for run in runs]
    shared = prompt["shared_words"] or {}
    words = [f"{', '.join(shared[key])} ({label})" for key, label in _list_labels(prompt) if shared.get(key)]
    return {
        **prompt,
        "calls": ", ".join(calls) or "not run",
        "why": CAUSES[Cause(prompt["cause"])].capitalize() if prompt["cause"] else "",
        "words": "; ".join(words),
    }


def _list_labels(prompt: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return pairs of a key of `shared_words` and a label for the descriptions that contain these words."""
    expected, called = prompt["accepted"][0], prompt["called"]
    return [("both", "both descriptions"), ("called", f"{called} alone"), ("expected", f"{expected} alone")]


def describe_tuning(tuning: Mapping[str, Any]) -> list[str]:
    """Describe a tuning: how it ended, the result on held-out prompts, and which groups of prompts became worse."""
    held_out = counted(tuning["held_out"], "held-out prompt")
    lines = [f"tuning: {tuning['why']}"]
    if tuning["is_opened"]:
        lines.append(
            f"test on {held_out}: {tuning['right_after']} of {counted(tuning['compared'], 'run')} right "
            f"against {tuning['right_before']}, {_format_p(tuning['p'])} (at most 0.025 to change)"
        )
    else:
        lines.append(f"the {held_out} were not used")
    return lines + [f"regressions in {guard['name']}: {'; '.join(guard['prompts'])}" for guard in tuning["spoiled"]]


def _format_p(p: float) -> str:
    return f"p = {p:.3f}" if p >= _MIN_P else f"p below {_MIN_P}"


def describe_candidates(tuning: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return each drafted description with its results on the training prompts."""
    return [(candidate["description"], _describe_candidate(tuning, candidate)) for candidate in tuning["candidates"]]


def _describe_candidate(tuning: Mapping[str, Any], candidate: Mapping[str, Any]) -> str:
    faults = "not run" if candidate["faults"] is None else counted(candidate["faults"], "training fault")
    role = "finalist" if candidate["version"] == tuning["finalist"] else candidate["reason"]
    return f"{faults}: {role}" if role else faults


def format_markdown(result: Mapping[str, Any]) -> str:
    """Format the result as Markdown for a pull request."""
    return render("trigger.md", **_build_context(result))


def format_html(result: Mapping[str, Any]) -> str:
    """Format the result as one HTML page that needs neither network nor scripts."""
    return render("html/trigger.html", **_build_context(result))


def _build_context(result: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "result": result, "headline": format_headline(result), "rows": build_rows(result), "wrong": list_wrong(result),
        "columns": [name or NO_SKILL for name in list_columns(result)],
        "tuning": describe_tuning(result["tuning"]) if result["tuning"] else [],
        "candidates": describe_candidates(result["tuning"]) if result["tuning"] else [],
    }  # fmt: skip
