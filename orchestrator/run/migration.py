"""Migrate a state from schema version 1 to version 2, in which findings have a grade and verdicts have a quote.

A state written by an early version 2 gets default values for the fields that were added later.
"""

from typing import Any

_VERDICT_DEFAULTS = {"severity": None, "duplicate_of": None, "quote": ""}
_COST_DEFAULTS = {"prompt_tokens": 0, "cached_tokens": 0}
_RENAMED_SOURCES = {"heuristic": "parser"}
_OPTION_DEFAULTS: dict[str, Any] = {"trial": None, "finding": None}
_ROUND_DEFAULTS: dict[str, Any] = {"untried": [], "chosen": None, "by_hand": []}
_TARGET_DEFAULTS: dict[str, Any] = {"kind": "skill", "project": None}
_FIX_DEFAULTS: dict[str, Any] = {"wanted": None, "takes_out": [], "choice": None, "siblings": [], "parts": []}
_REVIEW_DEFAULTS: dict[str, Any] = {"ended": []}


def migrate(values: Any) -> Any:
    """Convert the values of an older state file to the current format. Other values are returned unchanged."""
    if isinstance(values, dict) and isinstance(values.get("options"), dict):
        values = {
            "trial": None,
            "trial_folder": None,
            "exam": None,
            **values,
            "options": {**_OPTION_DEFAULTS, **values["options"]},
        }
    if not isinstance(values, dict):
        return values
    if "target_skill" in values:
        values = {**values, "target_skill": _add_defaults(_TARGET_DEFAULTS, values["target_skill"])}
    issues, fixes, rounds = values.get("issues"), values.get("proposed_fixes"), values.get("rounds")
    if isinstance(rounds, list):
        values = {**values, "rounds": [_add_defaults(_ROUND_DEFAULTS, round) for round in rounds]}
    if isinstance(fixes, list):
        fixes = [_migrate_fix(fix) for fix in fixes]
        values = {**values, "proposed_fixes": fixes}
    if values.get("schema_version") != 1:
        return values
    return {
        **values,
        "schema_version": 2,
        "issues": [_migrate_issue(issue, values.get("judge")) for issue in issues]
        if isinstance(issues, list)
        else issues,
        "proposed_fixes": [{"review": None, **fix} for fix in fixes] if isinstance(fixes, list) else fixes,
        "cost": {**_COST_DEFAULTS, **cost} if isinstance(cost := values.get("cost"), dict) else cost,
        "unasked": 0,
    }


def _add_defaults(defaults: dict[str, Any], record: Any) -> Any:
    """Return a record with default values for its missing fields. Returns other values unchanged."""
    return {**defaults, **record} if isinstance(record, dict) and not record.keys() >= defaults.keys() else record


def _migrate_fix(old: Any) -> Any:
    new = _add_defaults(_FIX_DEFAULTS, old)
    has_review = isinstance(new, dict) and isinstance(new.get("review"), dict)
    return {**new, "review": _add_defaults(_REVIEW_DEFAULTS, new["review"])} if has_review else new


def _migrate_issue(old: Any, judge: Any) -> Any:
    """Migrate an issue. Its grade is `read` if the model found it, otherwise `proven`."""
    if not isinstance(old, dict):
        return old
    new = {name: value for name, value in old.items() if name != "confidence"}
    source, is_read = old.get("source"), old.get("source") == "sdk"
    new["source"] = _RENAMED_SOURCES.get(source, source) if isinstance(source, str) else source
    if isinstance(old.get("verdict"), dict):
        new["verdict"] = {**_VERDICT_DEFAULTS, **old["verdict"]}
    new["grade"] = "read" if is_read else "proven"
    new["read_by"] = {"name": judge or "a model", "reason": old.get("impact")} if is_read else None
    return new
