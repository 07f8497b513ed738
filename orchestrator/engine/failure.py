"""Decide whether the findings of a scan make a command fail, by `--fail-on` or the project's `fail-on`."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

from actions.grouping import group_by_key
from orchestrator.engine.rows import Row
from orchestrator.project.settings import SettingsFinder, find_settings_start
from schemas.issues import Issue
from schemas.vocabulary import FailOn, Gate, Severity
from templates.filters import counted


def explain_failures(rows: Sequence[Row], option: str | None, finder: SettingsFinder) -> str:
    """Return why the command fails for these rows, or "" if it does not.

    The limit is `--fail-on`, else the `fail-on` of the row's project, else "medium".
    """
    choose = _get_chooser(option, finder)
    groups = group_by_key((choose(row), row) for row in rows if row.error is None)
    clauses = [explain_failure(group, fail_on) for fail_on, group in groups.items()]
    unread = sum(row.error is not None for row in rows)
    return "; ".join(filter(None, (*clauses, f"{counted(unread, 'unit')} could not be read" if unread else "")))


def explain_units(rows: Sequence[Row], option: str | None, finder: SettingsFinder) -> list[str]:
    """Return for each row why its unit makes the command fail, in a few words, or "" if it does not."""
    choose = _get_chooser(option, finder)
    return ["not read" if row.error is not None else _explain_unit(row, choose(row)) for row in rows]


def _get_chooser(option: str | None, finder: SettingsFinder) -> Callable[[Row], FailOn]:
    choose = cache(partial(_choose_fail_on, option, finder))
    return lambda row: choose(find_settings_start(row.unit_path))


def _choose_fail_on(option: str | None, finder: SettingsFinder, start: Path) -> FailOn:
    """Return the limit in the option, else in the settings found from the folder `start` upwards."""
    project = None if option else finder.find(start)
    return FailOn(option or (project.values.get("fail-on") if project else None) or FailOn.MEDIUM)


def explain_failure(rows: Sequence[Row], fail_on: FailOn) -> str:
    """Return why rows with the same limit fail, in one line, or "" if they do not.

    Suppressed findings are ignored, and equal findings of several units count once. A unit also fails if it could
    not be checked, the check of a pattern failed or a model did not read it, because it may have more findings.
    """
    if fail_on is FailOn.NEVER:
        return ""
    if fail_on is FailOn.GATE:
        count = sum(row.gate is not Gate.PASS for row in rows)
        return f"{counted(count, 'unit')} did not pass the gate (--fail-on gate)" if count else ""
    limit = Severity(fail_on).rank
    failing_issues = [(issue, row) for row in rows for issue in _list_failing(row, limit)]
    if failing_issues:
        count = len({(issue.pattern, issue.description) for issue, _ in failing_issues})
        clause = f"{counted(count, 'finding')} of {fail_on} severity{' or worse' if limit else ''} (--fail-on)"
        place = _format_place(*min(failing_issues, key=lambda pair: pair[0].severity.rank))
        return clause if len(rows) == 1 else f"{clause}{': ' if count == 1 else ', worst '}{place}"
    if unchecked := sum(bool(row.unchecked) for row in rows):
        return f"{counted(unchecked, 'unit')} could not be checked"
    if failed := sum(bool(row.failed) for row in rows):
        return f"the check of a pattern failed in {counted(failed, 'unit')}"
    unread = sum(row.is_unread for row in rows)
    return f"a model was to read {counted(unread, 'unit')} and did not read all of it" if unread else ""


def _explain_unit(row: Row, fail_on: FailOn) -> str:
    if fail_on is FailOn.NEVER:
        return ""
    if fail_on is FailOn.GATE:
        return "" if row.gate is Gate.PASS else f"gate {row.gate}"
    if issues := _list_failing(row, Severity(fail_on).rank):
        worst, others = min(issues, key=lambda issue: issue.severity.rank), len(issues) - 1
        place = f"{worst.location.file}:{worst.location.line_start or 1}"
        return f"{worst.severity} {worst.pattern} in {place}{f' and {others} more' if others else ''}"
    if row.unchecked:
        return "not checked"
    if row.failed:
        return "the check of a pattern failed"
    return "a model did not read all of it" if row.is_unread else ""


def _list_failing(row: Row, limit: int) -> list[Issue]:
    """Return the issues that count, of the severity with the rank `limit` or worse."""
    return [issue for issue in row.issues if issue.counts and issue.severity.rank <= limit]


def _format_place(issue: Issue, row: Row) -> str:
    """Return the location and the pattern of an issue. A path below the current folder is relative to that folder."""
    path = Path(row.path, issue.location.file)
    relative = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"{relative}:{issue.location.line_start or 1} {issue.pattern}"
