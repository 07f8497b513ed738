"""Format the result of a trigger test: a summary, a heat map of the matrix, and the faults."""

from collections.abc import Mapping
from typing import Any

from actions.trigger.causes import CAUSES, Cause
from templates import render
from templates.filters import counted

NONE = "no skill"
_MIN_P = 0.001


def format_headline(result: Mapping[str, Any]) -> str:
    """Summarize the result, for a tuning the current description: "18 of 20 prompts right, 1 fault, 1 unstable"."""
    counts = {key: sum(one[key] for one in result["classes"]) for key in ("right", "unstable", "faults", "unknown")}
    noun = "training prompt" if result["tuning"] else "prompt"
    parts = [
        f"{counts['right']} of {counted(sum(counts.values()), noun)} right",
        counted(counts["faults"], "fault"),
    ]
    parts += [
        f"{counts[key]} {word}" for key, word in (("unstable", "unstable"), ("unknown", "not known")) if counts[key]
    ]
    return ", ".join(parts) + (" with the current description" if result["tuning"] else "")


def describe_class(one: Mapping[str, Any]) -> str:
    """Describe the prompts that expect one skill, or none, as in "9 of 10 right, 1 fault; at most 39 % are missed"."""
    known = one["right"] + one["unstable"] + one["faults"]
    if not known:
        return "not known"
    more = f", {one['unstable']} unstable" if one["unstable"] else ""
    what = "are missed" if one["expected"] else "are taken"
    found = f"{one['right']} of {known} right, {counted(one['faults'], 'fault')}{more}"
    return f"{found}; at most {100 * one['at_most']:.0f} % {what}"


def list_columns(result: Mapping[str, Any]) -> list[str | None]:
    """Return the columns of the matrix: each skill that was expected or called, and finally None (no skill)."""
    names = {name for cell in result["matrix"] for name in (cell["expected"], cell["called"])}
    names |= {one["expected"] for one in result["classes"]}
    return [*sorted(name for name in names if name is not None), None]


def build_rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the matrix. A cell has prompts, their share of the row in tenths, and whether it is right."""
    columns, texts = list_columns(result), {one["name"]: one for one in result["prompts"]}
    others = {one["expectation"] for one in result["prompts"] if one["accepted"][0] is None}
    no_skill_label = others.pop() if len(others) == 1 else NONE
    cells_of = ((cell, [name for name in cell["prompts"] if name in texts]) for cell in result["matrix"])
    found = {(cell["expected"], cell["called"]): names for cell, names in cells_of}
    rows = []
    for one in result["classes"]:
        cells = [found.get((one["expected"], called), []) for called in columns]
        total = sum(map(len, cells))
        rows.append({
            "expected": one["expected"] or no_skill_label, "about": describe_class(one),
            "cells": [
                {
                    "called": called or NONE, "count": len(names), "share": round(10 * len(names) / (total or 1)),
                    "prompts": [texts[name] for name in names],
                    "is_right": all(_is_right(texts[name], called) for name in names),
                }
                for called, names in zip(columns, cells, strict=True)
            ],
        })  # fmt: skip
    return rows


def _is_right(prompt: Mapping[str, Any], called: str | None) -> bool:
    return called not in prompt["refused"] if prompt["refused"] else called in prompt["accepted"]


def list_wrong(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the prompts that are not right, faults first, each with a description of its calls and of its cause."""
    order = ("fault", "unknown", "unstable")
    wrong = [one for one in result["prompts"] if one["verdict"] in order]
    return [_describe_wrong(result, one) for one in sorted(wrong, key=lambda one: order.index(one["verdict"]))]


def _describe_wrong(result: Mapping[str, Any], one: Mapping[str, Any]) -> dict[str, Any]:
    runs = [run for run in one["runs"] if run["arm"] == result["arm"]]
    calls = [f"failed ({run['why']})" if run["why"] else run["called"] or NONE for run in runs]
    shared = one["shared_words"] or {}
    words = [f"{', '.join(shared[key])} ({label})" for key, label in _list_labels(one) if shared.get(key)]
    return {
        **one,
        "calls": ", ".join(calls) or "not run",
        "why": CAUSES[Cause(one["cause"])].capitalize() if one["cause"] else "",
        "words": "; ".join(words),
    }


def _list_labels(one: Mapping[str, Any]) -> list[tuple[str, str]]:
    expected, called = one["accepted"][0], one["called"]
    return [("both", "both descriptions"), ("called", f"{called} alone"), ("expected", f"{expected} alone")]


def describe_tuning(tuning: Mapping[str, Any]) -> list[str]:
    """Describe a tuning: how it ended, what the exam showed, and in which guards the finalist has regressions."""
    sealed = counted(tuning["held_out"], "sealed prompt")
    lines = [f"tuning: {tuning['why']}"]
    if tuning["is_opened"]:
        lines.append(
            f"exam on {sealed}, opened once: {tuning['right_after']} of {counted(tuning['compared'], 'run')} right "
            f"against {tuning['right_before']}, {_format_p(tuning['p'])} (at most 0.025 to change)"
        )
    else:
        lines.append(f"the {sealed} stayed sealed")
    return lines + [f"regressions in {one['name']}: {'; '.join(one['prompts'])}" for one in tuning["spoiled"]]


def _format_p(p: float) -> str:
    return f"p = {p:.3f}" if p >= _MIN_P else f"p below {_MIN_P}"


def describe_candidates(tuning: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return each drafted description with its results on the training prompts."""
    return [(one["description"], _describe_candidate(tuning, one)) for one in tuning["candidates"]]


def _describe_candidate(tuning: Mapping[str, Any], one: Mapping[str, Any]) -> str:
    faults = "not run" if one["faults"] is None else counted(one["faults"], "training fault")
    role = "finalist" if one["version"] == tuning["finalist"] else one["reason"]
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
        "columns": [name or NONE for name in list_columns(result)],
        "tuning": describe_tuning(result["tuning"]) if result["tuning"] else [],
        "candidates": describe_candidates(result["tuning"]) if result["tuning"] else [],
    }  # fmt: skip
