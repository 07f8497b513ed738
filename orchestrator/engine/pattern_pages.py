"""Render the pages of patterns, or return them as JSON values."""

from typing import Any

from actions.patterns import get_patterns
from actions.patterns.page import get_page
from actions.patterns.pattern import PatternModule, get_grades
from actions.session.example import Recorded
from actions.skill.example import list_examples
from actions.skill.settings import is_selected
from orchestrator.errors import BadInput
from orchestrator.project.settings import suggest_code
from templates import render


def render_pattern_page(id: str) -> str:
    """Render the page of a pattern as Markdown. Raises BadInput."""
    patterns = get_patterns()
    if id.upper() not in patterns:
        raise _build_error(id)
    return render("pattern.md", row=_build_row(patterns[id.upper()]), examples_first=False)


def list_pattern_pages(code: str | None = None) -> list[dict[str, Any]]:
    """Return the pages of patterns as JSON values.

    `code` is an id, a prefix or a family that selects patterns, by default all. Raises BadInput if it selects none.
    """
    modules = [
        module
        for module in get_patterns().values()
        if code is None or is_selected((code,), module.PATTERN.id, module.PATTERN.family)
    ]
    if not modules:
        raise _build_error(code or "")
    return [_build_row(module) for module in modules]


def _build_error(id: str) -> BadInput:
    return BadInput(f"{id}: no such pattern{suggest_code(id)}")


def _build_row(module: PatternModule) -> dict[str, Any]:
    pattern, page, grades = module.PATTERN, get_page(module), get_grades(module)
    return {
        "id": pattern.id,
        "title": page["title"],
        "note": f"{pattern.severity.value:<9} {' or '.join(grades)}",
        "family": pattern.family.value,
        "severity": pattern.severity.value,
        "grades": list(grades),
        "it_is": page["It is"].splitlines(),
        "it_is_not": page["It is not"].splitlines(),
        "low_when": page["Low when"].splitlines(),
        "why": page["Why it is bad"],
        "instead": page["Instead"],
        "strategies": list(pattern.strategies),
        "bad": [dict(_list_example_files(example)) for example in list_examples(module.BAD)],
        "good": [dict(_list_example_files(example)) for example in list_examples(module.GOOD)],
        "file": f"{module.__name__.replace('.', '/')}.py",
    }


def _list_example_files(example: Any) -> dict[str, str]:
    if isinstance(example, Recorded):
        return dict(example.files)
    return {"SKILL.md": example} if isinstance(example, str) else dict(example)
