"""Format an improvement for a report: headline, progress, sorted failures, steps with diffs, and the exam."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from actions.grouping import group_by_key
from actions.improve.edits import measure_edit
from schemas.improvement import Counts, Exam, Improvement, Stage, Step
from schemas.issues import Issue
from templates import render
from templates.filters import counted


def format_headline(state: Improvement) -> str:
    """Summarize an improvement in one sentence."""
    if state.stage is Stage.APPLIED and state.exam:
        edits = counted(len(state.kept), "edit")
        return f"improved: {edits} applied, because {describe_exam(state)}"
    return f"left as it is: {state.why}" if state.stage is Stage.LEFT else f"not finished: {state.stage.value}"


def describe_exam(state: Improvement) -> str:
    """Describe the exam: "18 of 25 exam runs succeed with the edits, 9 of 25 without them (better)"."""
    if state.exam is None:
        return "the exam was not run"
    (before, without), (after, runs) = state.exam.count("before"), state.exam.count("after")
    with_edits = f"{after} of {runs} exam runs succeed with the edits"
    return f"{with_edits}, {before} of {without} without them ({state.exam.verdict})"


def describe_end(exam: Exam) -> str:
    """Describe why an exam ended early, or return "" if all its runs were made."""
    return "" if exam.why == "decided" else f" ({exam.why})"


def describe_error_rate(state: Improvement) -> str:
    """Describe how often the exam was run, and how likely an edit without effect is to pass by chance."""
    assert state.exam is not None, "the caller has checked it"
    times = "once" if state.openings == 1 else f"{state.openings} times"
    level = f"{100 * state.exam.level:.2g} %"
    return (
        f"The exam was run {times}. If the edits made no difference on the tasks, they would pass by chance in at most "
        f"{level} of such exams."
    )


def advise_exam(state: Improvement) -> str:
    """Return how to make the exam more sensitive, or "" unless its verdict is "not known"."""
    is_open = state.exam is not None and state.exam.verdict == "not known"
    return "To detect smaller improvements, add tasks or raise --exam-runs." if is_open else ""


def list_written_files(state: Improvement) -> list[str]:
    """Return the paths of the changed files, or [] if the edits were not applied."""
    steps = state.kept if state.stage is Stage.APPLIED else ()
    return list(dict.fromkeys(f"{state.path}/{path}" for step in steps for path in step.texts))


def build_context(state: Improvement) -> dict[str, Any]:
    """Build the values of the Markdown and HTML reports."""
    return {
        "state": state,
        "headline": format_headline(state),
        "practice": _format_sum(state.base),
        "failures": group_failures(state),
        "steps": [describe_step(state, step) for step in state.steps],
        "exam": describe_exam(state),
        "end": describe_end(state.exam) if state.exam else "",
        "error": describe_error_rate(state) if state.exam else "",
        "advice": advise_exam(state),
        "written": list_written_files(state),
        "undo": f"tune-skill rollback {Path(state.run).name} --all" if state.stage is Stage.APPLIED else "",
        "rows": _list_rows(state),
        "stages": [stage for stage in Stage if stage not in (Stage.APPLIED, Stage.LEFT)],
        "reached": {moment.stage for moment in state.walk},
    }


def group_failures(state: Improvement) -> list[dict[str, Any]]:
    """Group the failures by cause, location and reason. Each group has the quote of its first failure."""
    groups = group_by_key(
        ((failure.cause, failure.issue, "" if failure.issue else failure.reason), failure) for failure in state.failures
    )
    return [
        {
            "cause": cause.value,
            "place": locate_issue(state, issue),
            "reason": found[0].reason,
            "quote": found[0].quote,
            "runs": f"{counted(len(found), 'run')} of {', '.join(dict.fromkeys(failure.task for failure in found))}",
        }
        for (cause, issue, _), found in groups.items()
    ]


def locate_issue(state: Improvement, id: str) -> str:
    """Return `file:line` of an issue, or "" if there is no such issue."""
    issue = _find_issue(state, id)
    return f"{issue.location.file}:{issue.location.line_start}" if issue else ""


def describe_step(state: Improvement, step: Step) -> dict[str, Any]:
    """Return the values that a report shows for a step."""
    issue, fix = _find_issue(state, step.issue), step.fix
    hunks, lines = measure_edit(fix) if fix else (0, 0)
    failing = [counts.task for counts in step.base if counts.failures]
    others = [counts.task for counts in step.base if not counts.failures]
    screened = {counts.task: counts for counts in step.screening}
    return {
        "step": step,
        "place": locate_issue(state, step.issue),
        "problem": issue.description if issue else "",
        "what": fix.description if fix else "no edit",
        "size": f"{counted(hunks, 'hunk')}, {counted(lines, 'changed line')}" if fix else "",
        "diff": "".join(change.diff for change in fix.changes) if fix else "",
        "failing": _compare(step.base, screened, failing),
        "others": _compare(step.base, screened, others),
    }


def _list_rows(state: Improvement) -> list[dict[str, Any]]:
    """Return a row for each practice task: its runs with the unchanged skill, then its runs with each screened step."""
    all_counts = [state.base, *(step.screening for step in state.steps if step.screening)]
    columns = [{counts.task: counts.passed for counts in screening} for screening in all_counts]
    return [{"task": task, "cells": [column.get(task, ()) for column in columns]} for task in state.practice]


def _compare(base: Sequence[Counts], screened: dict[str, Counts], tasks: Sequence[str]) -> str:
    after = [screened[task] for task in tasks if task in screened and screened[task].passed]
    if not after:
        return ""
    return (
        f"{_format_sum(after)} succeed, {_format_sum([counts for counts in base if counts.task in tasks])} without it"
    )


def _format_sum(counts: Iterable[Counts]) -> str:
    runs = [is_passed for task_counts in counts for is_passed in task_counts.passed]
    return f"{sum(runs)} of {counted(len(runs), 'run')}"


def _find_issue(state: Improvement, id: str) -> Issue | None:
    return next((issue for issue in state.issues if issue.id == id), None)


def format_markdown(state: Improvement) -> str:
    """Format an improvement as Markdown for a pull request."""
    return render("improve.md", **build_context(state))


def format_html(state: Improvement) -> str:
    """Format an improvement as one HTML page that needs neither network nor scripts."""
    return render("html/improve.html", **build_context(state))
